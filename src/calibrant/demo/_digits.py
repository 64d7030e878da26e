"""Predictions of four digit classifiers for the same 797 images."""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from calibrant._predictions import Predictions

#: what each classifier demonstrates
STORIES = {
    "logistic_regression": "well calibrated",
    "neural_network": "over-confident: trained for too long",
    "neural_network_scaled": "the same network, its logits divided by a temperature",
    "random_forest": "under-confident: an average of many trees",
}


def load_digits_predictions() -> dict[str, Predictions]:
    """Return the predictions of every classifier, with 797 rows and 10 classes each.

    Returns
    -------
    dict from name to Predictions

    Examples
    --------
    >>> from calibrant.demo import load_digits_predictions
    >>> predictions = load_digits_predictions()["neural_network"]
    >>> confidence = predictions.y_prob.max(axis=1).mean()
    >>> hits = (predictions.y_prob.argmax(axis=1) == predictions.y_true).mean()
    >>> bool(confidence > hits)
    True

    The neural network is over-confident.
    """
    source = files("calibrant.demo").joinpath("digits.npz")
    with source.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        y_true = arrays["y_true"].astype(np.int64)
        return {name: Predictions(y_true, arrays[name]) for name in STORIES}
