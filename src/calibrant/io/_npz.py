"""NumPy files: npz (arrays by name) and npy (one array). Pickles are never loaded."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from calibrant.errors import InputError, Problem
from calibrant.io._errors import broken_file
from calibrant.io._growing import EXACT, Texts, cell
from calibrant.io._options import PROB
from calibrant.io._source import Source
from calibrant.io._table import Array, Content, Progress, Request, Table

#: the name of the only array of an npy file
ONLY = "array"
#: the array that names the classes
CLASSES = "classes"
#: most bytes of all class names, which are always read
_NAMES = 1 << 26
#: most arrays of a file, whose headers are all read
_MEMBERS = 10_000
#: the last code point, and the leading bits of surrogates
_LAST_CHARACTER, _SURROGATES = 0x10FFFF, 0xD800 >> 11


@dataclass(frozen=True)
class Member:
    """An array of a file: its header, and how to load it."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    load: Callable[[], Array]

    @property
    def size(self) -> int:
        """The size in memory, in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


class ArrayTable(Table):
    """Arrays as a table: vectors are columns, matrices are wide columns, loaded on request."""

    def __init__(self, name: str, kind: str, members: Mapping[str, Member]) -> None:
        self.name = name
        self.format = kind
        #: all arrays of the file
        self.members = dict(members)
        members = dict(members)
        if CLASSES in members:
            shape = members[CLASSES].shape
            if len(shape) != 1:
                raise self._refuse(CLASSES, "must have one name per class", f"shape {shape}")
            self.class_names = self._names_in(members.pop(CLASSES))
        self._members = {key: one for key, one in members.items() if len(one.shape) in (1, 2)}
        if not self._members:
            shapes = ", ".join(f"{key}: shape {one.shape}" for key, one in members.items())
            raise InputError(
                Problem.SHAPE,
                "there must be an array of shape (n,) or (n, m)",
                source=name,
                got=shapes or "none",
                remedy="save labels and probabilities: `np.savez(file, y_true=y, y_prob=p)`",
            )
        self.widths = {key: 1 if len(one.shape) == 1 else one.shape[1]
                       for key, one in self._members.items()}  # fmt: skip

    def read(self, request: Request, progress: Progress | None = None) -> Content:
        """Return the requested arrays; a single matrix is not copied."""
        return Content(
            {key: self._stacked(list(names)) for key, names in request.matrices.items()},
            {name: self._vector(name) for name in request.numbers},
            {name: self._texts(name) for name in request.texts},
        )

    def _names_in(self, member: Member) -> tuple[Any, ...]:
        if member.size > _NAMES:
            raise self._refuse(CLASSES, f"must take at most {_NAMES:,} bytes", f"{member.size:,}")
        names = _decoded(self.name, member.load())
        if names.dtype.kind not in "biuU":
            names = self._whole(names)
        # stripped of blanks, as labels are
        return tuple(n.strip() if isinstance(n, str) else n for n in names.tolist())

    def _whole(self, names: Array) -> Array:
        whole = names.dtype.kind == "f" and bool(np.all(np.abs(names) < EXACT))
        if not whole or np.any(names != np.trunc(names)):
            raise self._refuse(
                CLASSES, "must contain strings or whole numbers", f"dtype {names.dtype}"
            )
        return names.astype(np.int64)

    def _texts(self, name: str) -> Array | Texts:
        return _labels(_decoded(self.name, self._one_per_row(name)))

    def _stacked(self, names: list[str]) -> Array:
        for name in names:
            self._require_numbers(name)
        lengths = {name: self._members[name].shape[0] for name in names}
        if len(set(lengths.values())) > 1:
            raise InputError(
                Problem.LENGTHS,
                "arrays must have the same number of rows",
                source=self.name,
                got=str(lengths),
            )
        parts = [self._members[name].load() for name in names]
        return parts[0] if len(parts) == 1 else np.column_stack(parts)

    def _vector(self, name: str) -> Array:
        self._require_numbers(name)
        return self._one_per_row(name)

    def _one_per_row(self, name: str) -> Array:
        member = self._members[name]
        if self.widths[name] != 1:
            raise self._refuse(name, "must have one value per row", f"shape {member.shape}")
        return member.load().reshape(-1)

    def _require_numbers(self, name: str) -> None:
        dtype = self._members[name].dtype
        if dtype.hasobject:
            raise _pickled(self.name)
        if dtype.kind not in "biuf":
            raise InputError(
                Problem.NOT_NUMBERS,
                "must contain numbers",
                source=self.name,
                column=name,
                got=f"dtype {dtype}",
                remedy=("choose the probabilities with ", PROB),
            )

    def _refuse(self, column: str, rule: str, got: str) -> InputError:
        return InputError(Problem.SHAPE, rule, source=self.name, column=column, got=got)


def read_npz(source: Source) -> ArrayTable:
    """Read the headers of all arrays in an npz file."""
    members: dict[str, Member] = {}
    with _explained(source, "npz"), zipfile.ZipFile(source.path) as archive:
        _require_arrays(source.name, archive.namelist())
        for name in archive.namelist():
            if name.endswith(".npy"):
                members[name.removesuffix(".npy")] = _member(source, archive, name)
    return ArrayTable(source.name, "npz", members)


def read_npy(source: Source) -> ArrayTable:
    """Map an npy file into memory; the fields of a structured array become columns."""
    with _explained(source, "npy"):
        values = np.load(source.path, mmap_mode="r", allow_pickle=False)
    fields = values.dtype.names
    columns = {ONLY: values} if not fields else {name: values[name] for name in fields}
    members = {
        name: Member(column.shape, column.dtype, partial(np.ascontiguousarray, column))
        for name, column in columns.items()
    }
    return ArrayTable(source.name, "npy", members)


def _member(source: Source, archive: zipfile.ZipFile, name: str) -> Member:
    with archive.open(name) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0
        if version != (1, 0):  # a later one differs in the text of fields, which are not read
            header = np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
    return Member(shape, dtype, partial(_load, source, name, math.prod(shape) * dtype.itemsize))


def _load(source: Source, name: str, size: int) -> Array:
    """Read an array; refuse one whose size differs from its header or is out of proportion."""
    with _explained(source, "npz"), zipfile.ZipFile(source.path) as archive:
        info = archive.getinfo(name)
        if size > info.file_size:
            raise ValueError(f"{name} holds {info.file_size} bytes and should hold {size}")
        source.refuse_growth(info.file_size, min(info.compress_size, source.size))
        with archive.open(name) as stream:
            return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def _labels(values: Array) -> Array | Texts:
    if values.dtype.kind != "U":
        return values
    distinct, codes = np.unique(values, return_inverse=True)
    texts: list[Any] = distinct.tolist()
    cells = tuple(cell(text) for text in texts)
    return Texts(codes.astype(np.int32).reshape(-1), cells, are_strings=True)


def _decoded(file: str, values: Array) -> Array:
    """Return texts that can be encoded; bytes are decoded as UTF-8."""
    if values.dtype.kind == "U" and values.size and values.dtype.itemsize:
        codes = np.ascontiguousarray(values).view(f"{values.dtype.byteorder}u4")
        if not np.any((codes > _LAST_CHARACTER) | (codes >> 11 == _SURROGATES)):
            return values
        reason = "code points that no text has"
    elif values.dtype.kind == "S":
        try:
            return np.char.decode(values, "utf-8")
        except UnicodeDecodeError as error:
            reason = f"bytes that are not: {error.reason}"
    else:
        return values
    raise InputError(
        Problem.TEXT,
        "labels and names of classes must be UTF-8",
        source=file,
        got=reason,
        remedy="save them as strings: `np.array(labels, dtype=str)`",
    )


def _require_arrays(file: str, members: list[str]) -> None:
    others = [name for name in members if not name.endswith(".npy")]
    if others and len(others) == len(members):
        shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
        raise InputError(
            Problem.FORMAT,
            f"this is a zip archive ({shown}), not an npz file of arrays",
            source=file,
            remedy="unpack it and name the file inside, or save a spreadsheet as CSV",
        )
    if len(set(members)) < len(members):
        twice = next(name for name in members if members.count(name) > 1)
        rule = f"the array {twice.removesuffix('.npy')!r} occurs more than once"
        raise InputError(Problem.REPEATED, rule, source=file, remedy="write the file again")
    if len(members) > _MEMBERS:
        rule = f"must have at most {_MEMBERS:,} arrays"
        raise InputError(Problem.FORMAT, rule, source=file, value=len(members))


@contextmanager
def _explained(source: Source, kind: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # zipfile and NumPy may raise any exception on corrupt bytes
        if any(word in str(error) for word in ("pickle", "Python objects")):
            raise _pickled(source.name) from error
        raise broken_file(source.name, kind, error) from error


def _pickled(file: str) -> InputError:
    return InputError(
        Problem.FORMAT,
        "an array contains Python objects, which are pickles and never loaded",
        source=file,
        remedy="save arrays of numbers or strings: `np.savez(file, y_true=y, y_prob=p)`",
    )
