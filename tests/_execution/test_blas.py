import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from calibrant._execution._blas import single_threaded_blas
from calibrant._execution._parallel import Parallel, run


def blas_threads(_=None):
    return [
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    ]


@pytest.fixture
def several():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = blas_threads()
    if not before or max(before) < 2:
        pytest.skip("this NumPy has one BLAS thread anyway")
    return before


def test_blas_has_one_thread_inside_and_its_own_number_after(several):
    with single_threaded_blas():
        assert set(blas_threads()) == {1}
    assert blas_threads() == several


def test_overlapping_blocks_restore_the_number_only_at_the_end(several):
    first, second = single_threaded_blas(), single_threaded_blas()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == several


def test_an_error_inside_takes_the_limit_back(several):
    with pytest.raises(ZeroDivisionError), single_threaded_blas():
        1 / 0  # noqa: B018
    assert blas_threads() == several


def test_tasks_on_threads_have_one_blas_thread_each(several):
    assert {n for counts in run(blas_threads, range(4), Parallel(2)) for n in counts} == {1}
    assert blas_threads() == several


def test_blocks_on_many_threads_leave_the_number_as_it_was(several):
    def enter():
        for _ in range(50):
            with single_threaded_blas():
                pass

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert blas_threads() == several


def test_any_thread_may_set_the_limit_whoever_set_it_before(several):
    def limited():
        with single_threaded_blas():
            return blas_threads()

    limited()
    with ThreadPoolExecutor(1) as pool:
        assert set(pool.submit(limited).result()) == {1}
    assert blas_threads() == several
