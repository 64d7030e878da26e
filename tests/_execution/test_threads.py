import threading
from time import sleep

import pytest

from calibrant._execution import Checkpoint, Parallel, Ticker, run, run_shared
from calibrant._execution._threads import AbandonedError, still_wanted, threads

#: steps of a hundredth of a second: ten seconds, were nobody to end them
LONG = 1000


def interrupt(futures, task):
    """Leave a pool by an exception while a task runs in it."""
    started = threading.Event()
    with threads(2) as pool:
        futures.append(pool.submit(task, started))
        started.wait(5)
        raise KeyboardInterrupt


def test_an_exception_ends_running_tasks():
    steps, futures = [], []

    def task(started):
        started.set()
        for step in range(LONG):
            still_wanted()
            steps.append(step)
            sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        interrupt(futures, task)
    assert isinstance(futures[0].exception(), AbandonedError)
    assert len(steps) < LONG


def test_without_one_tasks_run_to_their_end():
    with threads(1) as pool:
        future = pool.submit(lambda: [still_wanted() for _ in range(3)])
    assert future.result() == [None] * 3
    still_wanted()  # outside of such threads it does nothing


@pytest.mark.parametrize("way", ["run", "run_shared", "ticker"])
def test_whoever_stops_listening_waits_for_one_step_only(way):
    steps = []

    def task(number):
        step = Ticker(None, LONG).tick if way == "ticker" else still_wanted
        for _ in range(LONG if number else 1):
            steps.append(number)
            step()
            sleep(0.01)
        return number

    if way == "run_shared":
        records = run_shared(lambda _, t: task(t), None, [0, 1, 2], Parallel(2, bundle=1), 1e12)
    else:
        records = run(task, [0, 1, 2], Parallel(2))
    assert next(records) == 0
    records.close()
    assert len(steps) < LONG


def test_tasks_of_a_bundle_are_steps(tmp_path):
    done = []

    def task(_, number):
        done.append(number)
        sleep(0.01 if number >= LONG else 0.0)
        return float(number)

    with Checkpoint(tmp_path / "kept", {}) as kept:
        # two bundles of LONG tasks: the first are quick, the others are not waited for
        parallel = Parallel(2, checkpoint=kept, bundle=1.0)
        records = run_shared(task, None, range(2 * LONG), parallel, 2.0)
        assert next(records) == 0.0
        records.close()
    assert len(done) < 2 * LONG
