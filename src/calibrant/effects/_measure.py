"""The description of a measure: a number that users can ask for, with its words and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from operator import methodcaller
from typing import Any

import numpy as np

from calibrant._engine import LabelResampler, sizes
from calibrant._execution import Parallel, Progress, run, single_threaded_blas
from calibrant._output import number, percent
from calibrant._predictions import Predictions, event_name
from calibrant.binning import Uniform
from calibrant.effects._interval import Effect, Interval
from calibrant.effects._noise_floor import NoiseFloor
from calibrant.estimators import SKCE, Estimator
from calibrant.kernels import Laplacian

#: default bins of every class
JOINT = Uniform(10)
#: number of probabilities below which effects are computed one after another
_SERIAL_SIZE = 100_000


@dataclass(frozen=True)
class Measure:
    """A number that users can ask for.

    In texts, ``{event}`` is replaced by the event of `Predictions.event`, ``{bins}`` by the number
    of bins.

    Parameters
    ----------
    name : str
        Name in results, documents and gate conditions.
    title : str
        Title in tables.
    meaning : str
        Its meaning in one line.
    words : str or callable
        The meaning of a value for readers without statistics: a function of the effect, or a text
        with ``{text}`` and ``{share}`` for the value and ``{chance}`` for its noise floor.
    range : (float, float)
        The range of values for any data.
    effect : callable, optional
        Computes it with an interval, from `Predictions` and a confidence level.
    estimator : Estimator, optional
        The calibration error that can be tested.
    has_interval : bool
        Whether it has an interval.
    with_test : bool
        Whether it is reported with every p-value.
    for_order : bool
        Whether it is reported only for more than two ordered classes.
    over_pairs : bool
        Whether it costs a pass over all pairs of rows.
    adds_in_squares : bool
        Whether noise and error add in squares, so that the noise floor gives the size of the error.
    by_default : bool
        Whether ``calibrant measure`` shows it by default.
    in_report : bool
        Whether the report shows it.
    neutral : float, optional
        The value of a calibrated model, if it is the same for all of them.
    """

    name: str
    title: str
    meaning: str
    words: str | Callable[[Effect], str]
    range: tuple[float, float]
    effect: Callable[..., Effect] | None = None
    estimator: Estimator | None = None
    has_interval: bool = False
    with_test: bool = False
    for_order: bool = False
    over_pairs: bool = False
    adds_in_squares: bool = False
    by_default: bool = True
    in_report: bool = True
    neutral: float | None = None

    def goes_with_test(self, rows: Any) -> bool:
        """Return whether it is reported with the p-value of these rows, in memory or streamed."""
        return self.with_test and (rows.has_order or not self.for_order)

    def measure(
        self,
        predictions: Predictions,
        parallel: Parallel = Parallel(),
        *,
        n_resamples: int = 0,
        resampler: LabelResampler | None = None,
    ) -> Effect:
        """Return the effect, with its noise floor if a resampler is given."""
        if self.effect is not None:
            found = self.effect(predictions)
        else:
            assert self.estimator is not None
            found = Effect(
                self.name,
                self.estimator.estimate(predictions, parallel),
                Interval.unknown(),
                self.describe(predictions),
                details={"event": _event(predictions)} if "{event}" in self.title else {},
            )
        if self.estimator is None or resampler is None or not n_resamples:
            return found
        floor = _noise_floor(self.estimator, predictions, resampler, n_resamples, parallel)
        details = {"noise_floor": floor.to_dict(), "excess": floor.excess(found.estimate)}
        if self.adds_in_squares:
            details["size"] = floor.size(found.estimate)
        return replace(found, details={**found.details, **details})

    def describe(self, predictions: Any) -> str:
        """Return the meaning, worded for the classes of these predictions."""
        binning = getattr(self.estimator, "binning", None)
        return self.meaning.format(event=_event(predictions), bins=getattr(binning, "n", None))

    def put_into_words(self, effect: Effect, chance: NoiseFloor | None) -> str:
        """Describe the meaning of a value."""
        if not isinstance(self.words, str):
            return self.words(effect)
        text, share = number(effect.estimate), percent(effect.estimate)
        shown = self._put_chance_into_words(effect.estimate, chance)
        return self.words.format(text=text, share=share, chance=shown)

    def _put_chance_into_words(self, estimate: float, chance: NoiseFloor | None) -> str:
        if chance is None or not chance.n_resamples:
            return ""
        text = f" A calibrated model would show {number(chance.mean)} by chance"
        if self.adds_in_squares and estimate > chance.mean:
            text += f"; without chance about {number(chance.size(estimate))} is left"
        return f"{text}."

    def adjusted(self, bins: int, bandwidth: float | None) -> Measure:
        """Return the measure with another number of bins for every class and another bandwidth."""
        if self.estimator is None:
            return self
        given = {f.name: getattr(self.estimator, f.name) for f in fields(self.estimator)}  # type: ignore[arg-type]
        changes: dict[str, Any] = {}
        if given.get("binning") == JOINT:
            changes["binning"] = Uniform(bins)
        if bandwidth is not None and given.get("kernel") == SKCE().kernel:
            changes["kernel"] = Laplacian(bandwidth)
        return replace(self, estimator=replace(self.estimator, **changes)) if changes else self  # type: ignore[type-var]


@single_threaded_blas()  # BLAS sums depend on the number of threads
def measure_all(
    predictions: Predictions,
    measures: Iterable[Measure],
    parallel: Parallel = Parallel(),
    *,
    n_resamples: int = 0,
    resampler: LabelResampler | None = None,
    progress: Progress | None = None,
) -> list[Effect]:
    """Return the measures of some predictions, with their noise floors if labels are drawn.

    Effects are computed in parallel, because each uses one thread.
    """
    chosen = list(measures)
    jobs = parallel if predictions.y_prob.size >= _SERIAL_SIZE else parallel.serial()
    told = 0

    def tell() -> None:
        nonlocal told
        told += 1
        if progress is not None:
            progress(told, len(chosen))

    alone = [measure for measure in chosen if measure.estimator is None]
    found: list[Effect] = []
    for effect in run(methodcaller("measure", predictions), alone, Parallel(jobs.n_jobs)):
        found.append(effect)
        tell()
    waiting, answers = iter(found), []
    for measure in chosen:
        if measure.estimator is None:
            answers.append(next(waiting))
            continue
        answers.append(
            measure.measure(predictions, parallel, n_resamples=n_resamples, resampler=resampler)
        )
        tell()
    return answers


def _noise_floor(
    estimator: Estimator,
    predictions: Predictions,
    resampler: LabelResampler,
    n_resamples: int,
    parallel: Parallel,
) -> NoiseFloor:
    """Return the noise floor from labels drawn from the predictions."""
    quiet = parallel.quiet()
    null = [
        estimator.over_labels(predictions, resampler.draw(predictions, part), quiet)
        for part in sizes.replicate_batches(n_resamples, predictions.n_samples)
    ]
    return NoiseFloor.of(np.concatenate(null))


def _event(predictions: Any) -> str:
    return event_name(predictions.classes, ranked=getattr(predictions, "ranked", False))
