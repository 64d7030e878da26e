"""Cutting a range into consecutive parts."""

from __future__ import annotations


def spans(n: int, size: int) -> list[slice]:
    """Return consecutive slices of range(n), `size` long but for the last.

    Examples
    --------
    >>> spans(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
