"""Comparisons: the differences and intervals of `compare`, better on the same side."""

import math

import numpy as np
import pytest

import calibrant as cal
from calibrant._followup.compare import MEASURES
from calibrant.models import temperature_scale
from calibrant.plots import ComparedPair, ComparisonDisplay

from .conftest import sample


@pytest.fixture(scope="module")
def models():
    y, P = sample(3, n=200, temperature=3.0)
    return y, {"raw": P, "scaled": temperature_scale(P, 3.0), "half": temperature_scale(P, 1.5)}


def test_marks_and_intervals_are_those_of_the_result(models):
    result = cal.compare(*models)
    display = ComparisonDisplay.from_result(result)
    drawing = display.plot()
    titles = [ax.get_title(loc="left") for ax in drawing.axes[1:]]
    assert titles == [
        "Calibration loss",
        "Refinement",
        "Log loss",
        "SKCE",
        "Brier score",
        "Accuracy",
    ]
    for measure, ax in zip(MEASURES, drawing.axes[1:], strict=True):
        found = [d for d in result.differences if d.measure == measure]
        marks = np.concatenate([line.get_xydata() for line in ax.lines[1:]])
        marks = marks[np.argsort(marks[:, 1])]
        assert marks[:, 0].tolist() == [d.estimate for d in found]
        segments = np.concatenate([lines.get_segments() for lines in ax.collections])
        segments = segments[np.argsort(segments[:, 0, 1])]
        ends = [[d.interval.low, d.interval.high] for d in found]
        np.testing.assert_array_equal(segments[:, :, 0], ends)
        left, right = ax.get_xlim()
        assert (left > right) == (measure == "accuracy")


def test_diamonds_are_the_pairs_that_are_told_apart(models):
    result = cal.compare(*models)
    drawing = ComparisonDisplay.from_result(result).plot()
    told = sum(len(line.get_xydata()) for line in drawing.artists.get("told", []))
    assert told == sum(d.better is not None for d in result.differences) > 0
    assert all(line.get_marker() == "D" for line in drawing.artists["told"])


def test_predictions_and_estimators_are_compared_as_compare_would(models):
    y, probs = models
    direct = ComparisonDisplay.from_predictions(y, probs, reference="raw", confidence_level=0.9)
    assert (
        direct.pairs
        == ComparisonDisplay.from_result(
            cal.compare(y, probs, reference="raw", confidence_level=0.9)
        ).pairs
    )
    assert "90 %" in direct.title

    class Fitted:
        classes_ = (0, 1, 2)

        def __init__(self, P):
            self.P = P

        def predict_proba(self, X):
            return self.P[X]

    fitted = {name: Fitted(P) for name, P in probs.items()}
    rows = np.arange(len(y))
    other = ComparisonDisplay.from_estimator(fitted, rows, y, reference="raw", confidence_level=0.9)
    assert other.pairs == direct.pairs


def test_what_is_not_known_is_not_drawn():
    pairs = (
        ComparedPair("a", "b", "skce", math.nan, math.nan, math.nan),
        ComparedPair("a", "c", "skce", 0.5, math.nan, math.nan),
    )
    display = ComparisonDisplay(pairs)
    marks = [line.get_xydata().tolist() for line in display.plot().artists["untold"]]
    assert marks == [[[0.5, 1.0]]]
    assert display.table()["low"] == [None, None]
    ComparisonDisplay(pairs[:1]).plot()


def test_words_say_who_is_better():
    display = ComparisonDisplay(
        (
            ComparedPair("a", "b", "skce", 0.5, 0.4, 0.6, "b"),
            ComparedPair("a", "c", "skce", -0.5, -0.6, -0.4, "a"),
            ComparedPair("b", "c", "skce", 0.0, -0.1, 0.1),
        )
    )
    assert (
        display.describe()
        == "SKCE: b is better than a, a is better than c, no difference shown for 1 pair."
    )


def test_no_pairs_are_refused():
    with pytest.raises(ValueError, match="`pairs` must contain at least one difference"):
        ComparisonDisplay(())
