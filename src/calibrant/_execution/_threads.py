"""Threads whose tasks end early if their results are no longer needed, for example after Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_here = threading.local()


class AbandonedError(RuntimeError):
    """Ends a task whose result is no longer needed; no caller sees it."""


@contextmanager
def threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of threads, whose tasks end early if the block raises an exception.

    A pool waits for running tasks, which may take a minute, so they call `still_wanted` between
    their steps.
    """
    from concurrent.futures import ThreadPoolExecutor

    abandoned = threading.Event()
    with ThreadPoolExecutor(count, initializer=_adopt, initargs=(abandoned,)) as pool:
        try:
            yield pool
        except BaseException:
            abandoned.set()
            raise


def still_wanted() -> None:
    """End the task of this thread if its pool was abandoned."""
    abandoned = getattr(_here, "abandoned", None)
    if abandoned is not None and abandoned.is_set():
        raise AbandonedError


def _adopt(abandoned: threading.Event) -> None:
    _here.abandoned = abandoned
