"""Public names say their public path: `calibrant.SKCE`, not the file they are written in."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any


def publish(namespace: str, scope: MutableMapping[str, Any], names: Iterable[str]) -> None:
    """Make classes and functions of `scope` members of `namespace`, for help, repr and pickle.

    In the namespace itself, `dir` and completion then list what `__all__` does, not what the other
    parts of the package also import from there.
    """
    for name in names:
        if callable(scope[name]):
            scope[name].__module__ = namespace
    if scope["__name__"] == namespace:
        scope["__dir__"] = lambda: sorted(scope["__all__"])
