"""The scores of each row: Brier score, log loss, hit or miss."""

from __future__ import annotations

import numpy as np

from calibrant._native import BoolArray, FloatArray
from calibrant._predictions._event import predicted_classes
from calibrant._predictions._predictions import Predictions


def label_probabilities(predictions: Predictions) -> FloatArray:
    """Return the predicted probability of each row's label, without normalization."""
    return predictions.y_prob[np.arange(predictions.n_samples), predictions.y_true]


def squared_norms(predictions: Predictions) -> FloatArray:
    """Return |p_i|² for each row."""
    norms: FloatArray = np.einsum("ic,ic->i", predictions.y_prob, predictions.y_prob)
    return norms


def brier_scores(predictions: Predictions) -> FloatArray:
    """Return |e_y − p|² for each row, from 0 to 2."""
    return 1.0 - 2.0 * label_probabilities(predictions) + squared_norms(predictions)


def log_losses(predictions: Predictions) -> FloatArray:
    """Return −log of the label's normalized probability for each row; infinite if it is 0."""
    share = label_probabilities(predictions) / predictions.y_prob.sum(axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(0.0 - np.log(np.minimum(share, 1.0)))


def hits(predictions: Predictions) -> BoolArray:
    """Return, for each row, whether the predicted class occurred."""
    return np.asarray(predicted_classes(predictions) == predictions.y_true)
