"""Public paths of public names: `calibrant.SKCE` instead of the file with its definition."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any


def publish(namespace: str, scope: MutableMapping[str, Any], names: Iterable[str]) -> None:
    """Make classes and functions of `scope` members of `namespace` for help, repr and pickle.

    `dir` and completion of the namespace then list only `__all__`, not the names for other parts of
    the package.
    """
    for name in names:
        if callable(scope[name]):
            scope[name].__module__ = namespace
    if scope["__name__"] == namespace:
        scope["__dir__"] = lambda: sorted(scope["__all__"])
