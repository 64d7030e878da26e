"""`Report`, one page about the calibration of one or several models."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from calibrant._calibration_test import CalibrationTestResult
from calibrant._engine import RandomSource, as_generator
from calibrant._execution import Parallel, Progress
from calibrant._followup.compare import ComparisonResult, align
from calibrant._followup.repair import RepairResult
from calibrant._followup.where import WhereResult
from calibrant._predictions import Predictions, as_predictions, check_indexes
from calibrant.io import PredictionScan
from calibrant.report._answers import Answers
from calibrant.report._document import ReportDocument
from calibrant.report._settings import MAX_MODELS, About, ReportOptions, Settings, check_line

if TYPE_CHECKING:
    from concurrent.futures import Executor


#: options other than those of `Predictions`
_SETTINGS = ("n_resamples", "alpha", "n_regions", "min_size", "repair", "limit")
_ABOUT = ("dataset", "author", "date")


_TITLE = "Can these probabilities be trusted?"


class Report:
    """Everything about the calibration of one or several models, on one page you can share.

    Everything is computed once, on first use. The page, the JSON and the text share one document,
    so they cannot disagree; the numbers are those of `calibration_test`, `where` and `compare` with
    the same `rng`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Predictions or PredictionScan
        Labels, or one `Predictions` in place of both arrays, or None if `y_prob` maps names to
        `Predictions`, or files larger than memory, opened with `calibrant.io.scan_predictions`.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,), or mapping
        Predicted distributions, or ``{name: y_prob}`` for up to 20 models on the same rows.
    groups : array-like of shape (n_samples,), mapping or frame, optional
        Groups of rows, as in `where`.
    title : str, optional
        Heading of the page.
    rng : None, int or Generator
        Source of randomness. An integer makes the report reproducible, byte by byte; otherwise a
        seed is drawn and printed in the report.
    n_jobs : int, optional
        Number of threads; no result depends on it.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Executor to use instead of threads. No bit of the report depends on it.
    progress : callable, optional
        Called with (done, total) as work completes.
    origin : mapping, optional
        The origin of the data, to print: ``command``, and ``inputs`` and ``checksums``, which map
        names of models to the facts and the SHA-256 of their files.
    **options
        `repair` (False): also look for a map that repairs each model, see `calibrant.repair`.
        `limit`: the largest acceptable typical error, see `CalibrationTestResult.within`.
        `dataset`, `author` and `date`: printed below the title; only what you pass is printed, so
        the same call gives the same bytes. `n_resamples` (999; at least 39), `alpha`, `n_regions`
        and `min_size`: see `where`. `classes`, `pos_label`, `sample_weight`, `clusters`, `ordered`,
        `normalize`: see `Predictions`.

    Notes
    -----
    Cost: `calibration_test` and `where` for each model, `compare`, and about 20 plots: seconds for
    10,000 rows and 10 classes. Pages are below 1 MB for one model of up to 20 classes, and never
    above 3 MB: with many classes, only the worst get diagrams, and all are in a searchable table.

    For streamed files, the test, its effects and the table of classes use all rows. Everything else
    uses up to 100,000 evenly spaced rows, and the page says so.

    The page is a single file without external resources. Its content security policy allows only
    its own style and script, identified by their hashes.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(300, rng=0)
    >>> scaled = cal.models.temperature_scale(p, 3.0)
    >>> report = cal.Report(y_true, {"raw": p, "scaled": scaled}, rng=0, n_resamples=199)
    >>> for name, model in report.summary["models"].items():
    ...     print(f"{name}: {model['verdict']}")
    raw: Evidence against calibration: p ≤ 0.005; the predictions are over-confident: ...
    scaled: No evidence against calibration: p = ...
    >>> report.comparison.difference("raw", "scaled").better
    'scaled'

    ``report.write_html("calibration.html")`` writes the page.
    """

    def __init__(
        self,
        y_true: Any = None,
        y_prob: Any = None,
        *,
        groups: Any = None,
        title: str | None = None,
        rng: RandomSource = None,
        n_jobs: int | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
        origin: Mapping[str, Any] | None = None,
        **options: Unpack[ReportOptions],
    ) -> None:
        given: dict[str, Any] = dict(options)
        chosen = {name: given.pop(name) for name in _SETTINGS if name in given}
        check_indexes({"y_true": y_true, "y_prob": y_prob, "groups": groups})
        self._settings = Settings(_seed(rng), **chosen)
        self._title = check_line("title", _TITLE if title is None else title)
        self._about = About(**{name: given.pop(name) for name in _ABOUT if name in given})
        self._models = _models(y_true, y_prob, given)
        self._groups, self._origin = groups, {} if origin is None else dict(origin)
        self._parallel = Parallel(n_jobs, executor, progress)
        self._page: str | None = None

    @property
    def models(self) -> dict[str, Predictions | PredictionScan]:
        """The predictions of every model."""
        return dict(self._models)

    @property
    def seed(self) -> int:
        """The seed of all random numbers: pass it as `rng` to reproduce this report."""
        return self._settings.seed

    @property
    def tests(self) -> dict[str, CalibrationTestResult]:
        """The test of every model."""
        return {name: model.test for name, model in self._document.models.items()}

    @property
    def places(self) -> dict[str, WhereResult]:
        """The result of `where` for every model."""
        return {name: model.where for name, model in self._document.models.items()}

    @property
    def answers(self) -> dict[str, Answers]:
        """The answers on the first screen, for every model."""
        return {name: model.answers for name, model in self._document.models.items()}

    @property
    def repairs(self) -> dict[str, RepairResult]:
        """The repair of every model; empty unless the report has ``repair=True``."""
        models = self._document.models.items()
        return {name: model.repair for name, model in models if model.repair is not None}

    @property
    def comparison(self) -> ComparisonResult | None:
        """The comparison of the models; None with a single model."""
        comparison = self._document.comparison
        return None if comparison is None else comparison.result

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The content of the report as plain values for JSON."""
        from calibrant._output import document

        return document("report", self._document)

    def html(self) -> str:
        """Return the page."""
        if self._page is None:
            from calibrant._output import to_json
            from calibrant.report._page import to_html

            contents = self._document
            self._page = to_html(contents, to_json(self.summary, indent=None), self.csv())
        return self._page

    def json(self) -> str:
        """Return the summary as JSON, following the schema of ``calibrant info --schema``."""
        from calibrant._output import to_json

        return to_json(self.summary)

    def text(self, *, details: bool = True) -> str:
        """Return the summary as plain text.

        Parameters
        ----------
        details : bool, default True
            Whether to include everything, or only the first screen.

        Returns
        -------
        str
        """
        from calibrant.report._text import first_screen, to_text

        return to_text(self._document) if details else first_screen(self._document)

    def csv(self) -> str:
        """Return tests, measures and findings as one table for spreadsheets."""
        from calibrant.report._downloads import to_csv

        return to_csv(self._document)

    def write_html(self, path: str | PathLike[str]) -> None:
        """Write the page atomically.

        Parameters
        ----------
        path : str or path-like
            The file; an existing one is replaced.
        """
        from calibrant._output import replacing

        page = self.html().encode(errors="backslashreplace")
        with replacing(Path(path)) as stream:
            stream.write(page)

    def __repr__(self) -> str:
        some = next(iter(self._models.values()))
        return (
            f"Report(models={list(self._models)}, n_samples={some.n_samples}, "
            f"n_classes={some.n_classes}, seed={self.seed})"
        )

    def _repr_html_(self) -> str:
        from html import escape

        # in a frame, so that its style and script do not affect the notebook
        return (
            f'<iframe title="{escape(self._title)}" sandbox="allow-scripts allow-downloads" '
            f'width="100%" height="640" srcdoc="{escape(self.html())}"></iframe>'
        )

    @cached_property
    def _document(self) -> ReportDocument:
        from calibrant.report._compute import compute

        return compute(
            self._models,
            self._groups,
            self._settings,
            self._parallel,
            self._title,
            self._about,
            self._origin,
        )


def _models(
    y_true: Any, y_prob: Any, options: Mapping[str, Any]
) -> dict[str, Predictions | PredictionScan]:
    if isinstance(y_true, PredictionScan):
        if y_prob is not None or any(value is not None for value in options.values()):
            raise ValueError(
                "a PredictionScan comes alone: its classes, weights, clusters and `normalize` "
                "belong to `scan_predictions`."
            )
        return {"model": y_true}
    if y_prob is None and isinstance(y_true, Mapping):
        y_true, y_prob = None, y_true
    if not isinstance(y_prob, Mapping):
        return {"model": as_predictions(y_true, y_prob, **options)}
    if len(y_prob) == 1 and isinstance(next(iter(y_prob.values())), PredictionScan):
        return dict(y_prob)
    models: dict[str, Predictions | PredictionScan] = dict(
        align(y_true, y_prob, at_least=1, **options)
    )
    if len(models) > MAX_MODELS:
        raise ValueError(
            f"a report holds at most {MAX_MODELS} models; got {len(models)}. Choose the ones that "
            "matter, or use `compare` for all."
        )
    return models


def _seed(rng: RandomSource) -> int:
    generator = as_generator(rng)
    if isinstance(rng, Integral):
        return int(rng)
    return int(generator.integers(1 << 32))
