"""Times are positive, errors shrink with the data, and both are kept."""

import numpy as np
import pytest

from calibrant import SKCE
from calibrant.kernels import Laplacian
from calibrant.paper import _stopwatch, _timings
from calibrant.paper._errors import paper_estimators
from calibrant.paper._timings import run_timings
from calibrant.paper._work_precision import BANDWIDTH, MODEL, run_work_precision, true_skce


def test_times_of_a_small_grid(tmp_path, monkeypatch, limit):
    limit(timed_runs=1)
    times = run_timings(tmp_path, resume=False, classes=(2,), sizes=(10, 17))
    assert set(times) == {(name, 2, n) for name in paper_estimators(0.3) for n in (10, 17)}
    assert all(0 < seconds < 60 for seconds in times.values())
    monkeypatch.setattr(_timings, "side_by_side", lambda *_, **__: pytest.fail("again"))
    assert run_timings(tmp_path, resume=True, classes=(2,), sizes=(10, 17)) == times


def test_the_grid_is_that_of_the_published_times(shared):
    from calibrant.paper._published import published_timings

    published = published_timings(shared / "paper" / "published")
    grid = {(name, m, n) for name in paper_estimators(0.3) for m in (2, 10, 100, 1000)
            for n in _timings.SIZES}  # fmt: skip
    assert set(published) == grid
    assert published["SKCEuq_median", 1000, 1000] == 0.176433638


def test_the_true_error_is_the_mean_of_the_unbiased_estimates():
    y_true, y_prob = MODEL.sample_many(300, 100, rng=3)
    estimates = SKCE(Laplacian(BANDWIDTH)).many(y_true, y_prob)
    error = estimates.std() / np.sqrt(len(estimates))
    assert abs(estimates.mean() - true_skce()) < 4.5 * error


def test_more_rows_are_more_precise_but_for_the_bias(tmp_path, limit):
    limit(precision_datasets=60)
    points = run_work_precision(tmp_path, seed=0, resume=False, sizes=(32, 512))
    for name in ("SKCEuq", "SKCEul", "SKCEb"):
        assert points[name, 512].error < 0.5 * points[name, 32].error
    # the bins of the ECE do not know the truth, whatever the number of rows
    assert points["ECE_uniform", 512].error > 0.8 * points["ECE_uniform", 32].error
    assert all(point.seconds > 0 for point in points.values())


def test_short_calls_are_repeated():
    calls = []
    seconds = _stopwatch.side_by_side({"short": lambda: calls.append(1)}, repeats=2)
    assert len(calls) > 100
    assert seconds["short"] > 0
