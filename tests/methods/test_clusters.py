"""Tests of clustered rows: which null is used, its level, and what is refused."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant.errors import DataError
from calibrant.methods import Aggregated, BetweenClusters, Exact


def copies(n_clusters, size, m=3, seed=0, temperature=1.0):
    """Return rows that are copies of one row in every cluster: full dependence."""
    model = cal.models.TemperatureModel(0.5, m, temperature=temperature)
    y, p = model.sample(n_clusters, rng=seed)
    index = np.repeat(np.arange(n_clusters), size)
    return y[index], p[index], index


@pytest.mark.parametrize("method", [Aggregated(99), Exact(99)])
def test_single_rows_have_the_bits_of_the_test_without_clusters(method):
    y, p = cal.models.M2(3).sample(80, rng=0)
    plain, alone = (
        cal.calibration_test(y, p, clusters=ids, method=method, rng=0, effects=False)
        for ids in (None, np.arange(80))
    )
    assert alone.pvalue == plain.pvalue
    np.testing.assert_array_equal(alone.null_distribution, plain.null_distribution)
    assert alone.details["clusters"]["null"] == "independent labels"
    if isinstance(method, Aggregated):
        assert "exact" in str(alone)


def test_no_dependence_has_the_bits_of_the_test_without_clusters():
    y = np.tile([0, 1], 40)  # every cluster has both labels
    p = np.full((80, 2), 0.5)
    plain = cal.calibration_test(y, p, method=Aggregated(99), rng=0, effects=False)
    clustered = cal.calibration_test(
        y, p, clusters=np.arange(80) // 2, method=Aggregated(99), rng=0, effects=False
    )
    assert clustered.statistic == plain.statistic
    np.testing.assert_array_equal(clustered.null_distribution, plain.null_distribution)
    assert "exact" not in str(clustered)


def test_the_result_says_which_null_was_used():
    y, p, index = copies(40, 4)
    result = cal.calibration_test(y, p, clusters=index, method=Aggregated(99), rng=0)
    clusters = result.details["clusters"]
    assert clusters["n_clusters"] == 40
    assert clusters["null"] == "coupled labels"
    assert clusters["coupling"] == pytest.approx(1.0, abs=0.3)
    assert clusters["coupling_used"] >= clusters["coupling"]
    assert clusters["design_effect"] == pytest.approx(4.0)
    text = str(result)
    assert "160 rows in 40 clusters" in text
    assert "design effect 4" in text
    assert "exact" not in text
    assert cal.CalibrationTestResult.from_dict(result.to_dict()).details["clusters"] == clusters


@pytest.mark.parametrize("m", [2, 10])
def test_copies_of_rows_are_not_counted_as_evidence(m):
    naive, clustered = 0, 0
    for seed in range(40):
        y, p, index = copies(30, 10, m, seed)
        for ids in (None, index):
            result = cal.calibration_test(
                y, p, clusters=ids, method=Aggregated(39), rng=seed, effects=False
            )
            if ids is None:
                naive += result.pvalue <= 0.05
            else:
                clustered += result.pvalue <= 0.05
    # a level of .065 rejects 9 or more of 40 with probability .001
    assert naive > 12
    assert clustered <= 8


def test_errors_of_all_clusters_are_found():
    y, p, index = copies(150, 4, 3, 1, temperature=3.0)
    for method in (Aggregated(99), Exact(99), BetweenClusters(99)):
        result = cal.calibration_test(y, p, clusters=index, method=method, rng=0, effects=False)
        assert result.pvalue <= 0.05


def test_threads_cores_and_executors_draw_the_same_label_sets():
    from concurrent.futures import ThreadPoolExecutor

    from calibrant import _native

    y, p, index = copies(50, 3, 4, 2)

    def statistic(**options):
        return cal.calibration_test(
            y, p, clusters=index, method=Aggregated(39), rng=0, effects=False, **options
        )

    one = statistic(n_jobs=1)
    assert statistic(n_jobs=2).statistic == one.statistic
    with ThreadPoolExecutor(2) as executor:
        assert statistic(executor=executor).statistic == one.statistic
    with _native.using("numpy"):
        assert statistic().pvalue == one.pvalue


def test_a_checkpoint_of_other_clusters_is_refused(tmp_path):
    y, p, index = copies(50, 3, 4, 2)
    path = tmp_path / "kept"
    options = {"method": Exact(39), "rng": 0, "effects": False, "checkpoint": str(path)}
    cal.calibration_test(y, p, clusters=index, **options)
    with pytest.raises(cal.errors.CheckpointError):
        cal.calibration_test(y, p, clusters=index // 2, **options)


def test_few_clusters_are_refused():
    y, p, index = copies(9, 5)
    for method in (Aggregated(19), Exact(19), BetweenClusters(19)):
        with pytest.raises(DataError, match="at least 10 clusters; got 9"):
            cal.calibration_test(y, p, clusters=index, method=method, rng=0)
    with pytest.raises(DataError, match="at least 10 clusters; got 9"):
        cal.where(y, p, clusters=index, n_resamples=19, rng=0)
    assert cal.binning.reliability(Predictions(y, p, clusters=index).top_label(), rng=0)


@pytest.mark.parametrize(
    "method",
    [
        cal.methods.Moments(),
        cal.methods.Asymptotic(),
        cal.methods.DistributionFree(),
        cal.methods.Consistency(19),
    ],
)
def test_methods_for_independent_rows_refuse_clusters(method):
    y, p, index = copies(20, 2)
    with pytest.raises(DataError, match="treats rows as independent"):
        cal.calibration_test(y, p, clusters=index, method=method, rng=0)
    rows = Predictions(y[::2], p[::2], clusters=np.arange(20))
    assert cal.calibration_test(rows, method=method, rng=0, effects=False).pvalue <= 1.0


def test_signs_need_clusters():
    with pytest.raises(DataError, match="needs clusters"):
        cal.calibration_test([0, 1] * 10, [0.5] * 20, method=BetweenClusters(19), rng=0)


def test_signs_are_those_of_literal_sums():
    from calibrant.methods import _between_clusters as part

    y, p, index = copies(12, 3, 3, 4)
    rows = Predictions(y, p, clusters=index)
    h = cal.kernels.Laplacian(cal.estimators.default_bandwidth(p))(p, p)
    r = rows.residuals
    h = h * (r @ r.T)
    codes = rows.cluster_index
    signs = part._signs(np.random.default_rng(0), 12, 5)
    expected = [
        sum(s[codes[i]] * s[codes[j]] * h[i, j] for i in range(36) for j in range(36)
            if codes[i] != codes[j])
        for s in signs
    ]  # fmt: skip
    np.testing.assert_allclose(part._kernel_statistics(rows, codes, signs), expected, rtol=1e-9)


def test_a_cluster_with_most_of_the_rows_is_noted():
    y, p = cal.models.M1(3).sample(100, rng=0)
    ids = np.r_[np.zeros(70, dtype=int), np.arange(1, 31)]
    result = cal.calibration_test(y, p, clusters=ids, method=Aggregated(19), rng=0)
    assert any("one cluster has 70 % of the rows" in note for note in result.notes)


def test_repeated_predictions_are_noted_unless_clusters_are_named():
    rng = np.random.default_rng(0)
    p = np.repeat(rng.random(60), [3] * 10 + [1] * 50)
    y = (rng.random(len(p)) < p).astype(int)
    ids = np.repeat(np.arange(60), [3] * 10 + [1] * 50)
    plain = cal.calibration_test(y, p, method=Aggregated(19), rng=0)
    assert any("30 rows have exactly the prediction" in note for note in plain.notes)
    named = cal.calibration_test(y, p, clusters=ids, method=Aggregated(19), rng=0)
    assert not any("prediction of another row" in note for note in named.notes)
    rounded = cal.calibration_test(y, p.round(2), method=Aggregated(19), rng=0)
    assert not any("prediction of another row" in note for note in rounded.notes)


@pytest.mark.parametrize(("order", "count"), [("together", 180), ("shuffled", 0)])
def test_rows_that_all_repeat_are_noted_where_equal_ones_are_neighbors(order, count):
    p = np.repeat(np.random.default_rng(0).random(60), 3)
    if order == "shuffled":  # as the leaves of a tree
        p = np.random.default_rng(1).permutation(p)
    rows = Predictions(np.zeros(180, dtype=int), p)
    assert cal.effects.repeated_rows(rows) == count


def test_the_dependence_is_shown_with_its_error():
    y, p, index = copies(60, 5)
    result = cal.calibration_test(y, p, clusters=index, method=Aggregated(19), rng=0, effects=False)
    error = result.details["clusters"]["coupling_squared_error"]
    assert 0.0 < error < 0.5
    assert f"(λ² ± {error:.3g})" in result.summary()
