"""Running tasks on threads or on a given executor, answers in the order of the tasks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from calibrant import _native

Task = TypeVar("Task")
Record = TypeVar("Record")
#: told after every finished task: (tasks done, tasks in all)
Progress = Callable[[int, int], None]

#: tasks handed to an executor before the first answer is awaited
WINDOW = 64


def count_jobs(n_jobs: int | None) -> int:
    """Return the number of threads: all cores this process may use, unless told otherwise."""
    if n_jobs is None or n_jobs == -1:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else (os.cpu_count() or 1)
    value: Any = n_jobs
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(
            f"`n_jobs` must be a positive integer, or None for all cores; got {n_jobs!r}."
        )
    return int(value)


def run(
    function: Callable[[Task], Record],
    tasks: Sequence[Task],
    *,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Iterator[Record]:
    """Yield ``function(task)`` for every task, in order, computed in parallel.

    The order of the answers never depends on threads, executor or completion, so a sum over
    them has the same bits everywhere. Process executors need a picklable function and tasks.
    """
    jobs = min(count_jobs(n_jobs), len(tasks))
    if executor is not None:
        # workers do not share the caller's context, where a choice of the core is kept
        chosen = partial(_in_numpy, function) if _native.active() is None else function
        yield from _ordered(executor, chosen, tasks, progress)
    elif jobs <= 1:
        for done, task in enumerate(tasks, start=1):
            record = function(task)
            if progress is not None:
                progress(done, len(tasks))
            yield record
    else:
        with ThreadPoolExecutor(jobs) as pool:
            context = copy_context()
            yield from _ordered(
                pool, lambda task: context.copy().run(function, task), tasks, progress
            )


def _in_numpy(function: Callable[[Task], Record], task: Task) -> Record:
    with _native.using("numpy"):
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
        # also where the caller, or whom it tells, raised: nothing is left running
        for future in waiting:
            future.cancel()
