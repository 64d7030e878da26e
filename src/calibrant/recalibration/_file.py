"""The file format of a calibrator: versioned JSON with a checksum, usable in any language."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import VERSION, to_plain
from calibrant.errors import InputError, Problem
from calibrant.recalibration._calibrator import Calibrator
from calibrant.recalibration._confidence_curve import FittedConfidenceCurve
from calibrant.recalibration._isotonic import FittedIsotonic
from calibrant.recalibration._log_linear import FittedTemperature, LogLinear
from calibrant.recalibration._map import FittedMap

FORMAT = "calibrant.recalibration"
#: no fit has parameters this large, and sums of larger ones would overflow
_LARGEST = 1e100
#: incremented when programs that apply the files would have to change
FILE_VERSION = 1

_AGAIN = "make it again with `calibrant repair` or `to_json`"
#: the keys of every file; the kind of map adds others
_KEYS = {
    "format",
    "version",
    "calibrant",
    "map",
    "kind",
    "classes",
    "floor",
    "n_parameters",
    "fingerprint",
    "evidence",
    "checksum",
}
_KIND_KEYS = {
    "diagonal": {"slopes", "intercepts"},
    "matrix": {"matrix", "intercepts"},
    "isotonic": {"knots"},
    "confidence": {"first", "knots"},
}


def to_document(calibrator: Calibrator) -> dict[str, Any]:
    """Return a calibrator as plain values, with their checksum."""
    found = {
        "format": FORMAT,
        "version": FILE_VERSION,
        "calibrant": VERSION,
        "map": calibrator.name,
        **_parameters(calibrator.map),
        "classes": [_plain_name(name) for name in calibrator.classes],
        "floor": calibrator.map.floor,
        "n_parameters": int(getattr(calibrator.map, "n_parameters", 0)),
        "fingerprint": calibrator.fingerprint,
        "evidence": to_plain(calibrator.evidence),
    }
    return found | {"checksum": _checksum(found)}


def load(path: str | PathLike[str]) -> Calibrator:
    """Read a calibrator from a file written by `Calibrator.to_json` or ``calibrant repair``.

    Its results equal those of the original calibrator, bit for bit.

    Parameters
    ----------
    path : path
        The file to read.

    Returns
    -------
    Calibrator

    Raises
    ------
    InputError
        If the file is missing, truncated, edited, of a newer version or of another kind.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from calibrant.recalibration import Calibrator, Temperature, load
    >>> fitted = Temperature().fit([[0.8, 0.2]] * 3, [0, 0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "calibrator.json"
    ...     _ = Calibrator(fitted, "temperature", ("cat", "dog")).to_json(path)
    ...     calibrator = load(path)
    >>> calibrator.classes, round(calibrator.map.temperature, 6)
    (('cat', 'dog'), 2.0)
    """
    name = fspath(path)
    return from_document(_read(name), name)


def from_document(found: Mapping[str, Any], name: str = "") -> Calibrator:
    """Return the calibrator in a document from `to_document`; `name` is its file, for messages."""
    _check_head(found, name)
    try:
        fitted = _fitted(found)
        if not isinstance(found["classes"], list):
            raise TypeError("`classes` must be a list")
        classes = tuple(found["classes"])
        evidence = found["evidence"]
        return Calibrator(fitted, found["map"], classes, found["fingerprint"], evidence)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        rule = f"the parameters do not fit together: {error}"
        raise InputError(Problem.BROKEN, rule, source=name, remedy=_AGAIN) from error


def _read(name: str) -> dict[str, Any]:
    try:
        text = Path(name).read_text("utf-8")
    except FileNotFoundError:
        rule = "there is no such file"
        raise InputError(Problem.NO_FILE, rule, source=name, remedy="check the path") from None
    except UnicodeDecodeError:
        raise _other_kind(name) from None
    except OSError as error:
        rule = f"cannot be read: {error.strerror or error}"
        raise InputError(Problem.NO_FILE, rule, source=name, remedy="check the file") from error
    try:
        found = json.loads(text, object_pairs_hook=_object)
    except ValueError as error:
        rule = f"this is not JSON, or was cut off: {error}"
        raise InputError(Problem.BROKEN, rule, source=name, remedy=_AGAIN) from error
    except RecursionError:
        raise _other_kind(name) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _other_kind(name)
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs more than once")
    return found


def _check_head(found: Mapping[str, Any], name: str) -> None:
    version = found.get("version")
    if type(version) is not int or version != FILE_VERSION:
        newer = isinstance(version, int) and version > FILE_VERSION
        raise InputError(
            Problem.FORMAT,
            f"the file has version {version!r}; calibrant {VERSION} reads version {FILE_VERSION}",
            source=name,
            remedy="install a newer calibrant" if newer else _AGAIN,
        )
    rest = {key: value for key, value in found.items() if key != "checksum"}
    wanted = _KEYS | _KIND_KEYS.get(str(found.get("kind")), set())
    if set(found) != wanted or found["checksum"] != _checksum(rest):
        raise InputError(
            Problem.BROKEN,
            "the file was changed after it was written: its checksum does not match",
            source=name,
            remedy=_AGAIN,
        )


def _other_kind(name: str) -> InputError:
    return InputError(
        Problem.FORMAT,
        "this is not a calibrator",
        source=name,
        remedy="name the file that `calibrant repair` wrote",
    )


def _parameters(fitted: FittedMap) -> dict[str, Any]:
    if isinstance(fitted, FittedIsotonic):
        return {"kind": "isotonic", "knots": [_curve(*knots) for knots in fitted.knots]}
    if isinstance(fitted, FittedConfidenceCurve):
        first = _parameters(fitted.first) | {"n_parameters": fitted.first.n_parameters}
        return {"kind": "confidence", "first": first, "knots": [_curve(*fitted.knots)]}
    if not isinstance(fitted, LogLinear):
        raise TypeError(
            f"a {type(fitted).__name__} cannot be written to a file: only maps of "
            "`calibrant.recalibration` can. Pickle it yourself if you trust the file."
        )
    intercepts = fitted.intercepts.tolist()
    if fitted.slopes.ndim == 2:
        return {"kind": "matrix", "matrix": fitted.slopes.tolist(), "intercepts": intercepts}
    slopes = np.broadcast_to(fitted.slopes, fitted.n_classes).tolist()
    return {"kind": "diagonal", "slopes": slopes, "intercepts": intercepts}


def _curve(x: FloatArray, y: FloatArray) -> dict[str, list[float]]:
    return {"x": x.tolist(), "y": y.tolist()}


def _fitted(found: Mapping[str, Any]) -> FittedMap:
    m, floor, size = len(found["classes"]), found["floor"], found["n_parameters"]
    if m < 2 or type(floor) is not float or not 0.0 < floor < 1.0:
        raise ValueError(f"{m} classes, floor {floor}")
    if type(size) is not int or size < 0:
        raise ValueError(f"{size} parameters")
    if found["kind"] == "isotonic":
        return FittedIsotonic(m, floor, _curves(found, 1 if m == 2 else m), size)
    if found["kind"] == "confidence":
        if found["first"]["kind"] == "confidence":
            raise ValueError("a curve comes before a curve")
        first = _fitted({**found, "map": "", **found["first"]})
        return FittedConfidenceCurve(m, floor, first, _curves(found, 1)[0], size)
    intercepts = _numbers(found["intercepts"], (m,))
    if found["kind"] == "matrix":
        return LogLinear(m, floor, _numbers(found["matrix"], (m, m)), intercepts, size)
    slopes = _numbers(found["slopes"], (m,))
    if found["map"] == "temperature" and np.any(slopes != slopes[0]):
        raise ValueError("a temperature has one slope")
    if found["map"] == "temperature":
        return FittedTemperature(m, floor, slopes[0].reshape(()), intercepts, size)
    return LogLinear(m, floor, slopes, intercepts, size)


def _curves(found: Mapping[str, Any], count: int) -> tuple[tuple[FloatArray, FloatArray], ...]:
    curves = tuple((_numbers(one["x"], None), _numbers(one["y"], None)) for one in found["knots"])
    if len(curves) != count or any(x.shape != y.shape or not len(x) for x, y in curves):
        raise ValueError(f"{len(curves)} curves for {len(found['classes'])} classes")
    for x, y in curves:
        if np.any(np.diff(x) < 0.0) or min(x.min(), y.min()) < 0.0 or max(x.max(), y.max()) > 1.0:
            raise ValueError("knots must lie in [0, 1], and x must not decrease")
    return curves


def _numbers(values: Any, shape: tuple[int, ...] | None) -> Any:
    array = np.array(values)
    if array.dtype.kind not in "iuf" or not np.all(np.abs(array) < _LARGEST):
        raise ValueError(f"parameters must be numbers below {_LARGEST:g}")
    if array.ndim != 1 if shape is None else array.shape != shape:
        raise ValueError(f"numbers of shape {array.shape}")
    return array.astype(np.float64)


def _plain_name(name: Hashable) -> Any:
    return name if isinstance(name, str | int | float | bool) else str(name)


def _checksum(found: Mapping[str, Any]) -> str:
    """Return the digest of all values, independent of spaces and the order of the keys."""
    text = json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{sha256(text.encode()).hexdigest()}"
