"""Local errors of the confidence: level, cost, and invariances."""

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.methods import LocalErrors
from calibrant.models import M1, Distorted, Oscillation

WAVE = Oscillation(amplitude=0.9, frequency=2.0)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_calibrated_predictions_rarely_have_local_errors(n_classes):
    rows = (Predictions(*M1(n_classes, 0.5).sample(200, rng=seed)) for seed in range(150))
    small = sum(LocalErrors.of(one).pvalue <= 0.05 for one in rows)
    assert small <= 15  # exact at .05: more in 1 of 200 tries


def test_the_loss_is_about_the_divergence_of_the_truth():
    model = Distorted(1.0, 2, truth=WAVE)
    y, p = model.sample(20_000, rng=0)
    q = WAVE(p)
    divergence = float(np.mean(np.sum(q * np.log(q / p), axis=1)))
    found = LocalErrors.of(Predictions(y, p))
    assert found.pvalue == 1 / 200
    assert found.loss == pytest.approx(divergence, rel=0.15)


def test_weights_that_repeat_rows_change_the_loss_little():
    y, p = Distorted(1.0, 2, truth=WAVE).sample(5000, rng=1)
    plain = LocalErrors.of(Predictions(y, p)).loss
    assert LocalErrors.of(Predictions(y, p, sample_weight=np.full(5000, 3.0))).loss == (
        pytest.approx(plain, rel=1e-9)
    )


def test_the_answer_is_always_the_same():
    rows = Predictions(*M1(3, 1.0).sample(300, rng=2))
    assert LocalErrors.of(rows) == LocalErrors.of(rows)
