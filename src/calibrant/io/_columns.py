"""Which column is what: found by name, never guessed."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from calibrant.io._errors import InputError
from calibrant.io._npz import ONLY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from calibrant.io._table import Table

#: names of a column of labels, in small letters
LABEL_NAMES = ("label", "labels", "y_true", "target", "y", "class")
#: what the names of probability columns begin with; the rest is the class
PROB_PREFIXES = ("p_", "prob_", "proba_", "probability_", "p.", "prob.", "proba.")
LOGIT_PREFIXES = ("logit_", "logits_", "logit.", "z_")
#: names of the probability of the positive class, or of a matrix of all
PROB_NAMES = ("p", "prob", "probs", "proba", "probability", "probabilities", "y_prob", "y_proba",
              "y_score", "score")  # fmt: skip
LOGIT_NAMES = ("logit", "logits", "z")
ONE_HOT_PREFIXES = ("y_", "label_", "true_", "target_", "onehot_", "y.", "label.")
#: what pandas calls the column of its index
INDEX_NAMES = ("", "unnamed: 0", "__index_level_0__")
#: columns that number or name the rows, where row sums would tell if one of them were a class
ROW_NAMES = (*INDEX_NAMES, "index", "id", "row", "row_id", "sample", "sample_id", "uid", "uuid")
_LISTED = 12
#: characters of a name that are shown
_LONGEST = 60


@dataclass(frozen=True)
class Wishes:
    """What the user said about the columns."""

    label: str | None = None
    prob: str | None = None
    classes: tuple[str, ...] | None = None
    weight: str | None = None
    id: str | None = None
    groups: tuple[str, ...] = ()
    logits: bool = False
    onehot: bool = False
    normalize: bool = False


@dataclass(frozen=True)
class Columns:
    """What every column was taken for."""

    labels: tuple[str, ...]  # none where the labels are in a file of their own
    probabilities: tuple[str, ...]
    classes: tuple[str, ...] | None  # names that the columns or --classes give
    weight: str | None
    id: str | None
    groups: tuple[str, ...]
    ignored: tuple[str, ...]
    by_elimination: bool = False  # probabilities are what was left, named by the classes


def find_columns(table: Table, wishes: Wishes, *, own_labels: bool = True) -> Columns:
    """Say what every column is, or refuse with the candidates."""
    named = [*((wishes.weight,) if wishes.weight else ()), *((wishes.id,) if wishes.id else ())]
    for name in [*named, *wishes.groups]:
        _require(table, name)
    taken = {*named, *wishes.groups}
    labels = find_labels(table, wishes, taken) if own_labels else ()
    taken |= set(labels)
    if not own_labels:  # labels come from another file: a column of labels is none of ours
        taken |= {name for name in table.column_names if name.lower() in LABEL_NAMES}
    probabilities, suffixes = _probabilities(table, wishes, taken)
    probabilities, names = _in_order(table, wishes, probabilities, suffixes)
    _require_one_meaning(table, wishes, labels, probabilities)
    used = {*taken, *probabilities}
    return Columns(
        labels,
        probabilities,
        names,
        wishes.weight,
        wishes.id,
        wishes.groups,
        tuple(name for name in table.column_names if name not in used),
        by_elimination=wishes.prob is None
        and wishes.classes is None
        and len(probabilities) > 1
        and all(column == suffix for column, suffix in suffixes.items()),
    )


def find_labels(table: Table, wishes: Wishes, taken: set[str]) -> tuple[str, ...]:
    """Find the label column, or the one-hot columns."""
    free = [name for name in table.column_names if name not in taken]
    if wishes.onehot:
        return _one_hot(table, wishes, free)
    if wishes.label is not None:
        return (_require(table, wishes.label),)
    found = [name for name in free if name.lower() in LABEL_NAMES]
    if len(found) > 1:
        raise InputError(
            f"{table.name}: {listed(found)} could all be the labels. Say which with --label, for "
            f"example --label {found[0]}"
        )
    if not found:
        alone = len(table.widths) == 1 and table.format == "csv"
        raise InputError(
            f"{table.name}: there is no label column: none of the columns {listed(free)} is called "
            f"{', '.join(LABEL_NAMES)}. Name it with --label, or give the labels in a file of "
            "their own with --labels"
            + (
                ". The first line must name all columns; --delimiter says what is between them"
                if alone
                else ""
            )
        )
    return (found[0],)


def _require_one_meaning(
    table: Table, wishes: Wishes, labels: tuple[str, ...], probabilities: tuple[str, ...]
) -> None:
    """Refuse labels that are also something else: no test of them would be valid."""
    others = {"--prob": probabilities, "--group": wishes.groups, "--weight": (wishes.weight,)}
    for option, names in others.items():
        twice = [name for name in labels if name in names]
        if twice:
            raise InputError(
                f"{table.name}: column {twice[0]!r} holds the labels and cannot be {option}, too. "
                "Name another column: what depends on the labels tells nothing about calibration"
            )


def split_names(text: str) -> list[str]:
    """Split a list of names at commas; names with commas are quoted as in CSV."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def class_in_name(columns: Sequence[str], prefixes: Sequence[str]) -> dict[str, str]:
    """Return what follows the prefix that all columns share, or nothing."""
    for prefix in prefixes:
        if all(c.lower().startswith(prefix) and len(c) > len(prefix) for c in columns):
            return {column: column[len(prefix) :].strip() for column in columns}
    return {}


def listed(names: Iterable[str]) -> str:
    """List names, shortened."""
    shown = [repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…") for name in names]
    more = [f"and {len(shown) - _LISTED} more"] if len(shown) > _LISTED else []
    return ", ".join([*shown[:_LISTED], *more]) or "(none)"


def _require(table: Table, name: str) -> str:
    if name not in table.widths:
        raise InputError(
            f"{table.name}: there is no column {name!r}; there are {listed(table.column_names)}. "
            "Check the spelling"
        )
    return name


def _one_hot(table: Table, wishes: Wishes, free: list[str]) -> tuple[str, ...]:
    if wishes.label is not None:
        return tuple(_selected(table, wishes.label, "--label"))
    groups = _by_prefix(free, ONE_HOT_PREFIXES)
    wide = [name for name in free if name.lower() in LABEL_NAMES and table.widths[name] > 1]
    candidates = [tuple(names) for names in groups.values() if len(names) > 1]
    candidates += [(name,) for name in wide]
    if len(candidates) == 1:
        return candidates[0]
    found = "; ".join(listed(names) for names in candidates) or "none"
    raise InputError(
        f"{table.name}: --onehot needs columns named alike, for example y_cat, y_dog; found "
        f"{found}. Name them with --label, for example --label 'y_*'"
    )


def _probabilities(
    table: Table, wishes: Wishes, taken: set[str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the probability columns, and the class that each one's name says."""
    free = [name for name in table.column_names if name not in taken]
    if wishes.prob is not None:
        chosen = _selected(table, wishes.prob, "--prob")
        return tuple(chosen), _suffixes(chosen, wishes.logits, explicit=True)
    prefixes = LOGIT_PREFIXES if wishes.logits else PROB_PREFIXES
    groups = _by_prefix(free, prefixes)
    names = LOGIT_NAMES if wishes.logits else PROB_NAMES
    single = [name for name in free if name.lower() in names or name == ONLY]
    if not single and not groups:
        single = [name for name in free if table.widths[name] > 1]
    candidates = [tuple(group) for group in groups.values()] + [(name,) for name in single]
    if len(candidates) > 1:
        told = " or ".join(f"({listed(group)})" for group in candidates)
        raise InputError(
            f"{table.name}: the probabilities could be {told}. Say which with --prob, for example "
            f"--prob {_example(candidates[0])}"
        )
    if candidates:
        return candidates[0], _suffixes(candidates[0], wishes.logits)
    no_class = INDEX_NAMES if wishes.logits or wishes.normalize else ROW_NAMES
    rest = [name for name in free if name.lower() not in no_class]
    if not wishes.logits and _by_prefix(free, LOGIT_PREFIXES):
        raise InputError(
            f"{table.name}: there are no probabilities, but columns of logits "
            f"({listed(free)}). Pass --logits"
        )
    if len(rest) < 2:
        what = "logit" if wishes.logits else "probability"
        raise InputError(
            f"{table.name}: there is no {what} column; the columns are "
            f"{listed(table.column_names)}. Call them {prefixes[0]}CLASS, one per class, or name "
            "them with --prob"
        )
    # what is left must be columns named by the classes; values and labels are checked later
    return tuple(rest), {name: name for name in rest}


def _in_order(
    table: Table, wishes: Wishes, columns: tuple[str, ...], suffixes: dict[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Put columns and class names together; names given by the user find their columns."""
    said = wishes.classes
    if said is None:
        if len(columns) == 1 and table.widths[columns[0]] > 1:
            return columns, table.class_names
        return columns, tuple(suffixes[c] for c in columns) if suffixes else None
    column_of = {suffix: column for column, suffix in suffixes.items()}
    if suffixes and set(said) == set(column_of):
        return tuple(column_of[name] for name in said), said
    bare = all(column == suffix for column, suffix in suffixes.items())
    if suffixes and bare and wishes.prob is None and set(said) < set(column_of):
        # columns named by classes, among others that are not
        return tuple(column_of[name] for name in said), said
    common = [name for name in said if name in column_of]
    if common:
        raise InputError(
            f"{table.name}: --classes and the columns must name the same classes; got "
            f"{listed(said)} and {listed(column_of)}. Correct --classes, or choose the columns "
            "with --prob"
        )
    return columns, said


def _selected(table: Table, wish: str, option: str) -> list[str]:
    """Return the columns of a list of names and patterns such as ``p_*``."""
    if wish in table.widths:
        return [wish]
    chosen: list[str] = []
    for name in split_names(wish):
        if name in table.widths:
            chosen.append(name)
        elif "*" in name:
            matching = [column for column in table.column_names if fnmatchcase(column, name)]
            if not matching:
                raise InputError(
                    f"{table.name}: no column matches {option} {name!r}; there are "
                    f"{listed(table.column_names)}"
                )
            chosen += matching
        else:
            _require(table, name)
    return list(dict.fromkeys(chosen))


def _by_prefix(names: Sequence[str], prefixes: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        for prefix in prefixes:
            if name.lower().startswith(prefix) and len(name) > len(prefix):
                groups.setdefault(prefix, []).append(name)
                break
    return groups


def _suffixes(columns: Sequence[str], logits: bool, explicit: bool = False) -> dict[str, str]:
    """Return the class in each name: after a common prefix, or the whole name."""
    found = class_in_name(columns, LOGIT_PREFIXES if logits else PROB_PREFIXES)
    if not found and explicit and len(columns) > 1:
        return {column: column for column in columns}
    return found


def _example(columns: Sequence[str]) -> str:
    return columns[0] if len(columns) == 1 else f"'{','.join(columns[:3])}'"
