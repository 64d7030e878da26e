"""The one resume file: finished tasks, appended as they come, and what they belong to.

A line of magic, a line of JSON that says to what input and settings the records belong, then
records. Each has the length of its name and of its content, both, and a checksum. Records hold
numbers only: nothing in the file can run a program when it is read.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from types import CodeType, FunctionType
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from calibrant._native import core_info
from calibrant._version import own_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

MAGIC = b"calibrant checkpoint 1\n"
_LENGTHS = struct.Struct("<IQ")
_CHECKSUM = struct.Struct("<I")


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be continued; the message says why and what to do."""


class Checkpoint:
    """Finished tasks in an append-only file; a ``with`` block holds it open and locked.

    Parameters
    ----------
    path : str
    belongs_to : mapping of plain values
        Fingerprint of the input, settings, versions: everything the records depend on.
    """

    def __init__(self, path: str | os.PathLike[str], belongs_to: Mapping[str, Any]) -> None:
        self.path = str(path)
        self._header = json.dumps(belongs_to, sort_keys=True).encode() + b"\n"
        self._records: dict[str, bytes] = {}
        self._stages = 0
        self._stream = self._opened()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and give up its lock."""
        self._stream.close()

    def __len__(self) -> int:
        return len(self._records)

    def stage(self, name: str, n_tasks: int) -> Stage:
        """Begin the next computation; the same program has the same stages in the same order."""
        self._stages += 1
        return Stage(self, f"{self._stages}/{name}/{n_tasks}")

    def record(self, key: str) -> Any:
        """Return what was kept under a name, or None."""
        packed = self._records.get(key)
        return None if packed is None else unpack(packed)

    def keep(self, key: str, record: Any) -> None:
        """Append a record; it is on disk when this returns."""
        name, content = key.encode(), pack(record)
        body = _LENGTHS.pack(len(name), len(content)) + name + content
        self._stream.write(body + _CHECKSUM.pack(zlib.crc32(body)))
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def _opened(self) -> IO[bytes]:
        Path(self.path).touch()
        stream = Path(self.path).open("r+b")  # noqa: SIM115 - open as long as the checkpoint
        try:
            self._lock(stream)
            self._read(stream)
        except BaseException:
            stream.close()
            raise
        return stream

    def _lock(self, stream: IO[bytes]) -> None:
        try:
            import fcntl
        except ImportError:  # Windows
            return
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CheckpointError(
                f"{self.path}: another run is writing to this checkpoint. Wait for it, or give "
                "another file"
            ) from None

    def _read(self, stream: IO[bytes]) -> None:
        content = stream.read()
        start = MAGIC + self._header
        if start.startswith(content):  # nothing, or the beginning of a header: nothing is lost
            stream.seek(0)
            stream.write(start)
            stream.flush()
            return
        if not content.startswith(MAGIC):
            raise CheckpointError(
                f"{self.path}: this is no checkpoint of calibrant, and it is left as it is. Give "
                "the name of a file that does not exist"
            )
        end = content.find(b"\n", len(MAGIC)) + 1
        if content[len(MAGIC) : end] != self._header:
            raise CheckpointError(self._foreign(content[len(MAGIC) : end]))
        stream.truncate(self._read_records(content, end))
        stream.seek(0, os.SEEK_END)

    def _read_records(self, content: bytes, at: int) -> int:
        """Read records; return where the last complete one ends."""
        while at + _LENGTHS.size <= len(content):
            n_name, n_content = _LENGTHS.unpack_from(content, at)
            middle = at + _LENGTHS.size + n_name
            stop = middle + n_content
            if stop + _CHECKSUM.size > len(content):
                return at  # the writer was killed in the middle of it
            if zlib.crc32(content[at:stop]) != _CHECKSUM.unpack_from(content, stop)[0]:
                raise CheckpointError(
                    f"{self.path}: this checkpoint is damaged at byte {at}. Delete it and start "
                    "again; nothing of it can be trusted"
                )
            self._records[content[at + _LENGTHS.size : middle].decode()] = content[middle:stop]
            at = stop + _CHECKSUM.size
        return at

    def _foreign(self, line: bytes) -> str:
        try:
            theirs, ours = json.loads(line), json.loads(self._header)
            differ = sorted(k for k in {*theirs, *ours} if theirs.get(k) != ours.get(k))
            first = differ[0]
            what = (
                f"{first} is {_short(ours.get(first))} here and {_short(theirs.get(first))} there"
            )
        except (ValueError, AttributeError, IndexError):
            return (
                f"{self.path}: the beginning of this checkpoint is damaged. Delete it and start "
                "again"
            )
        return (
            f"{self.path}: this checkpoint belongs to another computation: {what}"
            f"{f' (and {len(differ) - 1} more)' if len(differ) > 1 else ''}. Run with the same "
            "input and settings, or give another file"
        )


@dataclass(frozen=True, eq=False)
class Stage:
    """The tasks of one computation inside a checkpoint."""

    checkpoint: Checkpoint
    name: str

    def record(self, number: int) -> Any:
        """Return the record of a task, or None where it is still to do."""
        return self.checkpoint.record(f"{self.name}/{number}")

    def keep(self, number: int, record: Any) -> None:
        """Keep the record of a finished task."""
        self.checkpoint.keep(f"{self.name}/{number}", record)


@contextmanager
def resumable(
    checkpoint: str | os.PathLike[str] | Checkpoint | None,
    belongs_to: Callable[[], Mapping[str, Any]],
) -> Iterator[Checkpoint | None]:
    """Open a checkpoint that was given by its path; one that is open, or none, stays as it is."""
    if checkpoint is None or isinstance(checkpoint, Checkpoint):
        yield checkpoint
        return
    with Checkpoint(checkpoint, belongs_to()) as opened:
        yield opened


def computation(*arrays: Any, **settings: Any) -> dict[str, Any]:
    """Describe what records belong to: numbers, settings, version, and what computes."""
    digest = blake2b(digest_size=16)
    for array in arrays:
        if array is None:
            digest.update(b"none")
            continue
        data = np.ascontiguousarray(array)
        digest.update(f"{data.dtype.str} {data.shape}".encode())
        digest.update(data.reshape(-1).view(np.uint8).data)
    found = {"calibrant": own_version(), **core_info(), "input": digest.hexdigest()}
    codes = list(_codes(list(settings.values())))
    if codes:
        found["functions and arrays"] = blake2b(b"".join(codes), digest_size=16).hexdigest()
    return found | {name: _without_addresses(str(value)) for name, value in settings.items()}


def _codes(setting: Any) -> Iterator[bytes]:
    """Yield what the functions in a setting do: two of the same name may differ."""
    if is_dataclass(setting):
        for f in fields(setting):
            yield from _codes(getattr(setting, f.name))
    elif isinstance(setting, tuple | list):
        for part in setting:
            yield from _codes(part)
    elif isinstance(setting, np.ndarray):
        yield setting.tobytes()
    elif isinstance(setting, FunctionType):
        held = [cell.cell_contents for cell in setting.__closure__ or ()]
        given = setting.__defaults__, setting.__kwdefaults__, held
        yield _without_addresses(repr(given)).encode()
        yield from _code(setting.__code__)
        yield from _codes(held)


def _code(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield repr(constant).encode()


def _without_addresses(text: str) -> str:
    """Functions are printed with an address that is another one in every process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def pack(record: Any) -> bytes:
    """Return floats and float64 arrays, nested in lists, tuples and dicts, as bytes."""
    buffers: list[bytes] = []
    layout = json.dumps(_layout(record, buffers)).encode()
    return _CHECKSUM.pack(len(layout)) + layout + b"".join(buffers)


def unpack(packed: bytes) -> Any:
    """Read what `pack` wrote; arrays are fresh and writeable."""
    (length,) = _CHECKSUM.unpack_from(packed)
    start = _CHECKSUM.size + length
    numbers = np.frombuffer(packed, dtype="<f8", offset=start).astype(np.float64)
    return _filled(json.loads(packed[_CHECKSUM.size : start]), numbers, [0])


def _layout(record: Any, buffers: list[bytes]) -> Any:
    if isinstance(record, list | tuple):
        kind = "list" if isinstance(record, list) else "tuple"
        return [kind, [_layout(entry, buffers) for entry in record]]
    if isinstance(record, dict):
        return ["dict", {key: _layout(entry, buffers) for key, entry in record.items()}]
    if isinstance(record, np.ndarray) and record.dtype == np.float64:
        buffers.append(record.astype("<f8").tobytes())
        return ["array", record.shape]
    if isinstance(record, float):
        buffers.append(np.array(record, dtype="<f8").tobytes())
        return ["float", None]
    raise TypeError(f"a checkpoint holds floats and float64 arrays; got {type(record).__name__}")


def _filled(layout: Any, numbers: Any, at: list[int]) -> Any:
    kind, inside = layout
    if kind == "list":
        return [_filled(entry, numbers, at) for entry in inside]
    if kind == "tuple":
        return tuple(_filled(entry, numbers, at) for entry in inside)
    if kind == "dict":
        return {key: _filled(entry, numbers, at) for key, entry in inside.items()}
    start = at[0]
    at[0] += int(np.prod(inside)) if kind == "array" else 1
    if kind == "float":
        return float(numbers[start])
    return numbers[start : at[0]].reshape(inside).copy()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
