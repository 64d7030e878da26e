"""Concise printing of values that contain arrays."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def concise(cls: type[T]) -> type[T]:
    """Make a dataclass print only the ends of its arrays, with four digits."""
    whole = cls.__repr__

    def short(self: Any) -> str:
        import numpy as np  # not loaded for --help

        with np.printoptions(threshold=6, edgeitems=2, precision=4):
            return whole(self)

    cls.__repr__ = short  # type: ignore[method-assign]
    return cls
