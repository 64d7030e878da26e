"""The experiment with the tests: data sets, curves, published values, tables and figures."""

import csv
import gzip
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest

from calibrant import _native
from calibrant._execution._checkpoint import CheckpointError
from calibrant.io import InputError
from calibrant.models import DirichletModel
from calibrant.paper import _tests
from calibrant.paper._deviations import Deviations
from calibrant.paper._grid import Key, draw
from calibrant.paper._published import published_curves
from calibrant.paper._simulation import Batch, Plan, work_list
from calibrant.paper._tables import write_curve_table
from calibrant.paper._tests import (
    PAPER_TESTS,
    TEST_MIXTURES,
    TEST_RUNS,
    TESTS,
    dataset_pvalues,
)
from calibrant.paper._tests_curves import LEVELS, Curve, error_curves, model_lines
from calibrant.paper._tests_figures import curve_figures, exact_twin

pytestmark = pytest.mark.slow

#: data sets of two and of ten classes; NumPy is ten times slower
N_TWO, N_TEN = (200, 40) if _native.active() else (40, 12)
#: a subset of the cells
SOME = [Batch(2, 1.0, 0, 20), Batch(2, 1.0, 20, N_TWO), Batch(10, 0.1, 0, N_TEN)]


@pytest.fixture(scope="module")
def results():
    return {batch: TEST_RUNS.compute(batch, seed=0) for batch in SOME}


@pytest.fixture(scope="module")
def curves(results):
    return error_curves(results)


@pytest.fixture(scope="module")
def published(shared):
    return published_curves(shared / "paper" / "published")


def test_the_grid_of_the_paper(published):
    assert len(PAPER_TESTS) == 12
    assert {key.name for key in published} == set(PAPER_TESTS)
    assert len(published) == 12 * 2 * 2 * 2 * 3
    assert {key.n_classes for key in published} == {2, 10}
    # labels of π = 0 do not depend on β, and the published data sets did not either
    for key in published:
        if key.pi == 0.0:
            assert np.array_equal(published[key], published[key._replace(beta="first")])


def test_a_reduced_run_agrees_with_the_published_curves(curves, published):
    # CalibrationPaper: 10⁴ data sets; ours, fewer, within 5 standard errors of both
    deviations = Deviations.of(curves, published)
    assert len(deviations.by_key) == 12 * 2 * 2 * 3
    assert deviations.n_beyond == 0, "\n".join(deviations.lines())
    # not far too close either: standard errors that are too large would hide everything
    points = np.concatenate([d[1:-1] for d in deviations.by_key.values()])
    moving = points[points != 0.0]
    assert 0.3 < np.sqrt(np.mean(moving**2)) < 2.0


def test_our_tests_hold_their_level_and_see_what_is_wrong(curves):
    for test in ("Aggregated", "Exact_SKCEuq_median", "Exact_ECE_uniform"):
        for m, alpha in ((2, 1.0), (10, 0.1)):
            level = curves[Key(test, alpha, "first", m, 0.0)]
            # level + 4.5 standard errors, at every level
            limit = LEVELS + 4.5 * np.sqrt(LEVELS * (1 - LEVELS) / level.n_datasets)
            assert np.all(level.errors <= limit)
            assert curves[Key(test, alpha, "first", m, 1.0)].errors[5] == 0.0
    # what the paper's consistency resampling does not: all calibrated models are rejected
    assert curves[Key("ECE_uniform", 0.1, "uniform", 10, 0.0)].errors[5] > 0.95
    assert curves[Key("SKCEuq_mean_distribution_free", 0.1, "first", 10, 0.5)].errors[5] == 1.0


def test_the_columns_of_a_data_set():
    data = draw(2, 1.0, TEST_MIXTURES, 40, np.random.default_rng(0))
    mean = DirichletModel(1.0, 2).mean_total_variation()
    found = dataset_pvalues(data, mean, np.random.default_rng(1))
    assert found.shape == (len(TEST_MIXTURES), len(TESTS))
    again = dataset_pvalues(data, mean, np.random.default_rng(1))
    np.testing.assert_array_equal(found, again)
    by_test = dict(zip(TESTS, found.T, strict=True))
    assert np.all(by_test["Aggregated"] >= 0.001)  # ours are never 0
    # labels that ignore the predictions, all of the first class
    worst = TEST_MIXTURES.index(_tests.Mixture("first", 1.0))
    for test in ("ECE_uniform", "SKCEuq_median_asymptotic", "SKCEuq_mean_asymptotic"):
        assert by_test[test][worst] == 0.0  # theirs are count/1000


def test_a_curve_counts_wrong_answers():
    below = np.searchsorted(np.sort([0.0, 0.05, 0.5, 1.0]), LEVELS, side="right")
    calibrated = Curve(Key("x", 1.0, "first", 2, 0.0), below, 4)
    other = Curve(Key("x", 1.0, "first", 2, 0.5), below, 4)
    assert calibrated.errors[[0, 4, 5, 50, 100]].tolist() == [0.25, 0.25, 0.5, 0.75, 1.0]
    np.testing.assert_allclose(other.errors, 1.0 - calibrated.errors)
    assert calibrated.standard_errors[5] == 0.25  # √(½·½/4)


def test_a_deviation_counts_the_errors_of_both_runs():
    key = Key("x", 1.0, "first", 2, 0.0)
    curve = Curve(key, np.full(101, 5000), 10_000)
    found = curve.deviations(np.full(101, 0.525), 40_000)
    pooled = (5000 + 21_000) / 50_000
    expected = -0.025 / np.sqrt(pooled * (1 - pooled) * (1 / 10_000 + 1 / 40_000))
    np.testing.assert_allclose(found, expected, rtol=1e-3)
    none = Curve(key, np.zeros(101, int), 100)
    assert not none.deviations(np.zeros(101), 10_000).any()


@pytest.mark.parametrize(("ours", "n", "theirs"), [(1, 60, 1), (0, 10_000, 12), (2, 200, 10)])
def test_deviations_of_rare_answers_are_no_larger_than_they_are(ours, n, theirs):
    from scipy.stats import hypergeom, norm

    curve = Curve(Key("x", 1.0, "first", 2, 0.0), np.full(101, ours), n)
    found = abs(curve.deviations(np.full(101, theirs / 10_000), 10_000)[0])
    # the exact law of the answers of one run among those of both, the tail with half its end
    law = hypergeom(n + 10_000, ours + theirs, n)
    tail = min(law.cdf(ours), law.sf(ours - 1)) - 0.5 * law.pmf(ours)
    assert found == pytest.approx(norm.isf(tail), rel=0.15)


def test_curves_count_the_pvalues_of_all_batches(results, curves):
    found = np.concatenate([results[batch] for batch in SOME[:2]])
    test = TESTS.index("SKCEul_mean_asymptotic")
    mixture = TEST_MIXTURES.index(_tests.Mixture("uniform", 0.5))
    curve = curves[Key("SKCEul_mean_asymptotic", 1.0, "uniform", 2, 0.5)]
    assert curve.n_datasets == N_TWO
    assert curve.errors[30] == 1.0 - np.mean(found[:, mixture, test] <= 0.3)


def test_a_pvalue_at_the_level_rejects():
    pvalues = np.full((2, len(TEST_MIXTURES), len(TESTS)), 50 / 1000)
    curves = error_curves({Batch(2, 1.0, 0, 2): pvalues})
    assert curves[Key("ECE_uniform", 1.0, "first", 2, 0.0)].errors[[4, 5]].tolist() == [0, 1]
    assert curves[Key("ECE_uniform", 1.0, "first", 2, 0.5)].errors[[4, 5]].tolist() == [1, 0]


@pytest.fixture
def quick(limit):
    """Few resamples, and batches of four data sets."""
    limit(paper_resamples=20, paper_batch=4)
    return {"classes": (2, 10), "alphas": (1.0,), "seed": 3}


def test_interruptions_and_threads_change_no_bit(quick, tmp_path):
    whole = TEST_RUNS.run(tmp_path / "whole", Plan(**quick, n_datasets=10, n_jobs=2))

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TEST_RUNS.run(tmp_path / "parts", Plan(**quick, n_datasets=10, n_jobs=1), stop)
    told = []
    plan = Plan(**quick, n_datasets=10, resume=True, n_jobs=1)
    parts = TEST_RUNS.run(tmp_path / "parts", plan, lambda *x: told.append(x))
    assert len(told) == 5  # of six batches
    assert list(parts) == list(whole)
    assert all(parts[batch].tobytes() == whole[batch].tobytes() for batch in whole)


def test_the_folder_of_another_experiment_is_refused(quick, tmp_path):
    TEST_RUNS.run(tmp_path, Plan(**quick, n_datasets=1, resume=True))
    with pytest.raises(CheckpointError, match="seed is '4' here and '3' there"):
        TEST_RUNS.run(tmp_path, Plan(**{**quick, "seed": 4}, n_datasets=1, resume=True))
    with pytest.raises(InputError, match="`resume=True`"):
        TEST_RUNS.run(tmp_path, Plan(**quick, n_datasets=1))


def test_the_table_has_a_row_for_every_point(curves, published, tmp_path):
    write_curve_table(tmp_path, curves, published)
    with (tmp_path / "test_errors.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(curves) * 101 == 17 * 2 * 2 * 3 * 101
    row = next(
        r for r in rows if r["test"] == "ECE_dynamic" and r["m"] == "10" and r["level"] == "0.05"
    )
    key = Key("ECE_dynamic", 0.1, row["beta"], 10, float(row["pi"]))
    assert float(row["empirical_test_error"]) == curves[key].errors[5]
    assert float(row["published"]) == published[key][5]
    assert int(row["n_datasets"]) == N_TEN
    ours = next(r for r in rows if r["test"] == "Aggregated")
    assert ours["published"] == ours["deviation_in_standard_errors"] == ""
    write_curve_table(tmp_path, curves)
    with (tmp_path / "test_errors.csv").open(encoding="utf-8") as file:
        assert "published" not in next(csv.reader(file))


def test_the_models_of_the_paper_at_five_percent(curves):
    lines = model_lines(curves)
    assert len(lines) == 1 + len(TESTS)
    assert lines[0].split()[-3:] == ["M1", "M2", "M3"]
    assert lines[1].split() == ["ECE_uniform", "1.0000", "0.0000", "0.0000"]
    few = {key: curve for key, curve in curves.items() if key.n_classes == 2}
    assert model_lines(few) == []


def test_deviations_in_words(curves, published):
    deviations = Deviations.of(curves, published)
    n_points = len(deviations.by_key) * 101
    headline = deviations.headline("points of 144 curves")
    assert headline.startswith(f"{n_points} of {n_points} points of 144 curves are within")
    head, *lines = deviations.lines()
    assert head.split()[-3:] == ["0", "0.5", "1"]
    assert len(lines) == 12 * 2 * 2
    nothing = Deviations.of(curves, {}).headline("curves")
    assert nothing == "None of the curves of this run were published."
    far = {key: np.ones(101) for key in published}
    wrong = Deviations.of(curves, far)
    assert wrong.n_beyond > 0
    assert any("!" in line for line in wrong.lines())


def test_the_figures_of_the_paper(curves, published, tmp_path):
    figures = {figure.name: figure for figure in curve_figures(curves, published)}
    # the main figure, and 12 tests × 2 pairs of α and m × 2 β of this reduced run
    assert len(figures) == 1 + 12 * 4
    main = figures["tests_comparison"].plot()
    assert len(main.axes) == 3 * 6
    first = main.axes[0]
    drawn = {line.get_label(): line.get_ydata() for line in first.get_lines()}
    key = Key("ECE_uniform", 0.1, "uniform", 10, 0.0)
    np.testing.assert_array_equal(drawn["test of the paper"], curves[key].errors)
    np.testing.assert_array_equal(
        drawn["default test"], curves[key._replace(name="Aggregated")].errors
    )
    np.testing.assert_array_equal(
        drawn["Exact"], curves[key._replace(name="Exact_ECE_uniform")].errors
    )
    np.testing.assert_array_equal(drawn["published"], published[key][::5])
    assert any(list(line.get_ydata()) == [0.0, 1.0] for line in first.get_lines())
    figure = figures["tests_SKCEb_mean_distribution_free_alpha=1_beta=first"]
    assert "mean bandwidth" in figure.title
    assert f"{N_TWO} data sets" in figure.describe()
    figure.write(tmp_path)
    svg = ElementTree.fromstring((tmp_path / f"{figure.name}.svg").read_bytes())
    text = " ".join(svg.itertext())
    assert all(word in text for word in ("m = 2", "π = 0.5", "default test", "published"))
    assert (tmp_path / f"{figure.name}.pdf").read_bytes().startswith(b"%PDF")


def test_every_test_has_an_exact_one_beside_it():
    assert {exact_twin(test) for test in PAPER_TESTS} | {"Aggregated"} == set(TESTS) - set(
        PAPER_TESTS
    )


def test_broken_published_curves_are_refused(shared, tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        published_curves(tmp_path)
    name = "test_error_curves.csv.gz"
    shutil.copy(shared / "paper" / "published" / name, tmp_path / name)
    lines = gzip.decompress((tmp_path / name).read_bytes()).decode().splitlines()
    (tmp_path / name).write_bytes(gzip.compress("\n".join(lines[:-1]).encode()))
    with pytest.raises(InputError, match=r"levels 0, 0\.01"):
        published_curves(tmp_path)
    (tmp_path / name).write_bytes(b"no archive")
    with pytest.raises(InputError, match="test_error_curves"):
        published_curves(tmp_path)


def test_work_list_and_batches_are_those_of_all_experiments():
    assert len(work_list((2, 10), (0.1, 1.0), 10_000)) == 400
