"""Many small tasks on one large object, on threads, any executor, or a Dask cluster.

Tasks contain only indices and are sent in bundles of a second or more; the object is shared once.
Bundles depend only on the number and cost of the tasks, and records are returned in the order of
the tasks. So results have the same bits everywhere, even after a worker died or if some bundles
were read from a checkpoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from calibrant._execution._checkpoint import Checkpoint, Stage
from calibrant._execution._circumstances import Circumstances
from calibrant._execution._parallel import WINDOW, Parallel, count_jobs, run, spans
from calibrant._execution._shared_memory import Spilled, seen_by_all, spilled
from calibrant._execution._threads import still_wanted, threads
from calibrant.errors import WorkersLost

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Record = TypeVar("Record")

#: elementary steps of a bundle (pairs times columns): one to two seconds in the native core
BUNDLE = 1e10
#: most bundles, because the scheduler needs about a millisecond for each
MOST_BUNDLES = 4096


def run_shared(
    function: Callable[[Shared, Task], Record],
    shared: Shared,
    tasks: Sequence[Task],
    parallel: Parallel,
    work: float = math.inf,
) -> Iterator[Record]:
    """Yield ``function(shared, task)`` for every task, in order.

    `work` is the total cost of all tasks, in elementary steps; by default every task is its own
    bundle. The workers must be able to import the function; for a checkpoint, its records must
    consist of floats and float arrays.
    """
    if parallel.is_plain:
        yield from run(partial(function, shared), tasks, parallel)
        return
    if not tasks:
        return
    parts = bundles(len(tasks), work, parallel.bundle)
    stage = None
    if parallel.checkpoint is not None:
        stage = _opened(parallel).stage(function.__name__, len(tasks))
    with _executor(parallel, len(parts)) as executor, _placed(shared, executor) as there:
        call = partial(_bundle, Circumstances.here(), function)
        for records in _in_order(executor, call, there, tasks, parts, stage, parallel):
            yield from records


def _opened(parallel: Parallel) -> Checkpoint:
    if isinstance(parallel.checkpoint, Checkpoint):
        return parallel.checkpoint
    raise TypeError(
        f"a checkpoint must be opened before work is shared; got the path {parallel.checkpoint!r}. "
        "Use `with parallel.resumed(...) as opened:`."
    )


def bundles(n_tasks: int, work: float, size: float | None = None) -> list[slice]:
    """Split tasks of equal cost into bundles, depending only on their number and cost."""
    share = (size or BUNDLE) * n_tasks / work if math.isfinite(work) and work > 0 else 1.0
    each = max(1, math.ceil(share), math.ceil(n_tasks / MOST_BUNDLES))
    return spans(n_tasks, each)


def is_dask(executor: Any) -> bool:
    """Return whether an executor is a Dask client, or was created by one."""
    return type(executor).__module__.startswith("distributed.")


def _bundle(
    there: Circumstances,
    function: Callable[[Any, Task], Record],
    shared: Any,
    tasks: Sequence[Task],
) -> list[Record]:
    with there.restored():
        thing = shared.load() if isinstance(shared, Spilled) else shared
        return [_wanted(function, thing, task) for task in tasks]


def _wanted(function: Callable[[Any, Task], Record], thing: Any, task: Task) -> Record:
    still_wanted()
    return function(thing, task)


@contextmanager
def _executor(parallel: Parallel, n_bundles: int) -> Iterator[Executor]:
    given: Any = parallel.executor
    if given is None:
        with threads(max(1, min(count_jobs(parallel.n_jobs), n_bundles))) as pool:
            yield pool
    elif is_dask(given) and hasattr(given, "get_executor"):
        # not pure: an earlier result for equal arguments may be gone
        yield given.get_executor(pure=False)
    else:
        yield given


@contextmanager
def _placed(shared: Any, executor: Executor) -> Iterator[Any]:
    """Yield the object in a form that the workers of an executor can find."""
    from concurrent.futures import ThreadPoolExecutor

    if isinstance(executor, ThreadPoolExecutor):
        yield shared
        return
    with spilled(shared) as there:
        client = getattr(executor, "_client", None) if is_dask(executor) else None
        if client is None or _is_seen(client, there.path):
            yield there
        else:  # machines without a shared disk: every worker gets a copy
            yield client.scatter(shared, broadcast=True, hash=False)


def _is_seen(client: Any, path: str) -> bool:
    """Return whether every worker that answers sees a file."""
    answers = client.run(seen_by_all, path, on_error="ignore")
    return bool(answers) and all(answers.values())


def _in_order(
    executor: Executor,
    call: Callable[[Any, Sequence[Task]], list[Record]],
    there: Any,
    tasks: Sequence[Task],
    parts: list[slice],
    stage: Stage | None,
    parallel: Parallel,
) -> Iterator[list[Record]]:
    from concurrent.futures import FIRST_COMPLETED, wait

    sizes = [len(tasks[part]) for part in parts]
    kept = {} if stage is None else {i: stage.record(i, size) for i, size in enumerate(sizes)}
    ready: dict[int, list[Record]] = {i: r for i, r in kept.items() if r is not None}
    n_done = sum(len(records) for records in ready.values())
    rest = iter([i for i in range(len(parts)) if i not in ready])
    running: dict[Future[list[Record]], int] = {}
    if n_done and parallel.progress is not None:
        parallel.progress(n_done, len(tasks))
    try:
        for i in range(len(parts)):
            while i not in ready:
                for j in islice(rest, WINDOW - len(running)):
                    running[executor.submit(call, there, tasks[parts[j]])] = j
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    j = running.pop(future)
                    with _explained(parallel):
                        ready[j] = future.result()
                    if stage is not None:
                        stage.keep(j, ready[j])
                    n_done += len(ready[j])
                    if parallel.progress is not None:
                        parallel.progress(n_done, len(tasks))
            yield ready.pop(i)
    finally:
        # also if the caller or its progress callback raised: leave nothing running
        for future in running:
            future.cancel()


@contextmanager
def _explained(parallel: Parallel) -> Iterator[None]:
    from concurrent.futures import BrokenExecutor, CancelledError

    try:
        yield
    except (BrokenExecutor, CancelledError) as error:
        raise WorkersLost(_lost("a worker process died or was shut down", parallel)) from error
    except Exception as error:
        if type(error).__name__ != "KilledWorker":
            raise
        what = "a task killed every worker that ran it, usually because memory ran out"
        raise WorkersLost(_lost(what, parallel)) from error


def _lost(what: str, parallel: Parallel) -> str:
    kept = (
        "Pass a checkpoint next time, and finished work is not lost"
        if parallel.checkpoint is None
        else f"Finished work is in {_opened(parallel).path}: run again with it to continue"
    )
    return (
        f"{what}. Give the workers more memory, start fewer of them or with fewer threads, and "
        f"read their logs. {kept}"
    )
