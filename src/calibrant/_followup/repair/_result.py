"""The result of a repair: the map, the evidence, and a recommendation in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from calibrant._followup.repair._candidates import Candidate
from calibrant._followup.repair._changes import Change
from calibrant._followup.repair._checks import MOST_ROWS, Check
from calibrant._followup.repair._groups import GroupChange
from calibrant._followup.repair._tables import (
    candidate_rows,
    candidate_table,
    check_rows,
    frame_row,
    gain_text,
    group_table,
    measure_table,
)
from calibrant._native import FloatArray
from calibrant._output import (
    Count,
    Framed,
    Plain,
    Rate,
    Section,
    Worded,
    counted,
    data_text,
    facts,
    left_out,
    number,
    percent,
    pvalue_text,
    written_as,
)
from calibrant._predictions import Predictions
from calibrant.effects import Effect
from calibrant.recalibration import (
    Calibrator,
    FittedMap,
    FittedTemperature,
    from_document,
    to_document,
)

#: the significance at which the verdict says "evidence"
ALPHA = 0.05


def _write(calibrator: Calibrator) -> dict[str, Any] | None:
    try:
        return to_document(calibrator)
    except TypeError:  # not a calibrant map
        return None


@dataclass(frozen=True, eq=False)
class RepairResult(Plain, Framed, Worded):
    """The recommended repair: the map to apply and the evidence for it.

    Attributes
    ----------
    calibrator : Calibrator
        The chosen map, fitted to all rows.
    candidates : tuple of Candidate
        All candidates, with the change of log loss and Brier score on unseen rows.
    checks : tuple of Check
        Tests of the model before and after the repair, each with its question.
    measures : tuple of Change
        ECE, RMSCE, accuracy, Brier score and log loss before and after, on unseen rows.
    groups : tuple of GroupChange
        The change by the chosen map in the given groups.
    n_samples, n_classes, n_folds : int
        Numbers of rows, classes and folds.
    confidence_level : float
        Coverage of the intervals.
    details : mapping
        Seed, number of label sets and other choices.
    repaired : Predictions or None
        All rows with their out-of-fold probabilities, for plots and further measures; not part of
        `to_dict`.

    Notes
    -----
    `to_frame` has one row for each candidate, with the columns ``candidate``, ``n_parameters``,
    ``log_loss``, ``log_loss_low``, ``log_loss_high``, ``brier``, ``brier_low``, ``brier_high``
    (changes, negative is better), ``chosen`` and ``note``.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)
    >>> result = cal.repair(*model.sample(500, rng=0), rng=0)
    >>> result.chosen, f"{result.map.temperature:.2f}"
    ('temperature', '2.07')
    >>> cal.RepairResult.from_dict(result.to_dict()).verdict == result.verdict
    True

    The recommendation survives a round trip through JSON.
    """

    calibrator: Calibrator = field(metadata=written_as(Mapping[str, Any] | None, _write))
    candidates: tuple[Candidate, ...] = field(repr=False)
    checks: tuple[Check, ...] = field(repr=False)
    measures: tuple[Change, ...] = field(repr=False)
    groups: tuple[GroupChange, ...] = field(repr=False)
    n_samples: Count
    n_classes: Count
    n_folds: Count
    confidence_level: Rate
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    repaired: Predictions | None = field(default=None, repr=False, metadata=left_out())

    def __post_init__(self) -> None:
        given: Any = self.calibrator
        if isinstance(given, Mapping):  # after a round trip through JSON
            object.__setattr__(self, "calibrator", from_document(given))

    @property
    def chosen(self) -> str:
        """The name of the chosen map."""
        return self.calibrator.name

    @property
    def map(self) -> FittedMap:
        """The chosen map, fitted to all rows."""
        return self.calibrator.map

    @property
    def is_identity(self) -> bool:
        """Whether the model is best left unchanged."""
        return self.chosen == "identity"

    def apply(self, y_prob: Any) -> FloatArray:
        """Return recalibrated probabilities of new predictions.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Predictions of the same model.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self.calibrator.apply(y_prob)

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the calibrator as a small JSON text, and write it if a path is given.

        `calibrant.recalibration.load` reads the file, and so can any language. For the whole
        result, see `to_dict`.

        Parameters
        ----------
        path : path, optional
            The file to write.

        Returns
        -------
        str
        """
        return self.calibrator.to_json(path)

    def to_onnx(self, path: str | Path | None = None, **options: Any) -> Any:
        """Return the calibrator as an ONNX model; see `calibrant.recalibration.Calibrator`."""
        return self.calibrator.to_onnx(path, **options)

    def check(self, question: str) -> Check | None:
        """Return the test that answers a question, or None if it was not run."""
        return next((one for one in self.checks if one.question == question), None)

    @property
    def after(self) -> Check | None:
        """The test after the repair that the verdict quotes.

        It is the test of all out-of-fold rows if that keeps its level, else that of the split.
        """
        pooled = self.check("left beyond this family")
        return pooled or self.check("the fitted map, on unseen rows")

    @property
    def gain(self) -> Effect | None:
        """The change of the log loss by the chosen map on unseen rows; negative is better."""
        return next(one.log_loss for one in self.candidates if one.name == self.chosen)

    @property
    def verdict(self) -> str:
        """The recommendation and its gain."""
        if self.is_identity:
            return self._leave()
        assert self.gain is not None
        text = f"{self.calibrator.describe()}: this {gain_text(self.gain)}"
        noise = " The gain may be noise." if self.gain.interval.high > 0.0 else ""
        after = self.after
        if after is None:
            return f"{text}.{noise}"
        p = pvalue_text(after.pvalue, self._n_resamples)
        is_left = after.pvalue <= ALPHA
        what = "there is still evidence" if is_left else "no evidence"
        end = "" if is_left else " is left"
        return f"{text}; on unseen rows {what} against calibration{end} ({p}).{noise}"

    @property
    def highlights(self) -> tuple[str, ...]:
        """The candidates and the tests, one line each."""
        lines = [
            f"{row[0]}: {f'log loss {row[2]}, Brier score {row[3]}' if row[3] else row[2]}"
            for row in candidate_rows(self.candidates, self.chosen)
        ]
        return (*lines, *(f"{name}: {text}" for name, text in self._check_rows()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats."""
        return tuple(self._notes())

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of `summary` after the verdict."""
        share = percent(self.confidence_level, 6)
        heading = f"Change on unseen rows ({self.n_folds} folds), with {share} intervals:"
        sections = [Section(heading, table=candidate_table(self.candidates, self.chosen))]
        if not self.is_identity:
            heading = "Before and after, on unseen rows:"
            sections.append(Section(heading, table=measure_table(self.measures)))
        if self.groups:
            heading = "Change of the log loss by group:"
            sections.append(Section(heading, table=group_table(self.groups)))
        data = ("data", data_text(self.n_samples, self.n_classes))
        notes = [("note", note) for note in self.notes]
        rows = [data, *self._check_rows(), *notes]
        return (*sections, Section("Tests of calibration:", table=facts(rows)))

    def _leave(self) -> str:
        fitted = [one for one in self.candidates if one.log_loss is not None]
        if len(fitted) == 1 and len(self.candidates) > 1:
            return (
                f"Leave it as it is: {counted(self.n_samples, 'row')} are too few to fit a repair."
            )
        before = self.check("the model as it is")
        if before is not None and before.pvalue <= ALPHA:
            return (
                "Leave it as it is: no candidate helps, although there is evidence against "
                f"calibration ({pvalue_text(before.pvalue, self._n_resamples)})."
            )
        return "Leave it as it is: no candidate helps."

    def _check_rows(self) -> list[tuple[str, str]]:
        return check_rows(self.checks, self.n_samples, self._n_resamples)

    @property
    def _n_resamples(self) -> int | None:
        return self.details.get("n_resamples")

    def _notes(self) -> list[str]:
        notes = []
        impossible = self.details.get("impossible_labels")
        if impossible:
            notes.append(
                f"{counted(impossible, 'label')} had predicted probability 0, which was replaced "
                f"by {number(self.details['floor'])}; the gain depends on that number"
            )
        if not self.is_identity and not getattr(self.map, "keeps_ranking", False):
            notes.append("the map can change the predicted class: compare the accuracies")
        if isinstance(self.map, FittedTemperature) and not 0.051 < self.map.temperature < 19.9:
            notes.append(
                "the temperature is at its bound, because the predicted class was nearly always "
                "right, or nearly always wrong: use more rows"
            )
        if self.details.get("n_clusters") is not None:
            notes.append(
                "the tests keep the rows of a cluster together, which makes them approximate"
            )
        elif any(one.n_samples == MOST_ROWS for one in self.checks):
            notes.append(f"the tests used {MOST_ROWS:,} rows, drawn at random")
        worse = [f"{one.grouping} {one.name}" for one in self.groups if one.is_worse]
        if worse:
            notes.append(f"the map makes the log loss worse in {', '.join(worse)}")
        return notes

    def _columns(self) -> dict[str, list[Any]]:
        rows = [frame_row(one) | {"chosen": one.name == self.chosen} for one in self.candidates]
        notes = [one.note for one in self.candidates]
        return {name: [row[name] for row in rows] for name in rows[0]} | {"note": notes}

    def __bool__(self) -> NoReturn:
        raise TypeError("the truth value of a repair is ambiguous; ask `result.is_identity`")
