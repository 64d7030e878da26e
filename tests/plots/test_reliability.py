"""Reliability diagrams draw the numbers of the library, of the class that was asked for."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import ECE, Predictions
from calibrant.binning import MedianVariance, Quantile, Uniform, reliability
from calibrant.estimators import corp_curve, corp_decomposition
from calibrant.plots import (
    ClasswiseReliabilityDisplay,
    ReliabilityComparisonDisplay,
    ReliabilityDisplay,
)

from .conftest import FEW, sample


@pytest.fixture(scope="module")
def predictions():
    y, P = sample(4, n=500)
    return Predictions(y, P, classes=["a", "b", "c", "d"])


def points(drawing, names=("inside", "below", "above")):
    lines = [drawing.artists[name].get_xydata() for name in names if name in drawing.artists]
    return np.concatenate(lines)


def box_ends(boxes):
    corners = np.array([path.vertices for path in boxes.get_paths()])
    return (
        corners[:, :4, 0].min(1),
        corners[:, :4, 0].max(1),
        corners[..., 1].min(1),
        (corners[..., 1].max(1)),
    )


def test_points_boxes_bars_and_counts_are_those_of_the_table(predictions):
    top = predictions.top_label()
    table = reliability(top, n_resamples=FEW, rng=0)
    drawing = ReliabilityDisplay.from_predictions(
        predictions, binning=Uniform(15), n_resamples=FEW, rng=0
    ).plot()
    drawn = points(drawing)
    drawn = drawn[np.argsort(drawn[:, 0])]
    np.testing.assert_array_equal(drawn, np.column_stack([table.predicted, table.observed]))
    for name, low, high in (
        ("all_bins", table.band_low, table.band_high),
        ("each_bin", table.bin_low, table.bin_high),
    ):
        left, right, bottom, up = box_ends(drawing.artists[name])
        np.testing.assert_allclose(left, table.lower, atol=1e-12)
        np.testing.assert_allclose(right, table.upper, atol=1e-12)
        np.testing.assert_allclose(bottom, low, atol=2e-3)
        np.testing.assert_allclose(up, high, atol=2e-3)
    segments = np.array(drawing.artists["intervals"].get_segments())
    np.testing.assert_array_equal(segments[:, 0, 0], table.predicted)
    np.testing.assert_array_equal(segments[:, 0, 1], table.interval_low)
    np.testing.assert_array_equal(segments[:, 1, 1], table.interval_high)
    bars = drawing.artists["counts"]
    assert [bar.get_height() for bar in bars] == table.bins.count.tolist()
    assert [bar.get_x() for bar in bars] == table.lower.tolist()


def test_shapes_say_on_which_side_of_the_band_a_bin_is():
    p = np.repeat([0.1, 0.5, 0.9], 200)
    y = np.repeat([1, 0, 0], 200)
    y[200:300] = 1
    display = ReliabilityDisplay.from_predictions(y, p, binning=Uniform(3), rng=0)
    artists = display.plot().artists
    assert artists["above"].get_xydata().round(12).tolist() == [[0.1, 1.0]]
    assert artists["inside"].get_xydata().round(12).tolist() == [[0.5, 0.5]]
    assert artists["below"].get_xydata().round(12).tolist() == [[0.9, 0.0]]
    markers = {artists[name].get_marker() for name in ("above", "inside", "below")}
    assert len(markers) == 3
    assert "1 occurs less often than predicted, 1 occurs more often" in display.describe()


def test_the_ece_is_the_one_beside_every_test(predictions):
    display = ReliabilityDisplay.from_predictions(predictions, n_resamples=FEW, rng=0)
    result = cal.calibration_test(predictions, rng=0)
    assert display.ece == result.effects["ece"].estimate
    assert f"ECE {display.ece:.3g}" in display.plot().ax.get_title(loc="left")


def test_the_default_is_the_predicted_label_of_many_and_the_last_of_two(predictions):
    assert ReliabilityDisplay.from_predictions(predictions, n_resamples=FEW).label is None
    y, P = sample(2, n=50)
    two = ReliabilityDisplay.from_predictions(y, P, n_resamples=FEW, rng=0)
    assert two.label == 1
    one_column = ReliabilityDisplay.from_predictions(y, P[:, 1], n_resamples=FEW, rng=0)
    for name, column in two.table().items():
        np.testing.assert_allclose(column, one_column.table()[name], rtol=1e-12, err_msg=name)
    top = ReliabilityDisplay.from_predictions(Predictions(y, P).top_label(), n_resamples=FEW)
    assert top.label is None
    assert top.reliability.predicted.min() >= 0.5


def test_one_class_is_looked_at_against_the_rest(predictions):
    display = ReliabilityDisplay.from_predictions(
        predictions, label="c", binning=Uniform(15), n_resamples=FEW, rng=0
    )
    view = predictions.one_vs_rest("c")
    np.testing.assert_array_equal(
        display.reliability.observed, Uniform(15).bins(view).label_frequency[:, 1]
    )
    assert display.title == "Reliability of class c"
    with pytest.raises(ValueError, match="class must be one of"):
        ReliabilityDisplay.from_predictions(predictions, label="e")


@pytest.mark.parametrize("binning", [Uniform(100), Quantile(4), MedianVariance(50)])
def test_every_binning_can_be_drawn(predictions, binning):
    display = ReliabilityDisplay.from_predictions(
        predictions, binning=binning, n_resamples=FEW, rng=0
    )
    assert len(points(display.plot())) == len(display.reliability)


def test_empty_bins_are_gaps_and_bins_without_weight_have_no_point():
    display = ReliabilityDisplay.from_predictions(
        [0, 1, 1],
        [0.05, 0.95, 0.5],
        sample_weight=[1, 1, 0],
        binning=Uniform(15),
        n_resamples=FEW,
        rng=0,
    )
    drawing = display.plot()
    assert len(points(drawing)) == 2
    assert len(drawing.artists["all_bins"].get_paths()) == 2
    assert len(drawing.artists["counts"]) == 3
    assert display.table()["observed"] == [0.0, None, 1.0]


def test_parts_can_be_left_out(predictions):
    display = ReliabilityDisplay.from_predictions(predictions, n_resamples=FEW, rng=0)
    drawing = display.plot(bands=False, intervals=False, counts=False)
    assert set(drawing.artists) <= {"inside", "below", "above", "curve", "curve_below"}
    assert len(drawing.axes) == 1
    assert drawing.ax.get_xlabel()


def test_one_row_is_enough():
    display = ReliabilityDisplay.from_predictions([1], [0.7], n_resamples=FEW, rng=0)
    assert display.describe().startswith("The one step lies within what noise explains.")
    display.plot()


def test_panels_are_the_diagrams_of_the_classes(predictions):
    display = ClasswiseReliabilityDisplay.from_predictions(
        predictions, binning=Uniform(15), n_resamples=FEW, rng=0
    )
    assert [panel.label for panel in display.panels] == ["a", "b", "c", "d"]
    drawing = display.plot()
    for panel, ax in zip(display.panels, drawing.axes[1:], strict=False):
        drawn = np.concatenate([line.get_xydata() for line in ax.lines[1:]])
        drawn = drawn[np.argsort(drawn[:, 0])]
        np.testing.assert_array_equal(drawn[:, 1], panel.reliability.observed)
        assert panel.ece == ECE(Uniform(15)).estimate(predictions.one_vs_rest(panel.label))
    assert len(display.table()["class"]) == sum(len(p.reliability) for p in display.panels)


def test_of_many_classes_the_worst_are_shown():
    y, P = sample(30, n=400)
    display = ClasswiseReliabilityDisplay.from_predictions(
        y, P, max_classes=5, n_resamples=FEW, rng=0
    )
    predictions = Predictions(y, P)
    errors = [ECE(Uniform(15)).estimate(predictions.one_vs_rest(c)) for c in range(30)]
    worst = sorted(range(30), key=lambda c: -errors[c])[:5]
    assert [panel.label for panel in display.panels] == worst
    assert display.title == "Reliability of the 5 worst of 30 classes"
    assert len(display.plot().axes) == 1 + 2 * 5
    with pytest.raises(ValueError, match="`max_classes` must be at least 1; got 0"):
        ClasswiseReliabilityDisplay.from_predictions(y, P, max_classes=0)


def test_curve_band_and_steps_are_those_of_the_table(predictions):
    curve = corp_curve(predictions.top_label(), n_resamples=FEW, rng=0)
    display = ReliabilityDisplay.from_predictions(predictions, n_resamples=FEW, rng=0)
    artists = display.plot().artists
    assert display.table() == curve.to_dict()
    drawn = artists["curve"].get_xydata()
    for x, y in drawn:  # every corner is a point of the curve
        [k] = np.flatnonzero(curve.band.predicted == x)
        assert curve.band.observed[k] == y
    assert sorted(set(drawn[:, 1])) == sorted(set(curve.observed))
    steps = points(artists_of(artists))
    np.testing.assert_array_equal(np.sort(steps[:, 0]), np.sort(curve.at))
    for name, low, high in (
        ("all_steps", curve.band.all_low, curve.band.all_high),
        ("each_step", curve.band.low, curve.band.high),
    ):
        corners = np.concatenate([path.vertices for path in artists[name].get_paths()])
        known = np.isin(corners[:, 0], curve.band.predicted)
        assert known.sum() > 10
        for x, y in corners[known]:
            [k] = np.flatnonzero(curve.band.predicted == x)
            assert y in (low[k], high[k])
    parts = corp_decomposition(predictions.top_label())
    assert display.numbers()["mcb"] == parts.miscalibration


def artists_of(artists):
    return type("Drawing", (), {"artists": artists})


def test_bins_are_the_default_where_all_have_enough_rows():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    y = (rng.random(3000) < p).astype(int)
    many = ReliabilityDisplay.from_predictions(y, p, n_resamples=FEW, rng=0)
    assert many.table() == reliability(y, p, n_resamples=FEW, rng=0).to_dict()
    assert "of 15 bins" in many.describe()
    few = ReliabilityDisplay.from_predictions(y[:300], p[:300], n_resamples=FEW, rng=0)
    assert few.table() == corp_curve(y[:300], p[:300], n_resamples=FEW, rng=0).to_dict()
    with pytest.raises(ValueError, match='`binning` must be "auto", "isotonic" or a binning'):
        ReliabilityDisplay.from_predictions(y, p, binning=15)


def test_bands_have_gaps_where_there_are_no_predictions():
    p = np.r_[np.linspace(0, 0.1, 40), np.linspace(0.9, 1, 40)]
    y = (np.random.default_rng(0).random(80) < p).astype(int)
    artists = ReliabilityDisplay.from_predictions(y, p, n_resamples=FEW, rng=0).plot().artists
    corners = np.concatenate([path.vertices for path in artists["all_steps"].get_paths()])
    assert len(artists["all_steps"].get_paths()) == 2
    assert not np.any((corners[:, 0] > 0.15) & (corners[:, 0] < 0.85))


@pytest.mark.parametrize("binning", ["isotonic", Quantile(8)])
def test_a_logit_axis_shows_the_same_numbers(binning):
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 50.0, 2000)
    y = (rng.random(2000) < p).astype(int)
    options = {"binning": binning, "n_resamples": FEW, "rng": 0}
    linear = ReliabilityDisplay.from_predictions(y, p, scale="linear", **options)
    logit = ReliabilityDisplay.from_predictions(y, p, scale="logit", **options)
    assert linear.table() == logit.table()
    drawing = logit.plot()
    assert drawing.ax.get_xscale() == drawing.ax.get_yscale() == "logit"
    low, high = drawing.ax.get_xlim()
    assert 0.0 < low < 1e-3
    assert high < 0.9
    drawn, expected = points(drawing), points(linear.plot())
    inside = (expected > low) & (expected < high)
    inside &= drawn > drawn.min()  # what is 0 is at the end of the axis
    np.testing.assert_allclose(drawn[inside], expected[inside], rtol=1e-12)
    assert drawn.min() > low
    if binning == "isotonic":
        assert drawing.artists["counts"].get_data().values.sum() == 2000
    with pytest.raises(ValueError, match='`scale` must be "auto", "linear" or "logit"; got'):
        ReliabilityDisplay.from_predictions(y, p, scale="log")


def test_logit_axes_are_taken_where_most_rows_are_in_a_corner():
    rng = np.random.default_rng(0)
    options = {"n_resamples": FEW, "rng": 0}
    rare = rng.beta(0.2, 20.0, 4000)
    y = (rng.random(4000) < rare).astype(int)
    crowded = ReliabilityDisplay.from_predictions(y, rare, **options)
    assert np.mean(rare < 0.02) > 0.6
    assert crowded.scale == "logit"
    assert crowded.plot().axes[-1].get_xlabel() == "Predicted probability (logit axes)"
    assert crowded.describe().endswith("Logit axes spread out probabilities near 0 and 1.")
    # mirrored it is a very confident model; 100 rows hold too few events; 0.1 is not rare
    confident = ReliabilityDisplay.from_predictions(1 - y, 1.0 - rare, **options)
    few = ReliabilityDisplay.from_predictions(y[:100], rare[:100], **options)
    moderate = ReliabilityDisplay.from_predictions(y, 0.1 + 0.8 * rare, **options)
    assert [one.scale for one in (confident, few, moderate)] == ["logit", "linear", "linear"]
    binned = ReliabilityDisplay.from_predictions(y, rare, binning=Uniform(15), **options)
    assert binned.scale == "linear"
    models = {"crowded": rare, "moderate": 0.1 + 0.8 * rare}
    both = ReliabilityComparisonDisplay.from_predictions(y, models, **options)
    assert {one.scale for one in both.models.values()} == {"linear"}
    same = ReliabilityComparisonDisplay.from_predictions(y, {"crowded": rare}, **options)
    assert {one.scale for one in same.models.values()} == {"logit"}


def test_axes_that_are_given_are_drawn_into(predictions):
    from matplotlib.figure import Figure

    for kind, data in (
        (ReliabilityDisplay, predictions),
        (ClasswiseReliabilityDisplay, predictions),
        (ReliabilityComparisonDisplay, {"a": predictions, "b": predictions}),
    ):
        ax = Figure().add_subplot()
        display = kind.from_predictions(data, n_resamples=FEW, rng=0, ax=ax)
        assert isinstance(display, kind)
        assert ax.child_axes


def test_classifiers_in_one_picture_are_their_predictions():
    class Fitted:
        classes_ = (0, 1)

        def __init__(self, p):
            self.p = np.column_stack([1 - p, p])

        def predict_proba(self, X):
            return self.p[X]

    rng = np.random.default_rng(0)
    y, p, q = rng.integers(2, size=80), rng.random(80), rng.random(80)
    options = {"n_resamples": FEW, "rng": 0}
    fitted = {"a": Fitted(p), "b": Fitted(q)}
    one = ReliabilityComparisonDisplay.from_estimator(fitted, np.arange(80), y, **options)
    other = ReliabilityComparisonDisplay.from_predictions(y, {"a": p, "b": q}, **options)
    assert one.table() == other.table()


def test_models_in_one_picture_are_those_of_their_own_diagrams(predictions):
    scaled = Predictions(
        predictions.labels,
        cal.models.temperature_scale(predictions.y_prob, 1.6),
        classes=predictions.classes,
    )
    models = {"raw": predictions, "scaled": scaled}
    display = ReliabilityComparisonDisplay.from_predictions(models, n_resamples=FEW, rng=0)
    for name, model in models.items():
        own = ReliabilityDisplay.from_predictions(model, binning="isotonic", n_resamples=FEW, rng=0)
        assert display.models[name].table() == own.table()
        assert f"{name}: {own.describe()}" in display.describe()
        assert display.numbers()[f"ece({name})"] == own.ece
    rows = display.table()["model"]
    assert rows == sorted(rows)
    assert len(rows) == sum(len(one.reliability) for one in display.models.values())
    looks = {
        (display.plot().artists[f"curve_{k}"].get_color(),
         display.plot().artists[f"points_{k}"].get_marker())
        for k in range(2)
    }  # fmt: skip
    assert len(looks) == 2
    with pytest.raises(ValueError, match="1 to 3 models, more would be unreadable; got 4"):
        ReliabilityComparisonDisplay(dict.fromkeys("abcd", display.models["raw"]))
