"""Public names say their public path: `calibrant.SKCE`, not the file they are written in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def publish(namespace: str, scope: Mapping[str, Any], names: Iterable[str]) -> None:
    """Make classes and functions of `scope` members of `namespace`, for help, repr and pickle."""
    for name in names:
        if callable(scope[name]):
            scope[name].__module__ = namespace
