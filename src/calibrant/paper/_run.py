"""Running the batches of an experiment on threads, each saved as soon as it is finished."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeVar

from calibrant._executors import Parallel, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from calibrant._executors import Progress
    from calibrant._typing import FloatArray
    from calibrant.paper._store import Store


class Part(Protocol):
    """A part of an experiment: the name of its results, and how long it takes beside others."""

    @property
    def name(self) -> str:
        """Under which it is saved."""

    @property
    def work(self) -> float:
        """In any unit."""


AnyPart = TypeVar("AnyPart", bound=Part)


def run_batches(
    compute: Callable[[AnyPart], Mapping[str, FloatArray]],
    batches: Sequence[AnyPart],
    store: Store,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> int:
    """Compute and save what the store does not hold yet; return how many batches that were.

    A batch is saved by the thread that computed it: an interruption loses none that is finished.
    """
    missing = [batch for batch in batches if not store.has(batch.name)]
    done = _Work(missing, progress)

    def finish(batch: AnyPart) -> None:
        store.save(batch.name, compute(batch))
        done.add(batch)

    for _ in run(finish, missing, Parallel(n_jobs)):
        pass
    return len(missing)


class _Work:
    """The part of the work that is done; batches differ in length by orders of magnitude."""

    def __init__(self, parts: Sequence[Part], progress: Progress | None) -> None:
        self._total = sum(int(part.work) for part in parts)
        self._done, self._lock, self._progress = 0, Lock(), progress

    def add(self, part: Part) -> None:
        with self._lock:
            self._done += int(part.work)
            if self._progress is not None:
                self._progress(self._done, self._total)
