"""One small display of every kind, for the laws that all of them keep."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import calibrant as cal
from calibrant import plots

#: few draws: the bands are rough, the drawing is the same
FEW = 99


def sample(m, n=300, temperature=1.6, alpha=0.5):
    return cal.models.TemperatureModel(alpha, m, temperature=temperature).sample(n, rng=0)


def findings(names, contribution, adjusted, direction="over-confident against the rest"):
    """Rows as `where` gives them."""
    return tuple(
        SimpleNamespace(name=name, contribution=c, adjusted_pvalue=p, direction=direction)
        for name, c, p in zip(names, contribution, adjusted, strict=True)
    )


def make_displays(classes=("a", "b", "c")):
    y, P = sample(3)
    predictions = cal.Predictions(np.array(classes)[y], P, classes=classes)
    pairs = tuple(
        plots.ComparedPair(
            first, second, measure, 0.01 * unit, -0.01 * wide * unit, 0.03 * unit, better
        )
        for measure, unit in (("skce", 0.01), ("brier", 1.0), ("log_loss", 1.0), ("accuracy", 1.0))
        for first, second, wide, better in (
            (classes[0], classes[1], -0.5, classes[1]),
            (classes[0], classes[2], 1.0, None),
        )
    )
    result = cal.calibration_test(
        predictions, rng=0, method=cal.methods.Aggregated(n_resamples=FEW), effects=False
    )
    many = {"n_resamples": FEW, "rng": 0}
    return {
        "reliability": plots.ReliabilityDisplay.from_predictions(predictions, **many),
        "one class": plots.ReliabilityDisplay.from_predictions(
            predictions, label=classes[2], **many
        ),
        "bins": plots.ReliabilityDisplay.from_predictions(
            predictions, binning=cal.binning.Uniform(15), **many
        ),
        "logit": plots.ReliabilityDisplay.from_predictions(predictions, scale="logit", **many),
        "models": plots.ReliabilityComparisonDisplay.from_predictions(
            {name: cal.Predictions(predictions.labels, P, classes=classes) for name in classes[:2]},
            **many,
        ),
        "class-wise": plots.ClasswiseReliabilityDisplay.from_predictions(predictions, **many),
        "cumulative": plots.CumulativeDisplay.from_predictions(predictions, **many),
        "null": plots.NullDistributionDisplay.from_result(result),
        "contributions": plots.ClassContributionDisplay(
            classes,
            [0.01, 0.002, -0.001],
            [0.01, 0.4, np.nan],
            ("over-confident against the rest", "", ""),
        ),
        "simplex": plots.SimplexDisplay.from_predictions(predictions, n_steps=6),
        "comparison": plots.ComparisonDisplay(pairs),
        "detectable": plots.DetectableDisplay.from_predictions(predictions),
    }


DISPLAYS = make_displays()


@cache
def svg_of(name):
    """The picture as SVG, made once for all tests that only read it."""
    return plots.to_svg(DISPLAYS[name])


@pytest.fixture(params=DISPLAYS)
def name(request):
    return request.param


@pytest.fixture
def display(name):
    return DISPLAYS[name]


@pytest.fixture
def svg(name):
    return svg_of(name)
