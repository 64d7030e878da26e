"""A single BLAS thread within calibrant's threads, to avoid oversubscription."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator
from functools import cache
from typing import Any

_lock = threading.Lock()
_inside = 0
#: the numbers of threads to restore
_before: list[int] = []


class single_threaded_blas(ContextDecorator):  # noqa: N801 (used like a function)
    """Limit BLAS to one thread inside a ``with`` block, for the whole process.

    Blocks may overlap, on any threads: the first sets the limit and the last removes it, so that no
    caller restores another's limit. Entering and leaving cost microseconds.
    """

    def __enter__(self) -> None:
        global _inside, _before
        with _lock:
            if _inside == 0:
                _before = [library.get_num_threads() for library in _libraries()]
                _set([1] * len(_before))
            _inside += 1

    def __exit__(self, *_: object) -> None:
        global _inside
        with _lock:
            _inside -= 1
            if _inside == 0:
                _set(_before)


@cache
def _libraries() -> tuple[Any, ...]:
    # finding the libraries of the process takes half a millisecond, so do it once
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().lib_controllers
    return tuple(library for library in libraries if library.user_api == "blas")


def _set(wanted: list[int]) -> None:
    free = _clear_control()
    for library, count, before in zip(_libraries(), wanted, _before, strict=True):
        if before != 1:  # otherwise there is nothing to limit
            if free is not None:
                free(force=True)
            library.set_num_threads(count)


@cache
def _clear_control() -> Any:
    # From threadpoolctl 3.8 on, only the thread that set a limit of OpenBLAS may change it, and
    # requests of other threads are ignored. Here a lock coordinates the threads instead.
    from threadpoolctl import OpenBLASController

    return getattr(OpenBLASController, "clear_controlling_thread", None)
