"""Progress of work in several stages, each with a progress of its own."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant._executors import Progress

#: steps that every stage is divided into
_STEPS = 100


class Stages:
    """Tells one progress from those of stages that come one after the other; it never goes back."""

    def __init__(self, progress: Progress | None, n_stages: int) -> None:
        self._progress, self._total = progress, _STEPS * n_stages
        self._begun, self._told = 0, -1
        self._lock = Lock()

    def next(self) -> Progress | None:
        """Begin a stage; return what its work shall tell."""
        start = _STEPS * self._begun
        self._begun += 1
        if self._progress is None:
            return None
        self._tell(start)
        return lambda done, total: self._tell(start + _STEPS * done // max(total, 1))

    def end(self) -> None:
        """Say that everything is done."""
        self._tell(self._total)

    def _tell(self, done: int) -> None:
        # threads may tell the second step before the first
        with self._lock:
            if self._progress is not None and done > self._told:
                self._told = done
                self._progress(done, self._total)
