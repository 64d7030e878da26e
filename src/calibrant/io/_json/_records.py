"""The records of a JSON file, in any of the usual layouts."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from calibrant.errors import InputError, Problem
from calibrant.io._layouts import LABEL_NAMES, LISTS_OF_NAMES, key as name_key
from calibrant.io._nested import are_names, nested_in
from calibrant.io._source import Source

Record = Mapping[str, Any]
#: most characters of a text that is read as a whole, and of one read
_LONGEST, _PIECE = 1 << 31, 1 << 20


def read_records(source: Source) -> tuple[str, list[Record], tuple[Any, ...] | None]:
    """Return the format, json or jsonl, one mapping per row, and the classes if listed."""
    content = _content(source)
    try:
        value = _parse(content)
    except ValueError as error:
        lines = content.split("\n")  # texts may contain other line breaks
        if len(lines) < 2 or not _is_complete(lines[0]):
            raise _malformed(source, error, getattr(error, "lineno", 1)) from error
        return "jsonl", list(_lines(lines, source)), None
    except RecursionError as error:
        raise _malformed(source, error, 1) from error
    if isinstance(value, Mapping) and content.strip().count("\n") == 0 and not _holds_rows(value):
        return "jsonl", [value], None
    listed = _class_list(value)
    if listed is None:
        return "json", _rows(value, source), None
    others = {key: one for key, one in value.items() if key != listed}
    return "json", _rows(others, source), tuple(value[listed])


def _class_list(value: Any) -> str | None:
    """Return the name of the list of classes next to longer columns, if there is one."""
    if not isinstance(value, Mapping) or not all(isinstance(one, list) for one in value.values()):
        return None
    for key, names in value.items():
        lengths = {len(one) for other, one in value.items() if other != key}
        if name_key(key) in LISTS_OF_NAMES and are_names(names) and len(lengths) == 1:
            return None if len(names) in lengths else key
    return None


def _content(source: Source) -> str:
    """Return the text, read in pieces to limit decompression."""
    pieces, length = [], 0
    with source.open() as stream, io.TextIOWrapper(stream, encoding="utf-8-sig") as text:
        try:
            while piece := text.read(_PIECE):
                pieces.append(piece)
                length += len(piece)
                if length > _LONGEST:
                    raise InputError(
                        Problem.FORMAT,
                        f"must have at most {_LONGEST:,} characters",
                        source=source.name,
                        remedy="write Parquet, which is read in parts",
                    )
        except UnicodeDecodeError as error:
            raise InputError(
                Problem.TEXT,
                f"is not UTF-8: {error.reason}",
                source=source.name,
                remedy="save the file in UTF-8",
            ) from error
    return "".join(pieces)


def _lines(lines: Iterable[str], source: Source) -> Iterable[Record]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        yield parse_record(line, source, number)


def parse_record(text: str, source: Source, place: int | str) -> Record:
    """Return the object in a line or in a member of an archive."""
    line, argument = (place, "") if isinstance(place, int) else (None, place)
    try:
        record = _parse(text)
    except (ValueError, RecursionError) as error:
        raise _malformed(source, error, line, argument) from error
    if not isinstance(record, Mapping):
        raise InputError(
            Problem.TEXT,
            "must be an object, {…}",
            argument=argument,
            source=source.name,
            line=line,
            remedy="write one object per row",
        )
    return record


def _rows(value: Any, source: Source) -> list[Record]:
    """Return the rows of a list of objects, or of an object of rows or columns."""
    if _are_records(value):
        return list(value)
    if isinstance(value, Mapping):
        if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
            names, data = value["columns"], value["data"]
            full = all(isinstance(row, list) and len(row) == len(names) for row in data)
            if full and len(set(map(str, names))) == len(names):
                return [dict(zip(map(str, names), row, strict=True)) for row in data]
        if len(value) > 1 and all(isinstance(one, list) for one in value.values()):
            lengths = {len(one) for one in value.values()}
            if len(lengths) == 1:
                return [dict(zip(value, row, strict=True))
                        for row in zip(*value.values(), strict=True)]  # fmt: skip
        inside = {key: one for key, one in value.items() if _are_records(one)}
        if len(inside) == 1 or ("eval" in value and "samples" in inside):
            return list(inside.get("samples", next(iter(inside.values()))))
        if value and all(isinstance(one, Mapping) for one in value.values()):
            keys = [list(one) for one in value.values()]
            if all(one == keys[0] for one in keys):  # pandas: columns of rows, or rows of columns
                if _are_columns(keys[0]) > _are_columns(list(value)) or (
                    _are_numbers(list(value)) and not _are_numbers(keys[0])
                ):
                    return list(value.values())
                return [{name: column[key] for name, column in value.items()} for key in keys[0]]
    raise InputError(
        Problem.FORMAT,
        "must be a list of objects, or one object per line",
        source=source.name,
        remedy="write one object per row, for example "
        '{"label": "cat", "probs": {"cat": 0.7, "dog": 0.3}}',
    )


def _are_columns(keys: Sequence[str]) -> bool:
    """Return whether keys are names of columns, including labels, rather than of rows."""
    return any(name_key(key) in LABEL_NAMES for key in keys)


def _are_numbers(keys: Sequence[str]) -> bool:
    """Return whether keys are row numbers, as in pandas."""
    return list(keys) == list(map(str, range(len(keys))))


def _holds_rows(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a whole table rather than a row."""
    if "columns" in value and "data" in value:
        return True
    tables = all(isinstance(one, list | Mapping) for one in value.values())
    lists = [one for one in value.values() if _are_records(one)]
    # in a row, such a list contains classes and their probabilities
    return tables or (len(lists) == 1 and nested_in(lists) is None)


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _is_complete(line: str) -> bool:
    try:
        _parse(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parse(text: str) -> Any:
    return json.loads(text, parse_constant=_constant, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; refuse a duplicate key, of which Python would keep the last value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs more than once in an object")
    return found


def _constant(word: str) -> float:
    """Return NaN or an infinity, which are not JSON but are written by Python and pandas."""
    return float(word)


def _malformed(
    source: Source, error: BaseException, line: int | None, argument: str = ""
) -> InputError:
    reason = getattr(error, "msg", "") or type(error).__name__
    return InputError(
        Problem.TEXT,
        f"is not well-formed JSON: {reason[:120]}",
        argument=argument,
        source=source.name,
        line=line,
        remedy="write one object per line, or a list of objects",
    )
