"""Limits apply to a block of code and to all tasks that it starts, wherever they run."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from threading import Barrier

import pytest

from calibrant._execution import Limits, Parallel, limited, limits, run, run_shared


def chunk_rows(task):
    return limits().chunk_rows


def shared_chunk_rows(shared, task):
    return limits().chunk_rows


def seen(parallel):
    return {
        *run(chunk_rows, range(4), parallel),
        *run_shared(shared_chunk_rows, None, range(4), parallel),
    }


def test_limits_hold_inside_their_block_only():
    assert limits() == Limits()
    with limited(chunk_rows=3):
        with limited(segment_rows=7):
            assert limits() == Limits(chunk_rows=3, segment_rows=7)
        assert limits() == Limits(chunk_rows=3)
    assert limits() == Limits()


def test_there_is_no_limit_of_another_name():
    with pytest.raises(TypeError, match="chunk_row"):
        limited(chunk_row=3)


@pytest.mark.parametrize("jobs", [1, 2])
def test_tasks_on_threads_see_the_limits_of_their_caller(jobs):
    with limited(chunk_rows=3):
        assert seen(Parallel(jobs)) == {3}


@pytest.mark.parametrize(
    "pool", [ThreadPoolExecutor, pytest.param(ProcessPoolExecutor, marks=pytest.mark.slow)]
)
def test_tasks_on_workers_see_the_limits_of_their_caller(pool):
    with pool(2) as executor:
        assert seen(Parallel(executor=executor)) == {Limits.chunk_rows}
        with limited(chunk_rows=3):
            assert seen(Parallel(executor=executor)) == {3}
        assert seen(Parallel(executor=executor)) == {Limits.chunk_rows}


def test_threads_do_not_see_the_limits_of_each_other():
    together = Barrier(2, timeout=10)

    def look(rows):
        with limited(chunk_rows=rows):
            together.wait()
            found = limits().chunk_rows
            together.wait()
        return found

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(look, (3, 5))) == [3, 5]
