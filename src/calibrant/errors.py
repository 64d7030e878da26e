"""The exceptions and warnings that you may want to catch.

::

    Exception
    └── CalibrantError
        ├── DataError, a ValueError: data that cannot be read with certainty
        │   └── InputError: … in a file
        ├── EnvironmentVariableError, a ValueError: an unknown value of CALIBRANT_CORE or _SIMD
        ├── CheckpointError, a RuntimeError: a checkpoint that cannot be resumed
        └── WorkersLost, a RuntimeError: worker processes died
    UserWarning
    └── RowSumWarning: rows did not sum to 1 and were divided by their sums

A parameter out of its range is a plain `ValueError`, one of the wrong type a `TypeError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields
from enum import Enum
from functools import partial
from typing import Any

__all__ = [
    "Argument",
    "CalibrantError",
    "CheckpointError",
    "DataError",
    "EnvironmentVariableError",
    "InputError",
    "Problem",
    "RowSumWarning",
    "WorkersLost",
]


def __dir__() -> list[str]:
    return sorted(__all__)


class Problem(Enum):
    """The kinds of invalid data; each value is a short description.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.errors import DataError
    >>> try:
    ...     Predictions([0, 1], [[70, 30], [20, 80]])
    ... except DataError as error:
    ...     print(error.problem.name, error.row, error.column, error.value)
    PERCENTAGES 0 0 70.0
    """

    # arrays
    NOT_AN_ARRAY = "not an array of rows"
    SHAPE = "the wrong shape"
    EMPTY = "no rows"
    TOO_FEW_ROWS = "too few rows"
    LENGTHS = "different numbers of rows"
    OTHER_ROWS = "different rows"
    TRANSPOSED = "rows and columns exchanged"
    SWAPPED = "labels and probabilities exchanged"
    REPEATED = "an argument given twice, or in two places"
    # values
    MISSING = "missing values"
    NOT_NUMBERS = "values that are not numbers"
    NOT_FINITE = "NaN or infinite values"
    RANGE = "values out of range"
    ROUNDING = "probabilities just outside [0, 1]"
    LOG_PROBABILITIES = "log-probabilities"
    PERCENTAGES = "percentages"
    GRADES = "grades"
    SCORES = "counts or scores"
    LOGITS = "logits"
    ROW_SUMS = "rows that do not sum to 1"
    CLUSTERS = "too few clusters"
    # labels and classes
    FRACTIONS = "labels that are not whole numbers"
    SOFT = "soft labels where labels are needed"
    ONE_HOT = "rows that are not one-hot"
    ONE_BASED = "labels that start at 1"
    LABEL_RANGE = "labels outside 0, …, n_classes - 1"
    UNKNOWN_LABEL = "labels that are not classes"
    UNCERTAIN_LABELS = "labels that may be names or positions"
    UNCERTAIN_START = "labels that may start at 0 or at 1"
    TOO_MANY_LABELS = "more labels than classes"
    POSITIVE_CLASS = "no certain positive class"
    CLASSES = "unusable names of classes"
    LENS = "a lens that does not fit the classes"
    # files
    NO_FILE = "no readable file"
    FORMAT = "an unknown format"
    BROKEN = "a broken file"
    DEPENDENCY = "a missing package"
    TEXT = "malformed text"
    HEADER = "an unusable header"
    COLUMNS = "columns of unknown meaning"
    IDENTIFIERS = "identifiers that do not match"
    OCCUPIED = "a folder that is in use"


@dataclass(frozen=True)
class Argument:
    """An argument named in a message; the command line spells it as an option.

    Parameters
    ----------
    name : str
        The name.
    value : object, optional
        What to pass.

    Examples
    --------
    >>> from calibrant.errors import Argument
    >>> print(Argument("normalize", True))
    `normalize=True`
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        return f"`{self.name}`" if self.value is None else f"`{self.name}={self.value!r}`"


#: a text, or the parts of a text, some of which are arguments
Words = str | tuple[str | Argument, ...]


class CalibrantError(Exception):
    """The base of all exceptions of calibrant.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.errors import CalibrantError
    >>> try:
    ...     cal.Predictions([0, 1], [0.5])
    ... except CalibrantError as error:
    ...     print(error)
    `y_prob` must have one row per label, 2 in all; got 1.
    """


@dataclass(eq=False, repr=False)
class DataError(CalibrantError, ValueError):
    """Data that cannot be read with certainty; the message is built from the fields.

    Parameters
    ----------
    problem : Problem
        The kind of problem.
    rule : str or tuple
        The rule that the data break. A text may be a tuple of parts, some of them `Argument`.
    argument : str
        The argument that the rule applies to, such as ``y_prob``.
    got : str or tuple
        What was found instead.
    count : int or None
        How many rows or values break the rule.
    value : object
        The first offending value.
    row, column : int, str or None
        Its position; rows count from 0.
    hint : str
        What the data look like, such as percentages.
    remedy : str or tuple
        How to fix it.
    source : str
        The file or model that the data come from.
    notes : tuple
        Additional lines of the message, or further errors.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.errors import DataError
    >>> try:
    ...     Predictions([0, 1], [[0.5, 0.4], [0.2, 0.8]])
    ... except DataError as error:
    ...     print(error.problem, error.row, error.count)
    Problem.ROW_SUMS 0 1
    """

    problem: Problem
    rule: Words
    _: KW_ONLY
    argument: str = ""
    got: Words = ""
    count: int | None = None
    value: Any = None
    row: int | None = None
    column: int | str | None = None
    hint: str = ""
    remedy: Words = ""
    source: str = ""
    notes: tuple[Words | DataError, ...] = ()

    def __str__(self) -> str:
        return self.text()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{f.name: getattr(self, f.name) for f in fields(self)}), ()

    def text(self, spell: Callable[[Argument], str] = str) -> str:
        """Return the message, with arguments written by `spell`."""
        advice = ": ".join(part for part in (self.hint, _join(self.remedy, spell)) if part)
        first = f"{self.source}: " if self.source else ""
        first += f"{self._refusal(spell)}."
        if advice:
            first += f" {advice[0].upper()}{advice[1:]}."
        from calibrant._output import one_line  # names of files and columns may contain anything

        return "\n".join([one_line(first), *(_line(note, spell) for note in self.notes)])

    def _refusal(self, spell: Callable[[Argument], str]) -> str:
        is_name = self.argument.isidentifier()
        argument = spell(Argument(self.argument)) if is_name else self.argument
        place, got = self._place(), _join(self.got, spell)
        value = f"{self.value:.6g}" if isinstance(self.value, float) else repr(self.value)
        text = f"{argument or place} {_join(self.rule, spell)}".lstrip()
        if not got:
            return text if self.value is None else f"{text}; got {value}"
        if not (argument and place):
            return f"{text}; got {got}"
        first = "the first" if self.value is None else f"the first ({value})"
        return f"{text}; got {got}, {first} at {place}"

    def _place(self) -> str:
        row = [] if self.row is None else [self._row(self.row)]
        column = [] if self.column is None else [f"column {self.column!r}"]
        return ", ".join([*row, *column])

    def _row(self, row: int) -> str:
        return f"row {row}"


@dataclass(eq=False, repr=False)
class InputError(DataError):
    """A file that cannot be read with certainty; `source` is its name.

    Parameters
    ----------
    problem, rule
        See `DataError`.
    line : int or None
        The line of a text file.
    argument, got, count, value, row, column, hint, remedy, source, notes
        See `DataError`; `column` is the name of the column.

    Examples
    --------
    >>> from calibrant.errors import InputError
    >>> from calibrant.io import read_predictions
    >>> try:
    ...     read_predictions("nowhere.csv")
    ... except InputError as error:
    ...     print(error)
    nowhere.csv: there is no such file. Check the path; `-` reads standard input.
    """

    line: int | None = None

    @classmethod
    def of(cls, error: DataError, **changes: Any) -> InputError:
        """Return a data error as a file error, with some fields changed."""
        known = {field.name: getattr(error, field.name) for field in fields(DataError)}
        return cls(**known | changes)

    def _place(self) -> str:
        line = [] if self.line is None else [f"line {self.line}"]
        return ", ".join([*line, *filter(None, [super()._place()])])

    def _row(self, row: int) -> str:
        return f"row {row} (the {_ordinal(row + 1)} row of data)"


class EnvironmentVariableError(CalibrantError, ValueError):
    """One of calibrant's environment variables has an unknown value.

    Parameters
    ----------
    name : str
        The variable.
    choices : tuple of str
        The known values.
    got : str
        The value that was found.

    Examples
    --------
    >>> from calibrant.errors import EnvironmentVariableError
    >>> print(EnvironmentVariableError("CALIBRANT_CORE", ("native", "numpy"), "fast"))
    the environment variable CALIBRANT_CORE must be native or numpy; got 'fast'
    """

    def __init__(self, name: str, choices: tuple[str, ...], got: str) -> None:
        super().__init__(name, choices, got)

    def __str__(self) -> str:
        name, choices, got = self.args
        either = f"{', '.join(choices[:-1])} or {choices[-1]}"
        return f"the environment variable {name} must be {either}; got {got!r}"


class CheckpointError(CalibrantError, RuntimeError):
    """A checkpoint that cannot be resumed: damaged, in use, or from a different computation.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import calibrant as cal
    >>> from calibrant.errors import CheckpointError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "notes.txt"
    ...     _ = path.write_text("not a checkpoint")
    ...     try:
    ...         cal.calibration_test([0, 1], [0.5, 0.5], rng=0, checkpoint=str(path))
    ...     except CheckpointError:
    ...         print(path.read_text())
    not a checkpoint

    The file was left unchanged.
    """


class WorkersLost(CalibrantError, RuntimeError):  # noqa: N818 - it says what happened
    """Worker processes died or were shut down, usually because memory ran out.

    Examples
    --------
    >>> from calibrant.errors import WorkersLost
    >>> issubclass(WorkersLost, RuntimeError)
    True
    """


class RowSumWarning(UserWarning):
    """Some rows of `y_prob` did not sum to 1 and were divided by their sums.

    Parameters
    ----------
    divided : str
        The rows that were divided, in words.
    worst : float
        The largest deviation of a row sum from 1.

    Examples
    --------
    >>> import warnings
    >>> from calibrant import Predictions
    >>> from calibrant.errors import RowSumWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", RowSumWarning)
    ...     Predictions([0], [[0.4975, 0.4975]]).y_prob
    array([[0.5, 0.5]])
    """

    def __init__(self, divided: str, worst: float) -> None:
        super().__init__(divided, worst)
        self.divided = divided
        self.worst = worst

    def __str__(self) -> str:
        return self.text()

    def text(self, spell: Callable[[Argument], str] = str) -> str:
        """Return the message, with arguments written by `spell`."""
        return (
            f"`y_prob` must have rows that sum to 1; divided {self.divided} by the row sum, off by "
            f"at most {self.worst:.2g}. Pass {spell(Argument('normalize', True))} to do so without "
            "a warning."
        )


def _line(note: Words | DataError, spell: Callable[[Argument], str]) -> str:
    from calibrant._output import one_line

    text = note.text(spell) if isinstance(note, DataError) else one_line(f"{_join(note, spell)}.")
    return text[0].upper() + text[1:]


def _join(words: Words, spell: Callable[[Argument], str]) -> str:
    parts = (words,) if isinstance(words, str) else words
    return "".join(part if isinstance(part, str) else spell(part) for part in parts)


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
