"""Progress on standard error with the remaining time, after two seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from calibrant._output import duration, one_line
from calibrant.cli._interrupt import stop_if_asked

if TYPE_CHECKING:
    from calibrant._execution import Progress  # loads NumPy, which --help avoids

#: seconds between lines without a terminal
PAUSE = 10.0


@contextmanager
def shown_progress(what: str, quiet: bool = False) -> Iterator[Progress]:
    """Yield a function that takes (done, total), and show the progress after two seconds.

    If `done` decreases, another part of the work has begun, and its time is measured separately. In
    an interrupted command the function raises, which ends the calling thread.
    """
    stop_if_asked()  # before long work begins
    display = None if quiet else _Display(what)

    def update(done: int, total: int) -> None:
        stop_if_asked()
        if display is not None:
            display.update(done, total)

    try:
        yield update
    finally:
        if display is not None:
            display.stop()


class _Display:
    """A temporary bar on a terminal; elsewhere a line from time to time."""

    def __init__(self, what: str) -> None:
        from calibrant._execution import limits

        delay = limits().progress_delay
        self._what = one_line(what)
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._next_line = self._start + delay
        self._done, self._total = 0, 0
        self._bar: Any = None
        self._timer = threading.Timer(delay, self._begin_bar)
        self._timer.daemon = True
        self._moves = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        if self._moves:
            self._timer.start()

    def update(self, done: int, total: int) -> None:
        with self._lock:
            begins = done < self._done
            self._done, self._total = done, total
            if begins:
                self._start = time.monotonic()
            if begins and self._bar is not None:
                self._bar.reset(self._bar.task_ids[0])
            if self._bar is not None:
                self._show_bar()
            elif not self._moves:
                self._show_line()

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            if self._bar is not None:
                self._bar.stop()

    def _show_line(self) -> None:
        now = time.monotonic()
        if now < self._next_line or self._done >= self._total:
            return
        self._next_line = now + PAUSE
        left = (now - self._start) * (self._total - self._done) / max(self._done, 1)
        share = 100 * self._done // self._total
        click.echo(f"{self._what}: {share} %, {duration(left)} left", err=True)

    def _begin_bar(self) -> None:
        # rich is slow to import, so short work avoids it
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn as Remaining,
        )

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
            self._bar.add_task(self._what, total=None)
            self._show_bar()
            self._bar.start()

    def _show_bar(self) -> None:
        # the duration after the last part is unknown
        finished = self._done >= self._total
        self._bar.update(
            self._bar.task_ids[0],
            description=f"{self._what}, last part" if finished and self._total else self._what,
            completed=0 if finished else self._done,
            total=None if finished else self._total,
        )
