"""Running tasks on threads or an executor, with results in the order of the tasks."""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import Context, copy_context
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from calibrant._execution._blas import single_threaded_blas
from calibrant._execution._checkpoint import Checkpoint, resumable
from calibrant._execution._circumstances import Circumstances
from calibrant._execution._progress import Progress
from calibrant._execution._threads import threads
from calibrant._native import FloatArray

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Task = TypeVar("Task")
Record = TypeVar("Record")

#: tasks submitted to an executor before waiting for the first result
WINDOW = 64


@dataclass(frozen=True)
class Parallel:
    """How to run: threads or executor, progress, and a checkpoint file.

    Results are the same to the last bit for all settings.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores this process may use by default.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Executor to use instead of threads.
    progress : callable, optional
        Called with (done, total) as tasks finish.
    checkpoint : path, optional
        A file that stores finished work: repeating the call after a crash resumes it.
    tile : int, optional
        Rows of a tile. Internal: chosen from the data by default.
    bundle : float, optional
        Elementary steps of a bundle of tasks. Internal: chosen from the data by default.

    Examples
    --------
    >>> import calibrant as cal
    >>> predictions = cal.Predictions(*cal.models.M2(3).sample(100, rng=0))
    >>> one = cal.SKCE().estimate(predictions, cal.Parallel(n_jobs=1))
    >>> one == cal.SKCE().estimate(predictions, cal.Parallel(n_jobs=2))
    True
    """

    n_jobs: int | None = None
    executor: Executor | None = None
    progress: Progress | None = None
    checkpoint: str | os.PathLike[str] | Checkpoint | None = None
    tile: int | None = field(default=None, kw_only=True)
    bundle: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        count_jobs(self.n_jobs)
        if self.executor is not None and not callable(getattr(self.executor, "submit", None)):
            raise ValueError(
                "`executor` must be a concurrent.futures.Executor or a Dask client, something "
                f"that has `submit`; got {self.executor!r}. Leave it out for threads."
            )

    def resumed(
        self, belongs_to: Callable[[], Mapping[str, Any]]
    ) -> AbstractContextManager[Parallel]:
        """Open a checkpoint given by its path, for the computation that `belongs_to` describes."""
        return nullcontext(self) if self.checkpoint is None else self._opened(belongs_to)

    @contextmanager
    def _opened(self, belongs_to: Callable[[], Mapping[str, Any]]) -> Iterator[Parallel]:
        with resumable(self.checkpoint, belongs_to) as opened:
            yield replace(self, checkpoint=opened)

    def serial(self) -> Parallel:
        """Return the same settings with one thread, for work too small to share."""
        return self if self.executor is not None else replace(self, n_jobs=1)

    def quiet(self) -> Parallel:
        """Return the same settings without progress."""
        return replace(self, progress=None)

    @property
    def is_plain(self) -> bool:
        """Whether work runs only on threads, without executor and checkpoint."""
        return self.executor is None and self.checkpoint is None


def count_jobs(n_jobs: int | None) -> int:
    """Return the number of threads: all cores this process may use for None or -1."""
    if n_jobs is None or n_jobs == -1:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else (os.cpu_count() or 1)
    try:
        count = operator.index(n_jobs)
    except TypeError:
        count = 0
    if count < 1 or isinstance(n_jobs, bool):
        raise ValueError(
            f"`n_jobs` must be a positive integer, or None for all cores; got {n_jobs!r}."
        )
    return count


def run(
    function: Callable[[Task], Record], tasks: Sequence[Task], parallel: Parallel
) -> Iterator[Record]:
    """Yield ``function(task)`` for every task, in order, computed in parallel.

    The order of the results never depends on threads, executor or completion, so a sum over them
    has the same bits everywhere. Process executors need a picklable function and tasks.
    """
    jobs = min(count_jobs(parallel.n_jobs), len(tasks))
    if parallel.executor is not None:
        there = partial(_on_a_worker, Circumstances.here(), function)
        yield from _ordered(parallel.executor, there, tasks, parallel.progress)
    elif jobs > 1:
        context = copy_context()
        with single_threaded_blas(), threads(jobs) as pool:
            there = partial(_in_context, context, function)
            yield from _ordered(pool, there, tasks, parallel.progress)
    else:
        for done, task in enumerate(tasks, start=1):
            with single_threaded_blas():  # as on threads: BLAS sums depend on the number of threads
                record = function(task)
            if parallel.progress is not None:
                parallel.progress(done, len(tasks))
            yield record


def in_slices(function: Callable[[slice], FloatArray], size: int, parallel: Parallel) -> FloatArray:
    """Return the joined results of `function` on consecutive slices of range(size), on threads.

    Each result depends only on its slice, so the bits are the same for any number of threads.
    """
    n_slices = max(1, min(count_jobs(parallel.n_jobs), size))
    cuts = np.linspace(0, size, n_slices + 1).astype(int).tolist()
    slices = [slice(a, b) for a, b in pairwise(cuts)]
    return np.concatenate(list(run(function, slices, Parallel(parallel.n_jobs))))


def spans(n: int, size: int) -> list[slice]:
    """Return consecutive slices of range(n), all of length `size` but the last.

    Examples
    --------
    >>> spans(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    starts = range(0, n, size)
    return list(map(slice, starts, [*starts[1:], n]))


def _in_context(context: Context, function: Callable[[Task], Record], task: Task) -> Record:
    return context.copy().run(function, task)


def _on_a_worker(there: Circumstances, function: Callable[[Task], Record], task: Task) -> Record:
    with there.restored():
        return function(task)


def _ordered(
    executor: Executor,
    function: Callable[[Task], Record],
    tasks: Sequence[Task],
    progress: Progress | None,
) -> Iterator[Record]:
    waiting: deque[Future[Record]] = deque()
    rest = iter(tasks)
    try:
        for done in range(1, len(tasks) + 1):
            for task in islice(rest, WINDOW - len(waiting)):
                waiting.append(executor.submit(function, task))
            record = waiting.popleft().result()
            if progress is not None:
                progress(done, len(tasks))
            yield record
    finally:
        # also if the caller or its progress callback raised: leave nothing running
        for future in waiting:
            future.cancel()
