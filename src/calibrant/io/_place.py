"""Where in the file: rows and columns of an array in the words of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from calibrant.io._columns import listed
from calibrant.io._errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.io._columns import Columns

_ROW = re.compile(r"\brow (\d+)(?:, column (\d+))?")
#: what an argument of `Predictions` is called in a file and on the command line; first one wins
_REMEDIES = (
    ("looks transposed", "Write one line per prediction and one column per class"),
    ("look like log-probabilities", "--logits"),
    ("look like percentages", "--normalize"),
    ("rounding noise", "--normalize, after setting values outside [0, 1] to the nearest end"),
    ("classes=range(1,", "--one-based"),
    ("look like counts or scores, or like logits", "--normalize or --logits"),
    ("Pass normalize=True to divide", "--normalize, or --logits"),
    ("from_logits", "--logits"),
    ("pos_label=", "--pos-label LABEL"),
    ("one column per class", "--prob COLUMNS, one per class"),
    ("classes=", "--classes NAMES, in the order of the columns; or correct the labels"),
    ("Soft or multiple labels", "leave --onehot out and name one column with --label"),
    ("probabilities, pass them", "--label COLUMN and --prob COLUMNS"),
)


def located(
    message: str, file: str, columns: Columns, strangers: Sequence[str] = (), alike: str = ""
) -> InputError:
    """Put the file, the place in it and the option before and behind a message of the library."""
    lines = [message]
    place = _place(message, columns)
    if place:
        lines.append(place)
    option = next((option for part, option in _REMEDIES if part in message), None)
    if strangers:
        # a wrong value in a column that no label is called like: the column is wrong, not the value
        first = _column(message, columns) in strangers
        lines.insert(0 if first else len(lines), stranger_hint(strangers, columns))
    elif option is not None:
        lines.append(f"On the command line: {option}" if option.startswith("--") else option)
    if alike:
        lines.append(alike)
    labels = listed(columns.labels) if columns.labels else "a file of their own"
    lines.append(
        f"Labels were taken from {labels}, probabilities from {listed(columns.probabilities)}; "
        "choose others with --label and --prob"
        + (f" ({listed(columns.ignored)} ignored)" if columns.ignored else "")
    )
    return InputError(f"{file}: " + "\n".join(f"{line.rstrip('.')}." for line in lines))


def stranger_hint(strangers: Sequence[str], columns: Columns) -> str:
    """Say that some columns may be no classes, since no label is called like them."""
    others = [name for name in columns.probabilities if name not in strangers]
    example = ",".join(others) if 1 < len(others) <= 12 else "p_*"
    return (
        f"No label is called {listed(strangers)}: name the probability columns with --prob, for "
        f"example --prob '{example}'"
    )


def _place(message: str, columns: Columns) -> str:
    found = _ROW.search(message)
    if found is None:
        return ""
    row = int(found[1])
    text = f"Rows count from 0: row {row} is the {_ordinal(row + 1)} row of data"
    name = _column(message, columns)
    return text if name is None else f"{text}, column {found[2]} is {name!r}"


def _column(message: str, columns: Columns) -> str | None:
    """Return the name of the column that a message is about."""
    found = _ROW.search(message)
    if found is None or found[2] is None or int(found[2]) >= len(columns.probabilities):
        return None
    return columns.probabilities[int(found[2])]


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
