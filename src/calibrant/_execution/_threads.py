"""Threads whose tasks end early when their answers are no longer wanted, as after Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_here = threading.local()


class AbandonedError(RuntimeError):
    """Ends a task whose answer is no longer wanted; no caller sees it."""


@contextmanager
def threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of threads; leaving the block by an exception makes its tasks end early.

    A pool waits for the tasks that are running, and those may take a minute: they call
    `still_wanted` between their steps.
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
    """End the task of this thread if its pool was abandoned; elsewhere do nothing."""
    abandoned = getattr(_here, "abandoned", None)
    if abandoned is not None and abandoned.is_set():
        raise AbandonedError


def _adopt(abandoned: threading.Event) -> None:
    _here.abandoned = abandoned
