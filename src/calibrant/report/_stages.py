"""Progress of work in several stages, each with a progress of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant._executors import Progress

#: steps that every stage is divided into
_STEPS = 100


class Stages:
    """Tells one progress from those of stages that come one after the other."""

    def __init__(self, progress: Progress | None, n_stages: int) -> None:
        self._progress, self._total = progress, _STEPS * n_stages
        self._begun = 0

    def next(self) -> Progress | None:
        """Begin a stage; return what its work shall tell."""
        start = _STEPS * self._begun
        self._begun += 1
        if self._progress is None:
            return None
        progress = self._progress
        progress(start, self._total)

        def told(done: int, total: int) -> None:
            progress(start + _STEPS * done // max(total, 1), self._total)

        return told

    def end(self) -> None:
        """Say that everything is done."""
        if self._progress is not None:
            self._progress(self._total, self._total)
