"""Running tasks on threads or on a given executor, answers in the order of the tasks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

import numpy as np

Task = TypeVar("Task")
Record = TypeVar("Record")
#: told after every finished task: (tasks done, tasks in all)
Progress = Callable[[int, int], None]

#: tasks handed to an executor before the first answer is awaited
WINDOW = 64


def count_jobs(n_jobs: int | None) -> int:
    """Number of threads: all cores this process may use, unless told otherwise."""
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
        yield from _report(_ordered(executor, function, tasks), len(tasks), progress)
    elif jobs <= 1:
        yield from _report(map(function, tasks), len(tasks), progress)
    else:
        with ThreadPoolExecutor(jobs) as pool:
            # threads must see the caller's choice of core, which lives in its context
            context = copy_context()
            records = _ordered(pool, lambda task: context.copy().run(function, task), tasks)
            yield from _report(records, len(tasks), progress)


def _ordered(
    executor: Executor, function: Callable[[Task], Record], tasks: Sequence[Task]
) -> Iterator[Record]:
    waiting: deque[Future[Record]] = deque()
    try:
        for task in tasks:
            waiting.append(executor.submit(function, task))
            if len(waiting) >= WINDOW:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _report(
    records: Iterator[Record], total: int, progress: Progress | None
) -> Iterator[Record]:
    for done, record in enumerate(records, start=1):
        if progress is not None:
            progress(done, total)
        yield record
