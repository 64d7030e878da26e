"""The checkpoint file: an SQLite database of finished tasks and the computation they belong to.

A record is committed when `keep` returns, so a killed process loses only work in flight. Records
contain only numbers, so reading a file can never execute code.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from calibrant._execution._records import pack, unpack
from calibrant.errors import CalibrantError, CheckpointError

#: the application id, by which SQLite and `file` recognize the file, and the format version
APPLICATION_ID, FORMAT = int.from_bytes(b"clbr", "big"), 1
_TABLE = "CREATE TABLE records (key TEXT PRIMARY KEY, content BLOB, checksum INTEGER)"
#: the key of the description of the computation
_OWNER = "belongs to"

_DAMAGED = "this checkpoint is damaged. Delete it and start again; nothing in it can be trusted"
_STRANGE = (
    "this is not a checkpoint of this version of calibrant; it was left unchanged. Name a file "
    "that does not exist"
)
_BUSY = "another run is writing to this checkpoint. Wait for it, or name another file"
_FULL = "the disk is full. Make room and run again: finished work is kept"
_UNWRITABLE = (
    "this file cannot be opened or written. Name one in an existing folder that you can write "
    "to, and check the disk"
)
_REASONS = {
    sqlite3.SQLITE_NOTADB: _STRANGE,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CANTOPEN: _UNWRITABLE,
    sqlite3.SQLITE_READONLY: _UNWRITABLE,
    sqlite3.SQLITE_IOERR: _UNWRITABLE,
    sqlite3.SQLITE_PERM: _UNWRITABLE,
}


class Checkpoint:
    """Finished tasks in a file, which is open and locked within a ``with`` block.

    Parameters
    ----------
    path : str
        The file.
    belongs_to : mapping of plain values
        Everything that the records depend on: fingerprint of the input, settings, versions.
    """

    def __init__(self, path: str | os.PathLike[str], belongs_to: Mapping[str, Any]) -> None:
        self.path = str(path)
        #: whether results of an earlier run were read from the file
        self.was_read = False
        self._stages = 0
        self._lock = Lock()
        ours = json.loads(json.dumps(belongs_to))
        # an absolute path, because names such as ":memory:" are special in SQLite
        place = Path(path).absolute()
        with self._explained():
            self._database = sqlite3.connect(
                place, timeout=0, isolation_level=None, check_same_thread=False
            )
            try:
                self._open(ours)
            except BaseException:
                self._database.close()
                raise

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and release its lock."""
        with self._explained():
            self._database.close()

    def __len__(self) -> int:
        with self._explained():
            return int(self._one("SELECT count(*) FROM records")) - 1

    def stage(self, name: str, n_tasks: int) -> Stage:
        """Begin the next stage; the same program must have the same stages in the same order."""
        self._stages += 1
        return Stage(self, f"{self._stages}/{name}/{n_tasks}")

    def record(self, key: str) -> Any:
        """Return the record stored under a key, or None."""
        with self._explained():
            content = self._one("SELECT content FROM records WHERE key = ?", key)
            self.was_read |= content is not None
            return None if content is None else unpack(content)

    def keep(self, key: str, record: Any) -> None:
        """Store a record under a key; it is committed when this returns."""
        content = pack(record)
        with self._explained():
            self._insert(key, content)

    def _open(self, belongs_to: dict[str, Any]) -> None:
        run = self._database.execute
        run("PRAGMA locking_mode = EXCLUSIVE")  # until the file is closed
        run("BEGIN EXCLUSIVE")
        marks = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        # foreign views or triggers could execute code
        schema = run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if marks == (0, 0) and not schema:  # an empty file
            run(f"PRAGMA application_id = {APPLICATION_ID}")
            run(f"PRAGMA user_version = {FORMAT}")
            run(_TABLE)
            self._insert(_OWNER, json.dumps(belongs_to).encode())
        elif marks != (APPLICATION_ID, FORMAT):
            raise CheckpointError(f"{self.path}: {_STRANGE}")
        elif schema != [(_TABLE,)]:
            raise CheckpointError(f"{self.path}: {_DAMAGED}")
        else:
            self._check(belongs_to)
        run("COMMIT")
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")

    def _check(self, belongs_to: dict[str, Any]) -> None:
        """Read everything once, to refuse a file that cannot be resumed before any work."""
        if self._one("PRAGMA quick_check(1)") != "ok":
            raise CheckpointError(f"{self.path}: {_DAMAGED}")
        for key, content, checksum in self._database.execute("SELECT * FROM records"):
            if checksum != _checksum(key, content):
                raise CheckpointError(f"{self.path}: {_DAMAGED}")
        theirs = json.loads(self._one("SELECT content FROM records WHERE key = ?", _OWNER))
        if theirs != belongs_to:
            raise CheckpointError(f"{self.path}: {_difference(theirs, belongs_to)}")

    def _one(self, query: str, *values: str) -> Any:
        row = self._database.execute(query, values).fetchone()
        return None if row is None else row[0]

    def _insert(self, key: str, content: bytes) -> None:
        row = key, content, _checksum(key, content)
        self._database.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", row)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Allow one thread at a time, and explain errors."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            # the low byte is the kind of error; without a code it is Python's own
            kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
            raise CheckpointError(f"{self.path}: {_REASONS.get(kind, _DAMAGED)}") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise CheckpointError(f"{self.path}: {_DAMAGED}") from error


@dataclass(frozen=True, eq=False)
class Stage:
    """The tasks of one computation inside a checkpoint."""

    checkpoint: Checkpoint
    name: str

    def record(self, number: int, length: int | None = None) -> Any:
        """Return the record of a task, a list of `length` entries, or None if it is not done."""
        record = self.checkpoint.record(f"{self.name}/{number}")
        if record is None or length is None:
            return record
        if not isinstance(record, list) or len(record) != length:
            raise CheckpointError(f"{self.checkpoint.path}: {_DAMAGED}")
        return record

    def keep(self, number: int, record: Any) -> None:
        """Store the record of a finished task."""
        self.checkpoint.keep(f"{self.name}/{number}", record)


@contextmanager
def resumable(
    checkpoint: str | os.PathLike[str] | Checkpoint | None,
    belongs_to: Callable[[], Mapping[str, Any]],
) -> Iterator[Checkpoint | None]:
    """Open a checkpoint given by its path; pass through an open one or None."""
    if checkpoint is None or isinstance(checkpoint, Checkpoint):
        yield checkpoint
        return
    with Checkpoint(checkpoint, belongs_to()) as opened:
        try:
            yield opened
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            if not opened.was_read or isinstance(error, CalibrantError):
                raise
            raise CheckpointError(
                f"{opened.path}: the computation failed with the content of this checkpoint "
                f"({type(error).__name__}: {error}). Delete it and start again"
            ) from error


def _checksum(key: str, content: bytes) -> int:
    return zlib.crc32(content, zlib.crc32(key.encode()))


def _difference(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    first, *more = [k for k in {**ours, **theirs} if theirs.get(k) != ours.get(k)]
    return (
        f"this checkpoint belongs to another computation: {first} is {_short(ours.get(first))} "
        f"here and {_short(theirs.get(first))} there{f' (and {len(more)} more)' if more else ''}. "
        "Run with the same input and settings, or name another file"
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
