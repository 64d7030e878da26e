"""The default test: several statistics in one exact Monte Carlo test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from calibrant._engine import (
    Coupling,
    LabelResampler,
    LabelSets,
    couple,
    sizes,
)
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, RowSource
from calibrant.estimators import SKCE, default_bandwidth
from calibrant.kernels import fixed_bandwidth
from calibrant.methods._base import (
    Evidence,
    Method,
    Rates,
    Setting,
    check_resamples,
    monte_carlo_error,
    monte_carlo_pvalue,
)
from calibrant.methods._clusters import describe_clusters
from calibrant.methods._combination import combine
from calibrant.methods._components import Components, choose_components
from calibrant.methods._families import Families, full_families
from calibrant.methods._family_tails import WEIGHTS, component_tails, family_tails
from calibrant.methods._family_words import describe_components, describe_families
from calibrant.methods._linear_families import LinearRows
from calibrant.methods._linear_plan import LinearPlan, preparation
from calibrant.methods._lines import LinePlan, line_families
from calibrant.methods._pooling_error import grouped_jackknife_error
from calibrant.methods._scales import FRACTIONS
from calibrant.methods._sequential import REFERENCE, Stopping, check_stop_after
from calibrant.methods._variants import variant_for


@dataclass(frozen=True)
class Aggregated(Method):
    r"""The default test: seven families of statistics in one exact Monte Carlo test.

    No single statistic detects every kind of miscalibration. This test computes several for the
    observed labels and for B label sets drawn from the predictions, turns each into an approximate
    tail probability, combines these, and ranks the combination for the observed labels among all
    B + 1. All label sets are treated alike, so the level is exact at every sample size.

    Parameters
    ----------
    n_resamples : int, default 999
        B, the number of label sets; the smallest possible p-value is 1/(1 + B).
    log_score : bool, default True
        Include the log-score direction, the score test of temperature scaling, with probabilities
        below 0.001 replaced by 0.001.
    stop_after : int, optional
        Stop early if the evidence is weak: once this many of the first 5·`stop_after` label sets
        reach the observed one. Another 31 label sets, drawn first, determine the scale. 0 draws
        all B. The default is 20 if there are at least 10⁶ probabilities n·m, else 0. The p-value is
        valid at every level, and a p-value below 0.2 always comes from all B label sets.

    Notes
    -----
    The families and their weights:

    - kernel (1): SKCE with bandwidths median × {1/16, 1/4, 1/2, 1};
    - class-wise (1): the same for each class separately, with widths .05, .25, 1;
    - Brier (1) and log (10): two-sided directions of confidence;
    - confidence (6): Neyman's smooth test of the predicted class given its probability, with 3
      (weighted twice), 6 and 12 waves; with two classes, also of the positive class;
    - scaling (3): the score test of vector scaling; above 128 classes, without the covariance
      between classes;
    - bias (8): the harmonic mean of the two-sided tails of the class totals, which detects
      single classes, the sum of the squared totals, which detects many, and the largest total,
      which detects a common class among rare ones.

    For more than two ordered classes (``ordered=True``), three more families use their order,
    with :math:`q_k = P(\text{class} \ge k)`, k = 1, …, m − 1:

    - ranked (10): the two-sided direction of the RPS, f = :math:`\sum_{k \le c} (q_k - ½)` for the
      label c, which for two classes is the Brier direction. It detects a spread along the order
      that is too narrow (negative) or too wide (positive), ``details["ordered_direction"]``;
    - grades (6): the first two bias statistics for the totals :math:`\sum_i 1[y_i \ge k] - q_{ik}`;
    - reach (1): the class-wise family for the q_k.

    For two classes the order changes nothing: the results are identical bit for bit.

    Each statistic is divided by its standard deviation over the *other* label sets. Its tail
    :math:`\tilde p` comes from the Pearson III distribution with their skewness; directions have
    normal tails. With harmonic means :math:`h_f` within the families, the statistic is
    :math:`\log \sum_f w_f/h_f`.

    Above 2,000 rows (3,000 for 100 classes, 4,000 for 200 or more) the computation takes time
    linear in n: the kernel family uses random features, or random grids for its smallest
    bandwidth, and the class-wise family uses cells. With two classes, sums are exact by sorting at
    every n. This choice depends only on n and m. If the probabilities have few decimals, components
    that rounding could move by more than .2 standard deviations are made coarser or left out; this
    choice depends only on the predictions. The details report both. The test is not valid if the
    predictions depend on the labels.

    A test that stops with draw L has p = `stop_after`/L (Besag and Clifford, 1991; the proof is
    in :doc:`/growth`). ``n_resamples`` in the details is the number of label sets drawn. Draws are
    numbered, so ``stop_after=0`` begins with the same ones.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=1.5)  # over-confident
    >>> result = cal.calibration_test(*model.sample(500, rng=1), rng=1)
    >>> result.pvalue, result.details["direction"]
    (0.001, 'over-confident')
    """

    n_resamples: int = 999
    log_score: bool = True
    stop_after: int | None = None
    accepts: ClassVar[type[Any]] = SKCE
    fits: ClassVar[str] = "the default estimator SKCE()"
    remedy: ClassVar[str] = "Leave `estimator` out, or test this one alone with `Exact()`."
    streams: ClassVar[bool] = True
    own_statistic: ClassVar[bool] = True
    clusters: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        check_stop_after(self.stop_after)

    def suits(self, estimator: SKCE) -> bool:
        """Accept only the default SKCE, because the components are fixed."""
        return estimator == SKCE()

    def cost(self, estimator: SKCE, n_samples: int, rates: Rates) -> float:
        """Return the seconds for all label sets and the reported SKCE."""
        n = n_samples
        exact = not sizes.uses_features(n, rates.n_classes)
        reported = n * n / 2 * rates.pair if exact else n * 32 * rates.row_set
        return self.cost_of_sets(n, rates) + (0.0 if rates.n_classes == 2 else reported)

    def cost_of_sets(self, n_samples: int, rates: Rates) -> float:
        """Return the seconds of all label sets alone."""
        n, sets = n_samples, self.n_resamples + 1
        variant = variant_for(n, rates.n_classes)
        if variant == "lines":
            return n * sets * rates.line
        if variant == "features":
            return n * (sets + preparation(rates.n_classes)) * rates.row_set
        return n * n / 2 * len(FRACTIONS) * (rates.pair + sets * rates.label)

    def test(self, predictions: Predictions, estimator: SKCE, setting: Setting) -> Evidence:
        """Return the evidence against calibration."""
        predictions.require_rows(2, "the aggregated test")
        if np.count_nonzero(predictions.weights) < 2:
            raise ValueError(
                "the aggregated test needs at least 2 rows with positive weight; got fewer. "
                "Drop rows without weight and add others."
            )
        coupling = setting.coupling_of(predictions)
        resampler = couple(LabelResampler.from_rng(setting.rng), coupling)
        variant = variant_for(predictions.n_samples, predictions.n_classes)
        components = choose_components(predictions, self.log_score)
        bandwidth = default_bandwidth(predictions.y_prob)
        details = {
            "variant": variant,
            **describe_components(components, predictions.n_classes),
            **describe_clusters(coupling),
        }

        compute = _families_of(predictions, variant, bandwidth, components, resampler)
        rows = _Rows(
            predictions.y_prob.size,
            predictions.pair_weight,
            components,
            compute,
            _is_coupled(coupling),
            preparation(predictions.n_classes) if variant == "features" else 0,
        )
        return self._evidence(rows, setting.parallel, resampler, details)

    def stream(
        self, source: RowSource, estimator: SKCE, setting: Setting, pair_weight: float
    ) -> Evidence:
        """Return the evidence for streamed rows, with random features and cells at any n and m.

        `estimator` is the SKCE with the bandwidth chosen from the predictions.
        """
        coupling = setting.coupling_of(source)
        resampler = couple(LabelResampler.from_rng(setting.rng), coupling)
        bandwidth = fixed_bandwidth(estimator.kernel)
        components = choose_components(source, self.log_score)
        plan = LinearPlan.make(source.n_classes, bandwidth, components, resampler)
        details = {
            "variant": "features",
            **describe_components(components, source.n_classes),
            **describe_clusters(coupling),
        }

        size = source.n_samples * source.n_classes
        compute = LinearRows(source, plan).families
        prepared = preparation(source.n_classes)
        rows = _Rows(size, pair_weight, components, compute, _is_coupled(coupling), prepared)
        return self._evidence(rows, setting.parallel, resampler, details)

    def _evidence(
        self, rows: _Rows, parallel: Parallel, resampler: LabelResampler, given: dict[str, Any]
    ) -> Evidence:
        given["seed"] = resampler.seed
        rule = Stopping.choose(self.stop_after, rows.size, self.n_resamples, REFERENCE)
        n_sets = self.n_resamples + 1
        parts: list[Families] = []
        start = 0
        for look in () if rule is None else rule.looks:
            sets = range(start, look + 1)
            parts.append(rows.compute(sets, _share(parallel, sets, n_sets, rows.preparation)))
            start = sets.stop
            evidence = self._stop(Families.join(parts), rule, rows, given)
            if evidence is not None:
                if parallel.progress is not None:
                    parallel.progress(n_sets, n_sets)
                return evidence
        if start < n_sets:
            sets = range(start, n_sets)
            parts.append(rows.compute(sets, _share(parallel, sets, n_sets, rows.preparation)))
        return self._full(Families.join(parts), rows, given)

    def _full(self, families: Families, rows: _Rows, given: Mapping[str, Any]) -> Evidence:
        tails, combined, pvalue = _ranked(families, rows)
        error = max(
            monte_carlo_error(pvalue, self.n_resamples),
            grouped_jackknife_error(
                lambda sets: _ranked(families.take(sets), rows)[2], self.n_resamples
            ),
        )
        details = describe_families(rows.scale(families), rows.components, tails, given) | {
            "n_resamples": self.n_resamples,
            "monte_carlo_error": error,
        }
        null_estimates = families.median_pair_sums[1:] / rows.pair_weight
        return Evidence(float(combined[0]), pvalue, combined[1:], null_estimates, None, details)

    def _stop(
        self, families: Families, rule: Stopping | None, rows: _Rows, given: Mapping[str, Any]
    ) -> Evidence | None:
        """Return the evidence of a test that stops early, or None if it continues."""
        assert rule is not None
        families = rows.scale(families, rule.reference)
        tails = component_tails(families, rule.reference, rows.components)
        combined = combine(family_tails(tails), WEIGHTS)
        draws = rule.stops_at(float(combined[0]), combined[1:])
        if draws is None:
            return None
        details = describe_families(families, rows.components, tails, given)
        details |= rule.details(draws, self.n_resamples)
        drawn = slice(1, 1 + rule.reference + draws)
        null_estimates = families.median_pair_sums[drawn] / rows.pair_weight
        pvalue, null = rule.stop_after / draws, combined[1 : 1 + draws]
        return Evidence(float(combined[0]), pvalue, null, null_estimates, None, details)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows in memory or streamed: n·m, Σ_{i≠j} w_i w_j, and the families of label sets."""

    size: int
    pair_weight: float
    components: Components
    compute: Callable[[range, Parallel], Families]
    coupled: bool = False
    #: as many label sets take the time that is needed before the first of them
    preparation: int = 0

    def scale(self, families: Families, reference: int = 0) -> Families:
        """Return the families with directions scaled by their deviation over coupled label sets."""
        return families.rescale_directions(reference) if self.coupled else families


def _families_of(
    predictions: Predictions,
    variant: str,
    bandwidth: float,
    components: Components,
    resampler: LabelResampler,
) -> Callable[[range, Parallel], Families]:
    """Return a function that computes the families of label sets for rows in memory."""
    if variant == "features":
        plan = LinearPlan.make(predictions.n_classes, bandwidth, components, resampler)
        return LinearRows(predictions, plan).families

    def compute(sets: range, parallel: Parallel) -> Families:
        if variant == "lines":
            plan = LinePlan(bandwidth, resampler, components)
            return line_families(predictions, plan, sets, parallel)
        label_sets = LabelSets.label_sets(predictions, resampler, sets)
        return full_families(predictions, bandwidth, label_sets, components, parallel)

    return compute


def _ranked(families: Families, rows: _Rows) -> tuple[dict[str, FloatArray], FloatArray, float]:
    """Return the component tails, their combination, and the p-value of the observed labels."""
    tails = component_tails(rows.scale(families), components=rows.components)
    combined = combine(family_tails(tails), WEIGHTS)
    return tails, combined, monte_carlo_pvalue(float(combined[0]), combined[1:])


def _is_coupled(coupling: Coupling | None) -> bool:
    return coupling is not None and coupling.used > 0.0


def _share(parallel: Parallel, sets: range, n_sets: int, preparation: int) -> Parallel:
    """Tell progress as a share of all label sets and what comes before: it never goes back."""
    tell = parallel.progress
    if tell is None or len(sets) == n_sets:
        return parallel
    start = sets.start + (preparation if sets.start else 0)
    length, whole = sets.stop + preparation - start, n_sets + preparation
    return replace(
        parallel,
        progress=lambda done, total: tell(start + length * done // max(total, 1), whole),
    )
