"""The report: data in, one page out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibrant._calibration_test import CalibrationTestResult
from calibrant._compare import ComparisonResult, align
from calibrant._engine import RandomSource, as_generator
from calibrant._execution import Progress
from calibrant._predictions import Predictions, as_predictions
from calibrant._where import WhereResult
from calibrant.report._settings import MAX_MODELS, Settings

if TYPE_CHECKING:
    from calibrant.report._contents import Contents
    from calibrant.report._document import ReportDocument


class Report:
    """Everything about the calibration of one or several models, on one page to hand over.

    Nothing is computed before it is asked for, and then once. One document feeds the page, the
    JSON and the text, so they cannot disagree; the numbers are those of `calibration_test`,
    `where` and `compare` with the same `rng`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels; or one `Predictions` in place of both arrays; or None where `y_prob` maps names
        to `Predictions`.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,), or mapping
        Predicted distributions; ``{name: y_prob}`` for up to 20 models on the same rows.
    groups : array-like of shape (n_samples,), mapping or frame, optional
        Groups of rows, as in `where`.
    title : str, optional
        Heading of the page.
    n_resamples : int, default 999
        Label sets that are drawn; at least 39.
    alpha : float, default 0.05
        At which classes, regions and groups stand out.
    n_regions : int, default 5
        Regions of confidence.
    min_size : int, default 20
        Smaller groups are listed, not tested.
    classes, pos_label, sample_weight, normalize
        See `Predictions`.
    rng : None, int or Generator
        An integer makes the report reproducible, byte by byte. In any other case a seed is drawn
        at once and stands in the report.
    n_jobs : int, optional
        Threads; no result depends on it.
    progress : callable, optional
        Called with (done, total) as parts finish.
    origin : mapping, optional
        Where the data come from, to be printed: ``command``, and ``inputs`` by the name of the
        model.

    Notes
    -----
    Cost: that of `calibration_test` and `where` for each model, of `compare`, and of some 20
    pictures: seconds for 10 000 rows and 10 classes. Pages are below 1 MB for one model of up to
    20 classes, and never above 3 MB: of many classes the worst get diagrams, and all are in a
    table that can be searched.

    The page is one file that loads nothing. Its content-security policy forbids all but its own
    style and script, which are named by their hashes.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(300, rng=0)
    >>> scaled = cal.models.temperature_scale(p, 3.0)
    >>> report = cal.Report(y_true, {"raw": p, "scaled": scaled}, rng=0, n_resamples=199)
    >>> for name, model in report.summary["models"].items():
    ...     print(f"{name}: {model['verdict']}")
    raw: Evidence against calibration: p = 0.005; the predictions are over-confident. ...
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
        n_resamples: int = 999,
        alpha: float = 0.05,
        n_regions: int = 5,
        min_size: int = 20,
        classes: Iterable[Any] | None = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        normalize: bool = False,
        rng: RandomSource = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        self._models = _models(
            y_true,
            y_prob,
            classes=classes,
            pos_label=pos_label,
            sample_weight=sample_weight,
            normalize=normalize,
        )
        self._settings = Settings(_seed(rng), n_resamples, alpha, n_regions, min_size)
        self._title = _title(title)
        self._groups, self._n_jobs, self._progress = groups, n_jobs, progress
        self._origin = {} if origin is None else dict(origin)

    @property
    def models(self) -> dict[str, Predictions]:
        """The predictions of every model."""
        return dict(self._models)

    @property
    def seed(self) -> int:
        """The seed of all random numbers: pass it as `rng` to have this report again."""
        return self._settings.seed

    @property
    def tests(self) -> dict[str, CalibrationTestResult]:
        """The test of every model."""
        return {name: model.test for name, model in self._contents.models.items()}

    @property
    def places(self) -> dict[str, WhereResult]:
        """Where every model is off."""
        return {name: model.where for name, model in self._contents.models.items()}

    @property
    def comparison(self) -> ComparisonResult | None:
        """The comparison of the models; None for one."""
        return self._contents.comparison

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Everything the report says, as plain values that JSON can hold."""
        from calibrant._output import document

        return document("report", self._document)

    def html(self) -> str:
        """Return the page."""
        return self._html

    def json(self) -> str:
        """Return the summary as JSON, by the schema of ``calibrant info --schema``."""
        from calibrant._output import to_json

        return to_json(self.summary)

    def text(self) -> str:
        """Return the summary as plain text."""
        from calibrant.report._text import to_text

        return to_text(self._document)

    def csv(self) -> str:
        """Return tests, measures and findings as one table for spreadsheets."""
        from calibrant.report._downloads import to_csv

        return to_csv(self._document)

    def write_html(self, path: str | PathLike[str]) -> None:
        """Write the page; the file is there completely or not at all.

        Parameters
        ----------
        path : str or path-like
            An existing file is replaced.
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

        # a frame of its own: neither its style nor its script reaches the notebook
        return (
            f'<iframe title="{escape(self._title)}" sandbox="allow-scripts allow-downloads" '
            f'width="100%" height="640" srcdoc="{escape(self.html())}"></iframe>'
        )

    @cached_property
    def _contents(self) -> Contents:
        from calibrant.report._contents import compute

        return compute(self._models, self._groups, self._settings, self._n_jobs, self._progress)

    @cached_property
    def _document(self) -> ReportDocument:
        from calibrant.report._document import report_document

        return report_document(self._contents, self._settings, self._title, self._origin)

    @cached_property
    def _html(self) -> str:
        from calibrant.plots import to_svg
        from calibrant.report._page import to_html

        pictures = {
            f"{k}-{name}": to_svg(display, prefix=f"p{k}-{name}", inherit_colors=True)
            for k, model in enumerate(self._contents.models.values())
            for name, display in model.displays.items()
        }
        comparison = self._contents.comparison_display
        if comparison is not None:
            pictures["comparison"] = to_svg(comparison, prefix="comparison", inherit_colors=True)
        return to_html(self._document, pictures)


def _models(y_true: Any, y_prob: Any, **options: Any) -> dict[str, Predictions]:
    if y_prob is None and isinstance(y_true, Mapping):
        y_true, y_prob = None, y_true
    if not isinstance(y_prob, Mapping):
        return {"model": as_predictions(y_true, y_prob, **options)}
    models = align(y_true, y_prob, at_least=1, **options)
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


def _title(title: Any) -> str:
    if title is None:
        return "Can these probabilities be trusted?"
    if not isinstance(title, str) or not title.strip():
        raise ValueError(f"`title` must be a text that is not empty; got {title!r}.")
    return " ".join(title.split())
