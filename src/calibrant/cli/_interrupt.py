"""Ctrl-C and SIGTERM end a command alike: quickly, with threads, and with nothing half-written."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: threads cannot be interrupted; they look here at every step
_asked = threading.Event()


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn both signals into `KeyboardInterrupt`, in this thread and at the steps of others."""
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
    """Raise in a thread of a command that was interrupted."""
    if _asked.is_set():
        raise KeyboardInterrupt
