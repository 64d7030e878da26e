"""Ctrl-C and SIGTERM end a command alike: quickly, and with nothing half-written."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

#: threads cannot be interrupted, and a callback of a C library swallows exceptions: every step of a
#: command looks here
_asked = threading.Event()


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn both signals into `KeyboardInterrupt`, immediately or at the next step."""
    _asked.clear()

    def ask(*_: object) -> None:
        _asked.set()
        raise KeyboardInterrupt

    mine = threading.current_thread() is threading.main_thread()  # others may not set handlers
    signals = (signal.SIGINT, signal.SIGTERM) if mine else ()
    before = {number: signal.signal(number, ask) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_if_asked() -> None:
    """Raise in a command that was interrupted, on any of its threads."""
    if _asked.is_set():
        raise KeyboardInterrupt


def leave_at_once(code: int) -> NoReturn:
    """Exit without taking libraries down.

    Those that were interrupted while they started would say so at length, or wait for workers
    that never came. What is ours was put in order on the way here.
    """
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children, util

        for child in active_children():
            child.kill()
        util._run_finalizers()  # type: ignore[attr-defined]  # no semaphore is left behind
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader is gone
            stream.flush()
    os._exit(code)
