"""Results with arrays print only the ends of their arrays."""

import pickle

import numpy as np
import pytest

import calibrant as cal
from calibrant.methods import Exact, Setting

Y, P = cal.models.TemperatureModel(0.5, 4, temperature=2.0).sample(400, rng=0)
ROWS = cal.Predictions(Y, P)
TOP = ROWS.top_label()
MAKERS = {
    "bins": lambda: cal.binning.Quantile(40).bins(TOP),
    "reliability": lambda: cal.binning.reliability(TOP, rng=0),
    "curve": lambda: cal.estimators.corp_curve(TOP, rng=0),
    "band": lambda: cal.estimators.corp_curve(TOP, rng=0).band,
    "differences": lambda: cal.estimators.cumulative_differences(TOP),
    "steps": lambda: cal.recalibration.Isotonic().fit(P, Y),
    "matrix": lambda: cal.recalibration.DirichletScaling().fit(P, Y),
    "temperature": lambda: cal.recalibration.Temperature().fit(P, Y),
    "confidence curve": lambda: cal.recalibration.ConfidenceCurve().fit(P, Y),
    "evidence": lambda: Exact(99).test(ROWS, cal.ECE(), Setting(np.random.default_rng(0))),
    "display": lambda: cal.plots.ReliabilityDisplay.from_predictions(Y, P, rng=0),
    "cumulative display": lambda: cal.plots.CumulativeDisplay.from_predictions(Y, P, rng=0),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_printed_fits_on_a_screen(name):
    value = MAKERS[name]()
    lines = repr(value).splitlines()
    assert sum(-(-len(line) // 80) for line in lines) <= 24
    assert type(value).__name__ in lines[0]
    assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_printing_leaves_the_options_of_the_caller_alone():
    before = np.get_printoptions()
    repr(MAKERS["bins"]())
    assert np.get_printoptions() == before
