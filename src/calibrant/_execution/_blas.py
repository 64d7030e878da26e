"""One BLAS thread inside our own threads: two levels of threads on the same cores fight."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
_inside = 0
_limits: Any = None


@cache
def _controller() -> Any:
    # looking for the libraries of the process costs half a millisecond: once is enough
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit BLAS to one thread inside a ``with`` block, for the whole process.

    Blocks may overlap, on any threads: the first sets the limit and the last takes it back,
    so that nobody restores the limit of somebody else.
    """
    global _inside, _limits
    with _lock:
        if _inside == 0:
            _take_control()
            _limits = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _take_control()
                _limits.restore_original_limits()
                _limits = None


def _take_control() -> None:
    # From threadpoolctl 3.8 on, only the thread that set a limit of OpenBLAS may change it, and
    # the requests of all others are ignored. Here the lock decides whose turn it is.
    from threadpoolctl import OpenBLASController

    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
