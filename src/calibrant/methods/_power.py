"""The power of the aggregated test: its p-values if labels followed another distribution."""

from __future__ import annotations

import numpy as np

from calibrant._engine import LabelResampler, LabelSets
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import default_bandwidth
from calibrant.methods._base import Setting, monte_carlo_pvalue
from calibrant.methods._combination import combine
from calibrant.methods._components import choose_components
from calibrant.methods._families import full_families
from calibrant.methods._family_tails import WEIGHTS, component_tails, family_tails


def simulate_pvalues(
    predictions: Predictions,
    label_probs: FloatArray,
    n_simulations: int,
    n_resamples: int,
    setting: Setting,
) -> FloatArray:
    """Return the p-values of the default test on labels that follow `label_probs`.

    All simulated label sets are ranked among the same label sets of a calibrated model, so that all
    simulations together cost about as much as one test: O(n²) pairs for more than two classes.

    Parameters
    ----------
    predictions : Predictions
        The predictions; their labels are not used.
    label_probs : array of shape (n_samples, n_classes)
        The distribution of each label.
    n_simulations, n_resamples : int
        Numbers of label sets drawn from `label_probs` and from the predictions.
    setting : Setting
        Randomness and parallelism.

    Returns
    -------
    ndarray of shape (n_simulations,)
    """
    y_prob = predictions.y_prob
    seed = LabelResampler.from_rng(setting.rng).seed
    simulated = LabelResampler(seed, stream=5).labels(label_probs, range(n_simulations))
    null = LabelResampler(seed).labels(y_prob, range(n_resamples))
    label_sets = LabelSets.of(np.concatenate([simulated, null]), predictions.n_classes)
    components = choose_components(predictions, log_score=True)
    families = full_families(
        predictions, default_bandwidth(y_prob), label_sets, components, setting.parallel
    )
    others = np.arange(n_simulations, n_simulations + n_resamples)
    pvalues = np.empty(n_simulations)
    for k in range(n_simulations):
        some = families.take(np.append(k, others))
        tails = family_tails(component_tails(some, components=components))
        combined = combine(tails, WEIGHTS)
        pvalues[k] = monte_carlo_pvalue(float(combined[0]), combined[1:])
    return pvalues
