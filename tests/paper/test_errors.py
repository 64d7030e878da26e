"""The estimates of the experiment are those of the library, and agree with the published ones."""

import numpy as np
import pytest

from calibrant import ECE, SKCE
from calibrant.binning import MedianVariance, Uniform
from calibrant.kernels import Laplacian, median_bandwidth
from calibrant.models import DirichletModel
from calibrant.paper._deviations import Deviations
from calibrant.paper._errors import (
    ERROR_RUNS,
    ESTIMATORS,
    ErrorCell,
    dataset_estimates,
    error_cells,
)
from calibrant.paper._grid import MIXTURES, Key, draw
from calibrant.paper._published import published_histograms, published_means
from calibrant.paper._simulation import Plan

pytestmark = pytest.mark.slow

#: three batches of two classes
SMALL = {"classes": (2,), "alphas": (0.1,), "seed": 0}


@pytest.mark.parametrize("m", [2, 3, 12])
def test_the_estimates_are_those_of_the_library(core, m):
    data = draw(m, 0.5, MIXTURES, 51, np.random.default_rng(m))
    mean = DirichletModel(0.5, m).mean_total_variation()
    found = dataset_estimates(data, mean)
    median = median_bandwidth(data.y_prob, diagonal=True)
    errors = [ECE(Uniform(10)), ECE(MedianVariance(min_size=5))]
    for kernel in (Laplacian(median), Laplacian(mean)):
        errors += [SKCE(kernel, unbiased=False), SKCE(kernel), SKCE(kernel, block_size=2)]
    expected = [[error(y, data.y_prob) for error in errors] for y in data.labels]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    path = tmp_path_factory.mktemp("errors") / "out"
    plan = Plan(classes=(2, 10), alphas=(0.1,), n_datasets=250, seed=0, n_jobs=1)
    return error_cells(ERROR_RUNS.run(path, plan))


def test_a_reduced_run_agrees_with_the_published_means(cells, shared):
    # CalibrationPaper: means of 10⁴ data sets; ours of 250 more, within 5 standard errors of both
    published = published_means(shared / "paper" / "published")
    assert len(published) == 640
    deviations = Deviations.of(cells, published)
    assert len(deviations.by_key) == 160
    assert deviations.n_beyond == 0
    # not far too close either: standard errors that are too large would hide everything
    spread = np.sqrt(np.mean(np.square(list(deviations.by_key.values()))))
    assert 0.4 < spread < 2.0


def test_the_true_values_are_the_published_ones(cells, shared):
    import csv

    with (shared / "paper" / "published" / "errors_means.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["estimator"].startswith("ECE")]
    for row in rows:
        key = (float(row["alpha"]), row["beta"], int(row["m"]), float(row["pi"]))
        cell = cells.get(Key(row["estimator"], *key))
        if cell is not None:
            assert cell.truth == pytest.approx(float(row["true_value"]), rel=1e-9, abs=1e-15)
    uq = cells[Key("SKCEuq_mean", 0.1, "first", 10, 0.5)]
    assert cells[Key("SKCEb_mean", 0.1, "first", 10, 0.5)].truth == uq.mean


def test_published_histograms_hold_all_data_sets(shared):
    found = published_histograms(shared / "paper" / "published")
    assert len(found) == 640
    assert all(
        h.counts.sum() == 10_000 and len(h.edges) == len(h.counts) + 1 for h in found.values()
    )


def test_a_deviation_counts_the_errors_of_both_runs():
    cell = ErrorCell(Key("x", 1.0, "first", 2, 0.0), np.array([0.0, 2.0] * 50), 0.0)
    sd = np.sqrt(100 / 99)
    assert cell.mean == 1.0
    assert cell.standard_error == pytest.approx(sd / 10)
    assert cell.deviations(0.5, 100)[0] == pytest.approx(0.5 / (sd * np.sqrt(2 / 100)))
    same = ErrorCell(cell.key, np.ones(5), 0.0)
    assert same.deviations(0.5, 100)[0] == np.inf


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "out"
    return bits(ERROR_RUNS.run(path, Plan(**SMALL, n_datasets=220, n_jobs=1)))


def bits(results):
    return {batch: estimates.tobytes() for batch, estimates in results.items()}


def test_threads_change_no_bit(small, tmp_path):
    plan = Plan(**SMALL, n_datasets=220, resume=True, n_jobs=2)
    assert bits(ERROR_RUNS.run(tmp_path, plan)) == small


def test_an_interruption_loses_no_finished_batch_and_changes_no_bit(small, tmp_path):
    calls = []

    def stop(done, total):
        calls.append((done, total))
        if len(calls) == 2:
            raise KeyboardInterrupt

    options = {**SMALL, "n_datasets": 220, "n_jobs": 1}
    with pytest.raises(KeyboardInterrupt):
        ERROR_RUNS.run(tmp_path, Plan(**options), stop)
    plan = Plan(**options, resume=True)
    found = ERROR_RUNS.run(tmp_path, plan, lambda *told: calls.append(told))
    assert len(calls) == 3
    assert calls[-1][0] == calls[-1][1] < calls[0][1]
    assert bits(found) == small


def test_more_data_sets_continue_a_run(small, tmp_path):
    for n in (100, 220):
        found = ERROR_RUNS.run(tmp_path, Plan(**SMALL, n_datasets=n, resume=True, n_jobs=1))
    assert bits(found) == small


def test_cells_come_in_order(cells):
    names = list(dict.fromkeys(key.name for key in cells))
    assert names == list(ESTIMATORS)
    assert [key.pi for key in list(cells)[:5]] == [0.0, 0.25, 0.5, 0.75, 1.0]
