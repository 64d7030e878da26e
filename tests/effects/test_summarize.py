import json
import math
import subprocess
import sys

import numpy as np
import pytest
from tests.effects import oracles_effects as oracles

import calibrant.effects as effects
from calibrant import Predictions
from calibrant.effects import Effect, Interval, arrange, summarize
from calibrant.effects._rows import effective_size, rows_that_weigh
from calibrant.models import TemperatureModel

NAMES = [
    "calibration_loss",
    "bias",
    "temperature",
    "slope",
    "intercept",
    "rmsce",
    "accuracy",
    "brier",
    "log_loss",
]


def test_every_effect_has_its_name_its_meaning_and_its_level():
    summary = summarize(Predictions(*oracles.sample(0, 100, 3)), 0.9)
    assert list(summary) == NAMES
    for name, effect in summary.items():
        assert effect.name == name
        assert effect.meaning
        assert effect.interval.confidence_level == 0.9
        assert effect.estimate in effect.interval
        assert effect == getattr(effects, name)(Predictions(*oracles.sample(0, 100, 3)), 0.9)


@pytest.mark.parametrize("name", oracles.DEGENERATE)
def test_degenerate_data_give_a_summary_that_strict_json_can_hold(name):
    summary = summarize(oracles.DEGENERATE[name])
    text = json.dumps({k: e.to_dict() for k, e in summary.items()}, allow_nan=False)
    assert list(json.loads(text)) == NAMES
    for effect in summary.values():
        known = math.isfinite(effect.estimate) and effect.interval.is_known
        assert known or effect.note


@pytest.mark.parametrize("lens", ["top_label", "one_vs_rest"])
def test_lenses_are_summarized_too(lens):
    predictions = Predictions(*TemperatureModel(0.5, 4, temperature=2.0).sample(400, rng=0))
    view = predictions.top_label() if lens == "top_label" else predictions.one_vs_rest(0)
    assert summarize(view)["temperature"].interval.low > 1.0


def test_effects_do_not_depend_on_the_order_of_rows_or_classes():
    y, p = oracles.sample(1, 60, 4)
    order, classes = np.random.default_rng(0).permutation(60), np.array([2, 0, 3, 1])
    one = summarize(Predictions(y, p))
    other = summarize(Predictions(classes[y[order]], p[order][:, np.argsort(classes)]))
    for name in NAMES[1:]:  # the folds of the first depend on the order of rows
        assert other[name].estimate == pytest.approx(one[name].estimate, rel=1e-9)
        assert other[name].interval.high == pytest.approx(one[name].interval.high, rel=1e-7)


def test_rows_that_weigh_nothing_are_left_aside():
    weights = [1.0, 0.0, 1e-30, 2.0]
    rows = rows_that_weigh(Predictions([0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4], sample_weight=weights))
    assert rows.y_prob[:, 1].tolist() == [0.1, 0.4]
    assert effective_size(rows) == pytest.approx(9 / 5)


def test_public_names_are_sorted_and_there():
    assert effects.__all__ == sorted(effects.__all__)
    assert all(hasattr(effects, name) for name in effects.__all__)


def test_import_loads_no_scipy():
    code = "import sys, calibrant.effects; print(sorted({'scipy', 'pandas'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_effects_have_an_order_and_none_is_dropped():
    found = dict.fromkeys(("crps", "log_loss", "skce"), Effect("x", 0.0, Interval.unknown(), ""))
    assert list(arrange(found)) == ["skce", "log_loss", "crps"]
