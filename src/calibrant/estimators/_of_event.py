"""Any calibration error, applied to a single event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, event_classes
from calibrant.estimators._base import Estimator, as_label_sets


@dataclass(frozen=True)
class OfEvent(Estimator):
    """A calibration error applied to `Predictions.event`: the positive class, or the top label.

    Range and cost are those of the wrapped estimator.

    Parameters
    ----------
    estimator : Estimator
        The calibration error to apply to the two-class predictions.

    Examples
    --------
    >>> import calibrant as cal
    >>> ece = cal.estimators.OfEvent(cal.ECE(cal.binning.Uniform(15)))
    >>> round(ece([0, 1, 2], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]]), 4)
    0.3333

    The predicted class was right twice, where its probability is 0.2 too low; in the third row
    it is 0.6 too high.
    """

    estimator: Estimator

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        return self.estimator.estimate(predictions.event(), parallel)

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set of the same predictions."""
        codes = as_label_sets(labels, predictions)
        hits = (codes == event_classes(predictions)).astype(np.uint8)
        return self.estimator.over_labels(predictions.event(), hits, parallel)
