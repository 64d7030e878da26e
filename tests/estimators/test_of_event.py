"""Errors of one probability of every row."""

import numpy as np
import pytest

from calibrant import ECE, SKCE, Predictions
from calibrant.binning import Quantile, Uniform
from calibrant.estimators import OfEvent


@pytest.mark.parametrize("error", [ECE(Uniform(7)), ECE(Quantile(5)), SKCE()])
@pytest.mark.parametrize("sample", ["binary", "ternary"])
def test_it_is_the_error_of_the_event(request, error, sample):
    data = request.getfixturevalue(sample)
    predictions = Predictions(data.y, data.P, sample_weight=data.w)
    view = predictions if sample == "binary" else predictions.top_label()
    assert OfEvent(error)(predictions) == error(view)
    labels = np.random.default_rng(0).integers(data.P.shape[1], size=(9, len(data.y)))
    each = [error(_event(predictions.with_labels(row))) for row in labels]
    assert OfEvent(error).over_labels(predictions, labels) == pytest.approx(
        each, rel=1e-9, abs=1e-12
    )


def _event(predictions):
    return predictions if predictions.n_classes == 2 else predictions.top_label()
