"""Progress on standard error, with the remaining time, for what takes over two seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from calibrant._duration import duration
from calibrant.cli._interrupt import stop_if_asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: seconds before anything is shown, and between the lines where there is no terminal
DELAY, PAUSE = 2.0, 10.0


@contextmanager
def shown_progress(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Give a function that is told (done, total), and show it after two seconds.

    Where `done` falls, another part of the work has begun, and time is measured from there. In a
    command that was interrupted the function raises, which ends the thread that calls it.
    """
    stop_if_asked()  # before hours of work begin
    moves = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    kind = _Nothing if quiet else _Bar if moves else _Lines
    shown = kind(what)

    def update(done: int, total: int) -> None:
        stop_if_asked()
        shown.update(done, total)

    try:
        yield update
    finally:
        shown.stop()


class _Nothing:
    """No progress."""

    def __init__(self, what: str) -> None: ...

    def update(self, done: int, total: int) -> None:
        """Say nothing."""

    def stop(self) -> None:
        """Nothing to clean up."""


class _Lines:
    """A line now and then, for logs."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._start = time.monotonic()
        self._next = self._start + DELAY
        self._done = 0

    def update(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < self._done:
            self._start = now
        self._done = done
        if now < self._next or done >= total:
            return
        self._next = now + PAUSE
        left = (now - self._start) * (total - done) / max(done, 1)
        click.echo(f"{self._what}: {100 * done // total} %, {duration(left)} left", err=True)

    def stop(self) -> None:
        """Nothing to clean up."""


class _Bar:
    """A bar that appears after two seconds and goes away at the end."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._state = (0, 0)
        self._bar: Any = None
        self._task: Any = None
        self._timer = threading.Timer(DELAY, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def update(self, done: int, total: int) -> None:
        with self._lock:
            begins = done < self._state[0]
            self._state = (done, total)
            if begins and self._bar is not None:
                self._bar.reset(self._task)
            if self._bar is not None:
                self._show()

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            if self._bar is not None:
                self._bar.stop()

    def _begin(self) -> None:
        # rich takes a moment to import, which short work need not pay
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as Remaining

        with self._lock:
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
                TextColumn("left"),
                Remaining(elapsed_when_finished=False),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(self._what, total=None)
            self._show()
            self._bar.start()

    def _show(self) -> None:
        done, total = self._state
        finished = total and done >= total
        what = f"{self._what}, last part" if finished else self._what
        # what comes after the last part has no length that is known
        self._bar.update(
            self._task,
            description=what,
            completed=0 if finished else done,
            total=None if finished or not total else total,
        )
