"""The numbers of a reliability diagram: exact intervals, exact bands, the bins of the ECE."""

import numpy as np
import pytest
from scipy.stats import binom

from calibrant import ECE, Predictions
from calibrant._engine._resampling import LabelResampler
from calibrant.binning import Binning, MedianVariance, Quantile, Uniform, reliability
from calibrant.binning._bands import clopper_pearson
from calibrant.binning._reliability import class_errors


def calibrated(seed, n, high=1.0):
    rng = np.random.default_rng(seed)
    p = high * rng.random(n)
    return Predictions((rng.random(n) < p).astype(int), p)


@pytest.mark.parametrize("hits", [0, 1, 7, 19, 20])
def test_clopper_pearson_ends_have_the_tails_of_the_binomial(hits):
    low, high = clopper_pearson([hits], [20], 0.9)
    if hits > 0:
        np.testing.assert_allclose(binom.sf(hits - 1, 20, low), 0.05, rtol=1e-9)
    if hits < 20:
        np.testing.assert_allclose(binom.cdf(hits, 20, high), 0.05, rtol=1e-9)
    assert (low[0] == 0.0) == (hits == 0)
    assert (high[0] == 1.0) == (hits == 20)


def test_clopper_pearson_of_nothing_is_unknown():
    low, high = clopper_pearson([np.nan, 1.0], [np.nan, 2.0], 0.95)
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [True, False]


def test_the_table_is_that_of_the_bins_and_of_the_ece(binary):
    predictions = Predictions(binary.y, binary.P, sample_weight=binary.w)
    table = reliability(predictions, binning=Uniform(5), rng=0)
    bins = Uniform(5).bins(predictions)
    np.testing.assert_array_equal(table.predicted, bins.mean_prediction[:, 1])
    np.testing.assert_array_equal(table.observed, bins.label_frequency[:, 1])
    np.testing.assert_array_equal(table.lower, bins.lower)
    gap = np.abs(table.predicted - table.observed)
    error = np.sum(bins.weight * gap) / bins.weight.sum()
    assert error == pytest.approx(ECE(Uniform(5)).estimate(predictions), rel=1e-12)


def test_bands_are_order_statistics_of_the_resampled_frequencies(binary, core):
    predictions = Predictions(binary.y, binary.P, sample_weight=binary.w)
    confidence_level, n_resamples = 0.8, 59
    table = reliability(
        predictions,
        binning=Uniform(4),
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=5,
    )
    resampler = LabelResampler.from_rng(np.random.default_rng(5), stream=3)
    labels = resampler.labels(predictions.y_prob, range(n_resamples))
    z = np.zeros((n_resamples, len(table)))
    for b in range(len(table)):
        rows = table.bins.ids == b
        w, p = binary.w[rows] / binary.w[rows].sum(), binary.P[rows, 1]
        drawn = labels[:, rows] @ w
        # ranks 6 of 59 from either end: each end is passed with probability 6/60
        np.testing.assert_allclose(table.bin_low[b], np.sort(drawn)[5], rtol=1e-12)
        np.testing.assert_allclose(table.bin_high[b], np.sort(drawn)[-6], rtol=1e-12)
        scale = np.sqrt(np.sum(w**2 * p * (1 - p)) + w.max() ** 2)
        z[:, b] = np.abs(drawn - np.sum(w * p)) / scale
    critical = np.sort(z.max(axis=1))[47]  # the 48th of 59: passed with probability 12/60
    for b in range(len(table)):
        rows = table.bins.ids == b
        w, p = binary.w[rows] / binary.w[rows].sum(), binary.P[rows, 1]
        half = critical * np.sqrt(np.sum(w**2 * p * (1 - p)) + w.max() ** 2)
        np.testing.assert_allclose(table.band_low[b], max(0, np.sum(w * p) - half), atol=1e-12)
        np.testing.assert_allclose(table.band_high[b], min(1, np.sum(w * p) + half), rtol=1e-12)


def test_bands_of_a_calibrated_model_keep_their_level():
    # 400 data sets; standard error of a share of .9: .015; ties make the bands conservative
    runs = [reliability(calibrated(seed, 60), n_resamples=99, confidence_level=0.9, rng=seed,
                        binning=Uniform(6)) for seed in range(400)]  # fmt: skip
    together = np.mean([np.all(table.outside == 0) for table in runs])
    single = np.mean(
        np.concatenate([(t.observed >= t.bin_low) & (t.observed <= t.bin_high) for t in runs])
    )
    assert 0.9 - 3 * 0.015 < together < 0.9 + 3 * 0.015 + 0.02
    assert single > 0.9 - 3 * 0.015


def test_frequencies_beyond_noise_are_outside():
    p = np.repeat([0.1, 0.5, 0.9], 200)
    y = np.repeat([1, 0, 1], 200)
    y[200:300], y[400:420] = 1, 0
    table = reliability(y, p, binning=Uniform(3), rng=0)
    assert table.outside.tolist() == [1, 0, 0]
    assert reliability(1 - y, p, binning=Uniform(3), rng=0).outside.tolist() == [-1, 0, -1]


def test_certain_predictions_have_no_band():
    table = reliability([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], binning=Uniform(2), rng=0)
    np.testing.assert_array_equal(table.bin_low, [0.0, 1.0])
    np.testing.assert_array_equal(table.bin_high, [0.0, 1.0])
    assert table.outside.tolist() == [0, 0]
    assert reliability([1, 0], [0.0, 1.0], binning=Uniform(2), rng=0).outside.tolist() == [1, -1]


def test_bins_without_weight_are_unknown():
    table = reliability([0, 1, 1], [0.1, 0.2, 0.9], sample_weight=[1, 1, 0], rng=0,
                        binning=Uniform(2))  # fmt: skip
    assert np.isnan([table.observed[1], table.interval_low[1], table.band_high[1]]).all()
    assert table.outside.tolist() == [0, 0]
    assert table.to_dict()["observed"] == [0.5, None]


def test_bins_of_any_binning_have_edges(binary):
    predictions = Predictions(binary.y, binary.P)
    table = reliability(predictions, binning=MedianVariance(min_size=5), rng=0)
    for b in range(len(table)):
        inside = predictions.y_prob[table.bins.ids == b, 1]
        assert (table.lower[b], table.upper[b]) == (inside.min(), inside.max())


def test_blocks_of_resamples_do_not_change_the_bands(limit, binary):
    predictions = Predictions(binary.y, binary.P)
    whole = reliability(predictions, rng=3)
    limit(band_labels=100)
    parts = reliability(predictions, rng=3)
    np.testing.assert_array_equal(parts.band_low, whole.band_low)
    np.testing.assert_array_equal(parts.bin_high, whole.bin_high)


def test_class_errors_are_those_of_one_against_the_rest(ternary):
    predictions = Predictions(ternary.y, ternary.P, sample_weight=ternary.w)
    for binning in (Uniform(4), Quantile(3)):
        expected = [ECE(binning).estimate(predictions.one_vs_rest(c)) for c in range(3)]
        np.testing.assert_allclose(class_errors(predictions, binning), expected, rtol=1e-12)


def test_arrays_are_read_only(binary):
    table = reliability(binary.y, binary.P, rng=0)
    assert not any(v.flags.writeable for v in vars(table).values() if isinstance(v, np.ndarray))


def test_what_makes_no_sense_is_refused(ternary, binary):
    with pytest.raises(ValueError, match=r"needs two classes; got 3.*top_label"):
        reliability(ternary.y, ternary.P)
    with pytest.raises(ValueError, match=r"`confidence_level` must be in \(0, 1\)"):
        reliability(binary.y, binary.P, confidence_level=95)
    with pytest.raises(ValueError, match=r"`n_resamples` of a 95 % band.*\[39, "):
        reliability(binary.y, binary.P, n_resamples=38)
    with pytest.raises(ValueError, match="`binning` must be a binning"):
        reliability(binary.y, binary.P, binning=15)
    assert isinstance(reliability.__kwdefaults__["binning"], Binning)


def test_the_band_of_all_bins_holds_the_band_of_each():
    for seed in range(20):
        table = reliability(calibrated(seed, 60, 0.3), n_resamples=99, rng=seed)
        assert np.all(table.band_low <= table.bin_low)
        assert np.all(table.bin_high <= table.band_high)
