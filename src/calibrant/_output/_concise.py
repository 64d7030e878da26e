"""Values that hold arrays, printed so that they fit on a screen."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def concise(cls: type[T]) -> type[T]:
    """Let a dataclass print the ends of its arrays only, with four digits."""
    whole = cls.__repr__

    def short(self: Any) -> str:
        import numpy as np  # not loaded for --help

        with np.printoptions(threshold=6, edgeitems=2, precision=4):
            return whole(self)

    cls.__repr__ = short  # type: ignore[method-assign]
    return cls
