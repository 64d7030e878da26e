"""`repair`: a recommendation and a recalibration map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from calibrant._engine import RandomSource, as_generator
from calibrant._execution import Progress, computation
from calibrant._followup.repair._candidates import check_candidates, default_candidates
from calibrant._followup.repair._changes import Change, Rows, Scores, choose
from calibrant._followup.repair._checks import Check, Checker, keeps_level, with_probabilities
from calibrant._followup.repair._foreign import as_fitted_map
from calibrant._followup.repair._groups import group_changes
from calibrant._followup.repair._result import RepairResult
from calibrant._followup.repair._trials import Trial, try_candidate
from calibrant._followup.where import read_groups
from calibrant._output import to_plain
from calibrant._predictions import Predictions, as_predictions, check_indexes
from calibrant.effects import check_confidence_level, find_measure, impossible_labels
from calibrant.errors import DataError, Problem
from calibrant.methods import check_resamples
from calibrant.recalibration import Calibrator, Identity, assign_folds

T = TypeVar("T")

#: the measures before and after
MEASURES = ("ece", "rmsce", "accuracy", "brier", "log_loss")


def repair(
    y_true: Any,
    y_prob: Any = None,
    *,
    candidates: Any = None,
    clusters: Any = None,
    groups: Any = None,
    n_folds: int = 10,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    normalize: bool = False,
    rng: RandomSource = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> RepairResult:
    r"""Choose whether and how to recalibrate a model, and measure the gain on unseen rows.

    Leaving the model unchanged is always a candidate, and wins unless a map is better by more than
    its noise.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels that the model was not trained on, or one `Predictions` in place of both arrays.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Predicted distributions, or probabilities of the positive class.
    candidates : list of maps, optional
        Maps of `calibrant.recalibration`, or objects with ``fit(P, y)`` and ``predict_proba(P)``,
        the simplest first. By default the identity, a temperature, class priors and vector
        scaling. For two classes, also beta scaling and isotonic regression. For more, also a
        confidence curve after vector scaling (or after a temperature if there are too few rows)
        and, up to 24 classes, Dirichlet scaling.
    clusters : array-like of shape (n_samples,), optional
        Cluster ids. Rows with the same id may depend on each other: they stay in one fold, standard
        errors account for them, and the label sets of the tests are coupled within clusters.
    groups : array-like of shape (n_samples,), mapping or frame, optional
        Groups as in `where`: the result shows whether the chosen map helps in each of them.
    n_folds : int, default 10
        Number of folds for cross-fitting.
    n_resamples : int, default 999
        Number of label sets of each test.
    confidence_level : float, default 0.95
        Coverage of all intervals.
    classes, pos_label, sample_weight, normalize
        See `Predictions`. Rows of weight 0 are ignored.
    rng : None, int or Generator
        Source of randomness of folds and tests; an integer makes the result reproducible.
    n_jobs : int, optional
        Number of threads of the tests; all cores this process may use by default.
    progress : callable, optional
        Called with (done, total) as maps and tests finish.

    Returns
    -------
    RepairResult

    Notes
    -----
    Each candidate is cross-fitted: every row is recalibrated by a map that was fitted to the
    other folds. Folds are random: if they had equal class frequencies, the rows left out would have
    the frequencies that the maps were fitted to, and class priors would seem to help even if
    nothing is wrong. The change of a score is the mean of the paired differences, with a normal
    interval from the standard error over rows or clusters. The choice is the first candidate whose
    log loss is within one standard error (of the paired difference) of the smallest. It includes an
    additional row whose label is the second most likely class, so that rows without errors do not
    suggest unlimited confidence. With m classes, a candidate needs 10·m rows for each parameter,
    and a row of each class if it has parameters for each; otherwise it is not fitted, and the table
    says so. Isotonic regression needs 500·m rows, a confidence curve 1,000.

    Two tests answer different questions after a repair. *The fitted map, on unseen rows*: the map
    is fitted to one half of the rows and tested on the other. This is exact for that map and also
    detects its estimation error: after a fit to few rows it may reject although the family is
    right. *Left beyond this family*: all out-of-fold rows are tested, which is conservative; the
    verdict quotes this test. Isotonic regression, non-default penalties and custom maps have only
    the first test, because the second would not keep its level.

    Tests use at most 20,000 rows, drawn at random. If some probabilities are 0, the default
    candidates replace them by half of the smallest positive one, at least 1e-12.

    Cost: a few passes of O(n·m²) for each fold (O(n·m⁴) for Dirichlet scaling), and the tests.

    Examples
    --------
    >>> import calibrant as cal
    >>> predictions = cal.demo.load_digits_predictions()["neural_network"]
    >>> result = cal.repair(predictions, rng=0)
    >>> print(result.verdict)
    Divide the logits by 1.96: this lowers the log loss by 0.0531 [0.0107, 0.0954]; on unseen rows
    no evidence against calibration is left (p = 0.825).
    >>> repaired = result.apply(predictions.y_prob)

    The network is over-confident; a temperature repairs it.
    """
    check_confidence_level(confidence_level)
    check_resamples(n_resamples)
    every = as_predictions(
        y_true,
        y_prob,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        clusters=clusters,
        normalize=normalize,
    )
    given = {"y_true": y_true, "y_prob": y_prob, "clusters": clusters, "groups": groups}
    check_indexes(given)
    partitions = read_groups(groups, every.n_samples, 2)
    keep = every.weights > 0.0
    predictions = every if keep.all() else every.take(keep)
    rows = Rows(predictions.weights, predictions.cluster_index)
    _require_two_labels(predictions)
    maps = check_candidates(default_candidates(predictions) if candidates is None else candidates)
    generator = as_generator(rng)
    seed = int(generator.integers(2**32))
    folds = assign_folds(predictions.n_samples, n_folds, seed, rows.clusters)
    told = _Steps(progress, len(maps) + 3)
    tried = [told.step(try_candidate(one, predictions, folds)) for one in maps]
    trials = [one for one in tried if isinstance(one, Trial)]
    chosen = trials[choose([trial.scores for trial in trials], rows)]
    before = trials[0].scores
    repaired = with_probabilities(predictions, chosen.out_of_fold(predictions, folds))
    checker = Checker(rows.clusters, n_resamples, generator, n_jobs)
    checks = tuple(map(told.step, _checks(checker, predictions, repaired, chosen, seed)))
    scores = {"before": before, "after": chosen.scores}
    return RepairResult(
        calibrator=_calibrator(chosen, predictions, checks, before, rows, confidence_level),
        candidates=tuple(
            one.describe(before, rows, confidence_level) if isinstance(one, Trial) else one
            for one in tried
        ),
        checks=checks,
        measures=tuple(_measure(predictions, repaired, chosen)),
        groups=tuple(group_changes(partitions, keep, rows, scores, confidence_level)),
        n_samples=predictions.n_samples,
        n_classes=predictions.n_classes,
        n_folds=n_folds,
        confidence_level=confidence_level,
        details={
            "seed": seed,
            "n_resamples": n_resamples,
            "n_clusters": None if rows.clusters is None else int(rows.clusters.max()) + 1,
            "floor": maps[0].floor,
            "impossible_labels": impossible_labels(predictions).count,
        },
        repaired=repaired,
    )


class _Steps:
    """Reports the number of finished candidates and tests."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def step(self, value: T) -> T:
        """Count one more step and return its value."""
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)
        return value


def _checks(
    checker: Checker, predictions: Predictions, repaired: Predictions, chosen: Trial, seed: int
) -> Iterator[Check]:
    """Yield the tests that are valid for the chosen map."""
    everything = np.arange(predictions.n_samples)
    yield checker.check("the model as it is", predictions, everything)
    if isinstance(chosen.map, Identity):
        return
    yield checker.check_split(chosen.map, predictions, seed)
    if keeps_level(chosen.map):
        yield checker.check("left beyond this family", repaired, everything)


def _measure(predictions: Predictions, repaired: Predictions, chosen: Trial) -> Iterator[Change]:
    """Yield measures before and, unless nothing changes, after."""
    for name in MEASURES:
        measure = find_measure(name)
        before = measure.measure(predictions)
        same = isinstance(chosen.map, Identity)
        yield Change(name, before, before if same else measure.measure(repaired))


def _calibrator(
    chosen: Trial,
    predictions: Predictions,
    checks: tuple[Check, ...],
    before: Scores,
    rows: Rows,
    confidence_level: float,
) -> Calibrator:
    candidate = chosen.describe(before, rows, confidence_level)
    arrays = (predictions.y_true, predictions.y_prob, predictions.sample_weight)
    return Calibrator(
        as_fitted_map(chosen.whole, predictions.n_classes),
        chosen.name,
        predictions.classes,
        fingerprint=f"blake2b:{computation(*arrays)['input']}",
        evidence={
            "n_samples": predictions.n_samples,
            "log_loss_change": to_plain(candidate.log_loss),
            "brier_change": to_plain(candidate.brier),
            "tests": to_plain(checks),
        },
    )


def _require_two_labels(predictions: Predictions) -> None:
    labels = np.unique(predictions.y_true)
    if len(labels) < 2:
        raise DataError(
            Problem.EMPTY,
            "must have at least two different labels to learn a repair from",
            argument="y_true",
            got=f"only {predictions.classes[labels[0]]!r}",
            remedy="use rows of all classes, as they occur where the model is used",
        )
