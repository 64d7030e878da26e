"""Handling of Ctrl-C and SIGTERM: commands end quickly and leave no partial output."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

#: checked at every step of a command, because threads cannot be interrupted and C callbacks swallow
#: exceptions
_asked = threading.Event()


@contextmanager
def interruptible() -> Iterator[None]:
    """Convert both signals to `KeyboardInterrupt`, immediately or at the next step."""
    _asked.clear()

    def ask(*_: object) -> None:
        _asked.set()
        raise KeyboardInterrupt

    mine = threading.current_thread() is threading.main_thread()  # others must not set any
    signals = (signal.SIGINT, signal.SIGTERM) if mine else ()
    before = {number: signal.signal(number, ask) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_if_asked() -> None:
    """Raise `KeyboardInterrupt` if the command was interrupted, on any thread."""
    if _asked.is_set():
        raise KeyboardInterrupt


def leave_at_once(code: int) -> NoReturn:
    """Exit without shutting down libraries.

    Libraries interrupted during startup would print long errors or wait for workers that never
    came. Calibrant's own resources are already released here.
    """
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children, util

        for child in active_children():
            child.kill()
        util._run_finalizers()  # type: ignore[attr-defined]  # no semaphore is left behind
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader has closed the pipe
            stream.flush()
    os._exit(code)
