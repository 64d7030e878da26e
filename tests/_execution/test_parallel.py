import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import pytest

from calibrant import _native
from calibrant._execution._parallel import WINDOW, Parallel, count_jobs, run


class Recorder(ThreadPoolExecutor):
    """An executor that remembers what it was given."""

    def __init__(self, workers=2):
        super().__init__(workers)
        self.futures = []

    def submit(self, *args, **kwargs):
        future = super().submit(*args, **kwargs)
        self.futures.append(future)
        return future


def slow_start(task):
    """Early tasks finish last."""
    time.sleep(0.02 if task < 2 else 0.0)
    return 10 * task


def steady(task):
    """Slow enough that some tasks still wait when the first answers are there."""
    time.sleep(0.01)
    return task


def ways(executor):
    return [{"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": None}, {"executor": executor}]


def test_answers_come_in_the_order_of_the_tasks():
    with ThreadPoolExecutor(3) as executor:
        for way in ways(executor):
            assert list(run(slow_start, range(7), Parallel(**way))) == [10 * t for t in range(7)]


@pytest.mark.parametrize("count", [0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 3 * WINDOW])
def test_any_number_of_tasks(count):
    with ThreadPoolExecutor(2) as executor:
        for way in ways(executor):
            assert list(run(abs, range(count), Parallel(**way))) == list(range(count))


def test_progress_is_told_in_order_before_each_answer():
    with ThreadPoolExecutor(2) as executor:
        for way in ways(executor):
            calls, seen = [], []
            told = partial(lambda calls, *call: calls.append(call), calls)
            for record in run(slow_start, range(5), Parallel(progress=told, **way)):
                seen.append(record)
                assert len(calls) == len(seen)
            assert calls == [(k, 5) for k in range(1, 6)]


def test_one_job_stays_on_the_calling_thread():
    here = threading.get_ident()
    assert set(run(lambda _: threading.get_ident(), range(4), Parallel(n_jobs=1))) == {here}
    assert set(run(lambda _: threading.get_ident(), range(1), Parallel(n_jobs=4))) == {here}
    assert here not in set(run(lambda _: threading.get_ident(), range(4), Parallel(n_jobs=2)))


def fail_at_three(task):
    if task == 3:
        raise ZeroDivisionError("task 3")
    time.sleep(0.002)
    return task


def test_an_exception_in_a_task_reaches_the_caller():
    with ThreadPoolExecutor(2) as executor:
        for way in ways(executor):
            done = []
            with pytest.raises(ZeroDivisionError, match="task 3"):
                done.extend(run(fail_at_three, range(50), Parallel(**way)))
            assert done == [0, 1, 2]


def test_an_exception_in_a_task_cancels_what_waits():
    with Recorder() as executor:
        with pytest.raises(ZeroDivisionError):
            list(run(fail_at_three, range(200), Parallel(executor=executor)))
        assert len(executor.futures) < 200
        assert any(future.cancelled() for future in executor.futures)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interruption_of_the_callback_cancels_what_waits(error):
    def interrupt(done, total):
        if done == 2:
            raise error

    with Recorder() as executor:
        with pytest.raises(error) as caught:
            list(run(steady, range(200), Parallel(executor=executor, progress=interrupt)))
        # the traceback is still held: the cancelling must not wait for its end
        assert any(future.cancelled() for future in executor.futures)
        del caught
    started = []
    with pytest.raises(error):
        list(run(started.append, range(200), Parallel(n_jobs=2, progress=interrupt)))
    assert len(started) < 200


def test_closing_early_cancels_what_waits():
    with Recorder() as executor:
        answers = run(steady, range(200), Parallel(executor=executor))
        assert next(answers) == 0
        answers.close()
        assert any(future.cancelled() for future in executor.futures)


def test_a_bounded_number_of_tasks_is_handed_over_ahead():
    class Lazy:
        """Tells how many tasks wait; answers at once when asked."""

        def __init__(self):
            self.given = 0

        def submit(self, function, task):
            self.given += 1
            future = Future()
            future.set_result(function(task))
            return future

    executor = Lazy()
    answers = run(abs, range(1000), Parallel(executor=executor))
    for k in range(5):
        next(answers)
        assert executor.given <= WINDOW + k


def core_name(_):
    return _native.core_info()["core"]


def test_the_chosen_core_computes_on_every_thread(core):
    with ThreadPoolExecutor(2) as executor:
        for way in ways(executor):
            assert set(run(core_name, range(4), Parallel(**way))) == {core}
        # and is forgotten afterwards
        assert executor.submit(core_name, 0).result() == executor.submit(core_name, 0).result()


def test_threads_are_counted_or_refused():
    assert count_jobs(3) == 3
    assert count_jobs(None) == count_jobs(-1) >= 1
    if hasattr(os, "sched_getaffinity"):
        assert count_jobs(None) == len(os.sched_getaffinity(0))
    for n_jobs in (0, -2, 1.5, True, "2"):
        with pytest.raises(ValueError, match=r"`n_jobs` must be a positive integer, or None.*got"):
            count_jobs(n_jobs)
        with pytest.raises(ValueError, match="`n_jobs`"):
            list(run(abs, range(3), Parallel(n_jobs=n_jobs)))
