"""Cells with several numbers: lists of probabilities, or probabilities by class."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant.errors import InputError, Problem

Array = np.ndarray[Any, Any]

#: keys of a class and of its probability in lists such as [{"label": …, "score": …}, …]
_CLASS_KEYS = ("label", "class", "name", "value", "token")
_PROB_KEYS = ("score", "prob", "probability", "proba", "p", "confidence")
#: arrays as NumPy and torch write them: array([…], dtype=…), tensor([…], device='cuda:0')
_ARRAY = re.compile(r"(?:np\.|numpy\.|torch\.)?(?:array|tensor)\((\[[^()]*\])(?:,\s*\w+=[^()]*)?\)")
#: numbers as NumPy writes them in lists: np.float64(0.5)
_SCALAR = re.compile(r"np\.float\d+\(([^()]*)\)")
#: lists without commas, as NumPy prints them
_PRINTED = re.compile(r"\[[\s\d.eE+\-]*\]")
_LONGEST = 1 << 16
#: JSON allows whole numbers that exceed any float
_LARGEST = 1 << 1023
#: the keys of a Spark vector
_VECTOR = {"type", "size", "indices", "values"}


@dataclass(frozen=True)
class Nested:
    """A column of lists with a fixed number of numbers, which may be named."""

    width: int
    names: tuple[str, ...] | None = None

    def matrix(self, cells: Iterable[Any], file: str, column: str) -> Array:
        """Return the numbers of all rows; refuse rows of another length or with other names."""
        place = None if self.names is None else {name: i for i, name in enumerate(self.names)}
        rows = [self._row(cell, place, file, column, i) for i, cell in enumerate(cells)]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self.width)

    def _row(
        self, cell: Any, place: Mapping[str, int] | None, file: str, column: str, row: int
    ) -> list[float]:
        if cell is None:
            return [np.nan] * self.width
        cell = _dense(cell)
        found = _named(cell) if place is not None else None
        if place is not None and found is not None and found.keys() == place.keys():
            values: list[Any] = [None] * self.width
            for name, value in found.items():
                values[place[name]] = value
        elif place is None and isinstance(cell, Sequence) and len(cell) == self.width:
            values = list(cell)
        else:
            values = []
        if values and all(_is_number(value) for value in values):
            return [np.nan if value is None else float(value) for value in values]
        wanted = (
            f"{self.width} numbers" if place is None else f"a number for each of {self._list()}"
        )
        shown = str(cell)
        raise InputError(
            Problem.SHAPE,
            f"must contain {wanted} in every row",
            source=file,
            column=column,
            row=row,
            got=shown if len(shown) <= 60 else f"{shown[:57]}...",
            remedy="write all rows alike",
        )

    def _list(self) -> str:
        names = self.names or ()
        return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def nested_in(cells: Iterable[Any]) -> Nested | None:
    """Return the form of a column's cells, or None if they are not lists of numbers."""
    found: Nested | None = None
    for cell in map(_dense, cells):
        if cell is None:
            continue
        named = _named(cell)
        if named is not None:
            here = Nested(len(named), tuple(named))
        elif isinstance(cell, list | tuple) and cell and all(map(_is_number, cell)):
            here = Nested(len(cell))
        else:
            return None
        found = found or here
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):  # two values for one class are ambiguous
        raise ValueError("a key occurs more than once")
    return found


def _repeats(node: ast.AST) -> bool:
    """Return whether a dictionary repeats a key, possibly once as a text and once as a number."""
    if not isinstance(node, ast.Dict):
        return False
    keys = {str(ast.literal_eval(key)) for key in node.keys if key is not None}
    return len(keys) < len(node.keys)


def may_hold_several(text: str) -> bool:
    """Return whether a cell may contain a list or a mapping."""
    return text[:1] in ("[", "{") or (text[-1:] == ")" and _ARRAY.fullmatch(text) is not None)


def parse_cell(text: str | None) -> Any:
    """Parse the list or mapping in a text cell, written in JSON or as printed by Python."""
    if text is None or len(text) > _LONGEST or not may_hold_several(text):
        return text
    written = text
    if "(" in text:
        text = _SCALAR.sub(r"\1", _ARRAY.sub(r"\1", text))
    try:
        return json.loads(text, object_pairs_hook=_pairs)
    except (ValueError, RecursionError):
        pass
    try:
        tree = ast.parse(text, mode="eval")
        if not any(map(_repeats, ast.walk(tree))):
            return ast.literal_eval(tree)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    if _PRINTED.fullmatch(text):
        try:
            return [float(number) for number in text[1:-1].split()]
        except ValueError:
            pass
    return written


def _dense(cell: Any) -> Any:
    """Convert a Spark vector, {"type": 1, "values": […]}, or a batch of one, to a list."""
    if isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], list):
        return cell[0]
    if not isinstance(cell, Mapping) or not {"type", "values"} <= cell.keys() <= _VECTOR:
        return cell
    values, places = cell["values"], cell.get("indices")
    if not isinstance(values, list) or cell["type"] not in (0, 1):
        return cell
    if cell["type"] == 1:
        return values
    size = cell.get("size")
    if type(size) is not int or not isinstance(places, list) or not 0 < size <= _LONGEST:
        return cell
    if any(type(place) is not int for place in places):
        return cell
    found = dict(zip(places, values, strict=False))
    is_whole = len(found) == len(places) == len(values) and found.keys() <= set(range(size))
    return [found.get(k, 0.0) for k in range(size)] if is_whole else cell


def _named(cell: Any) -> dict[str, Any] | None:
    """Return the numbers of a cell by name, or None without names."""
    if isinstance(cell, Mapping):
        named = {str(name): value for name, value in cell.items()}
        return named if len(named) > 1 and all(map(_is_number, named.values())) else None
    if not isinstance(cell, list | tuple) or not cell:
        return None
    if all(isinstance(one, tuple) and len(one) == 2 for one in cell):  # Arrow maps
        pairs = [(name, value) for name, value in cell]
    elif all(isinstance(one, Mapping) for one in cell):
        pairs = [pair for one in cell if (pair := _pair(one)) is not None]
    else:
        return None
    named = {str(name): value for name, value in pairs}
    ok = len(named) == len(cell) > 1 and all(map(_is_number, named.values()))
    return named if ok and all(isinstance(name, str | int) for name, _ in pairs) else None


def _pair(one: Mapping[str, Any]) -> tuple[Any, Any] | None:
    """Return the class and the probability of {"label": …, "score": …}."""
    keys = {str(key).lower(): key for key in one}
    names = [keys[key] for key in _CLASS_KEYS if key in keys]
    probs = [keys[key] for key in _PROB_KEYS if key in keys]
    return (one[names[0]], one[probs[0]]) if len(names) == len(probs) == 1 else None


def are_names(cell: Any) -> bool:
    """Return whether a cell is a list of names."""
    return isinstance(cell, list) and all(isinstance(one, str | int) for one in cell)


def named_cell(names: Any, numbers: Any) -> Any:
    """Return numbers by the names listed in another cell, or the numbers alone if it lists none."""
    is_pair = are_names(names) and isinstance(numbers, list) and len(names) == len(numbers)
    if not is_pair or len(set(map(str, names))) < len(names):
        return numbers
    return dict(zip(map(str, names), numbers, strict=True))


def _is_number(value: Any) -> bool:
    if type(value) is int:
        return abs(value) < _LARGEST
    return value is None or isinstance(value, float)
