"""NumPy's own files: npz (arrays by name) and npy (one array). Pickles are never loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError, Problem
from calibrant.io._errors import broken_file
from calibrant.io._growing import Texts, cell
from calibrant.io._options import PROB
from calibrant.io._table import Array, Content, Progress, Request, Table

if TYPE_CHECKING:
    from calibrant.io._source import Source

#: what the only array of an npy file is called
ONLY = "array"
#: the array that names the classes
CLASSES = "classes"


class ArrayTable(Table):
    """Arrays in memory as a table: vectors are columns, matrices are wide columns."""

    def __init__(self, name: str, kind: str, arrays: Mapping[str, Array]) -> None:
        self.name = name
        self.format = kind
        #: all arrays of the file, as they are
        self.arrays = dict(arrays)
        arrays = dict(arrays)
        if CLASSES in arrays and arrays[CLASSES].ndim == 1:
            names = _decoded(name, arrays.pop(CLASSES)).tolist()
            # without the blanks around them, as labels are
            self.class_names = tuple(n.strip() if isinstance(n, str) else n for n in names)
        self._arrays = {key: array for key, array in arrays.items() if array.ndim in (1, 2)}
        if not self._arrays:
            shapes = ", ".join(f"{key}: shape {array.shape}" for key, array in arrays.items())
            raise InputError(
                Problem.SHAPE,
                "there must be an array of shape (n,) or (n, m)",
                source=name,
                got=shapes or "none",
                remedy="save labels and probabilities: `np.savez(file, y_true=y, y_prob=p)`",
            )
        self.widths = {
            key: 1 if array.ndim == 1 else array.shape[1] for key, array in self._arrays.items()
        }

    def read(self, request: Request, progress: Progress | None = None) -> Content:
        """Return the wanted arrays; a single matrix is not copied."""
        return Content(
            {key: self._stacked(list(names)) for key, names in request.matrices.items()},
            {name: self._vector(name) for name in request.numbers},
            {name: _labels(_decoded(self.name, self._arrays[name])) for name in request.texts},
        )

    def _stacked(self, names: list[str]) -> Array:
        parts = [self._numbers(name) for name in names]
        if len(parts) == 1:
            return parts[0]
        lengths = {name: len(part) for name, part in zip(names, parts, strict=True)}
        if len(set(lengths.values())) > 1:
            raise InputError(
                Problem.LENGTHS,
                "arrays must have the same number of rows",
                source=self.name,
                got=str(lengths),
            )
        return np.column_stack(parts)

    def _vector(self, name: str) -> Array:
        values = self._numbers(name)
        if values.ndim == 2 and values.shape[1] != 1:
            raise InputError(
                Problem.SHAPE,
                "must have one number per row",
                source=self.name,
                column=name,
                got=f"shape {values.shape}",
            )
        return values.reshape(-1)

    def _numbers(self, name: str) -> Array:
        values = self._arrays[name]
        if values.dtype.kind not in "biuf":
            raise InputError(
                Problem.NOT_NUMBERS,
                "must hold numbers",
                source=self.name,
                column=name,
                got=f"dtype {values.dtype}",
                remedy=("choose the probabilities with ", PROB),
            )
        return values


def read_npz(source: Source) -> ArrayTable:
    """Read all arrays of an npz file."""
    arrays: dict[str, Array] = {}
    try:
        # NumPy leaves a file open that it cannot read, unless it is ours
        with source.open() as stream, np.load(stream, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise ValueError("not an npz archive")
            if "[Content_Types].xml" in archive.files:
                raise InputError(
                    Problem.FORMAT,
                    "this is a spreadsheet",
                    source=source.name,
                    remedy="save it as CSV",
                )
            _require_arrays(source.name, archive.zip.namelist() if archive.zip else [])
            for key in archive.files:
                arrays[key] = np.asarray(archive[key])
    except InputError:
        raise
    except Exception as error:  # zipfile and NumPy raise anything on broken bytes
        raise _broken(source, "npz", error) from error
    return ArrayTable(source.name, "npz", arrays)


def read_npy(source: Source) -> ArrayTable:
    """Map an npy file into memory; the fields of a structured array become columns."""
    try:
        values = np.load(source.path, mmap_mode="r", allow_pickle=False)
    except Exception as error:
        raise _broken(source, "npy", error) from error
    if values.dtype.names:
        fields = {name: np.ascontiguousarray(values[name]) for name in values.dtype.names}
        return ArrayTable(source.name, "npy", fields)
    return ArrayTable(source.name, "npy", {ONLY: np.asarray(values)})


def _labels(values: Array) -> Array | Texts:
    if values.dtype.kind != "U":
        return values
    distinct, codes = np.unique(values, return_inverse=True)
    texts: list[Any] = distinct.tolist()
    cells = tuple(cell(text) for text in texts)
    return Texts(codes.astype(np.int32).reshape(-1), cells, are_strings=True)


def _decoded(file: str, values: Array) -> Array:
    if values.dtype.kind != "S":
        return values
    try:
        return np.char.decode(values, "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            Problem.TEXT,
            "labels and names of classes must be UTF-8",
            source=file,
            got=f"bytes that are not: {error.reason}",
            remedy="save them as texts: `np.array(labels, dtype=str)`",
        ) from error


def _require_arrays(file: str, members: list[str]) -> None:
    others = [name for name in members if not name.endswith(".npy")]
    if others and len(others) == len(members):
        shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
        raise InputError(
            Problem.FORMAT,
            f"this is a zip archive ({shown}), not an npz file of arrays",
            source=file,
            remedy="unpack it and name the file inside",
        )


def _broken(source: Source, kind: str, error: BaseException) -> InputError:
    if any(word in str(error) for word in ("pickle", "Python objects")):
        return InputError(
            Problem.FORMAT,
            "an array holds Python objects, which are pickles and never loaded",
            source=source.name,
            remedy="save arrays of numbers or texts: `np.savez(file, y_true=y, y_prob=p)`",
        )
    return broken_file(source.name, kind, error)
