"""The source of a file and its format, detected from its first bytes, then from its name."""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from calibrant.errors import InputError, Problem
from calibrant.io._errors import broken_file
from calibrant.io._formats import FORMATS

_JSON = (".json", ".jsonl", ".ndjson")
_JSON_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"')
_GZIP, _PICKLE = b"\x1f\x8b", b"\x80"
_READABLE = "save it as CSV, TSV, JSON, Parquet, Arrow, npz or npy"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: bytes examined to detect the format
_HEAD = 4096
#: bytes decompressed at a time
_PIECE = 1 << 20
#: compressed data may grow to this many bytes, or beyond that by this factor
ALWAYS, FACTOR = 1 << 28, 100


@dataclass(frozen=True)
class Source:
    """A seekable file on disk, with its name for messages, its format and compression."""

    name: str
    path: Path
    format: str
    gzipped: bool = False
    is_tsv: bool = False

    def open(self) -> IO[bytes]:
        """Open the bytes, decompressing up to a limit."""
        if not self.gzipped:
            return self.path.open("rb")
        return cast("IO[bytes]", io.BufferedReader(_Decompressing(self)))

    @property
    def size(self) -> int:
        """The size on disk, in bytes."""
        return self.path.stat().st_size

    def refuse_growth(
        self,
        grown: int,
        compressed: int,
        remedy: str = "decompress the file if you trust it",
    ) -> None:
        """Refuse data that grow out of proportion when decompressed."""
        if grown > max(ALWAYS, FACTOR * compressed):
            raise InputError(
                Problem.RANGE,
                f"{compressed:,} compressed bytes must not grow more than {FACTOR}-fold beyond "
                f"{ALWAYS:,} bytes",
                source=self.name,
                remedy=remedy,
            )


class _Decompressing(io.RawIOBase):
    """The decompressed bytes of a gzip file, up to a plausible size."""

    def __init__(self, source: Source) -> None:
        self._source, self._compressed, self._grown = source, source.size, 0
        self._bytes = gzip.open(source.path, "rb")  # noqa: SIM115 - closed with this one

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = self._bytes.readinto(buffer[:_PIECE])  # gzip decompresses as much as requested
        self._grown += size
        self._source.refuse_growth(self._grown, self._compressed)
        return size

    def close(self) -> None:
        self._bytes.close()
        super().close()


@contextmanager
def open_source(path: str) -> Iterator[Source]:
    """Detect the format of a file; standard input (`-`) is copied to a temporary file first."""
    name = "standard input" if path == "-" else path or "''"
    try:
        with ExitStack() as stack:
            folder = partial(_temporary_folder, stack)
            source = _identify(name, _on_disk(name, path, folder), path)
            if source.gzipped and not FORMATS[source.format].is_text:
                source = _decompress(source, folder())
            yield source
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(
            Problem.NO_FILE,
            "there is no such file",
            source=name,
            remedy="check the path; `-` reads standard input",
        ) from None
    except EOFError:
        raise InputError(
            Problem.BROKEN,
            "the compressed data end too early",
            source=name,
            hint="the file was cut off",
            remedy="make it again",
        ) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise broken_file(name, "gzip", error) from error
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError from error
        reason = error.strerror or str(error)
        raise InputError(
            Problem.NO_FILE, f"cannot be read: {reason}", source=name, remedy="check the file"
        ) from error


def _temporary_folder(stack: ExitStack) -> Path:
    """Make a folder for copies, only when needed, because the disk may be full."""
    try:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="calibrant-")))
    except FileNotFoundError as error:
        reason = "a copy is needed, and no temporary folder can be written to"
        raise OSError(errno.ENOSPC, reason) from error


def _on_disk(name: str, path: str, folder: Callable[[], Path]) -> Path:
    if path == "-":
        # None if stdin was closed
        return _copied(name, getattr(sys.stdin, "buffer", io.BytesIO()), folder)
    if not path:  # Path would take it for the current folder
        raise FileNotFoundError
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - one look for all questions
    except ValueError:  # a zero byte, or half of a surrogate pair
        raise FileNotFoundError from None
    if stat.S_ISREG(mode):
        return Path(path)
    if stat.S_ISFIFO(mode):
        with Path(path).open("rb") as pipe:
            return _copied(name, pipe, folder)
    if stat.S_ISDIR(mode):
        rule, remedy = "this is a folder", "name the file inside it"
    else:  # devices and pipes, some of which never end
        rule, remedy = "this is a device or a socket", "name a file; `-` reads standard input"
    raise InputError(Problem.NO_FILE, rule, source=name, remedy=remedy)


def _copied(name: str, stream: IO[bytes], folder: Callable[[], Path]) -> Path:
    """Copy a stream to a file, because a pipe can be read only once and Parquet needs seeking."""
    head = stream.read(_HEAD)
    if not head.startswith(_GZIP):
        _format(name, head, "")  # refuse early data that are not a table and may never end
    copy = folder() / "input"
    with copy.open("wb") as out:
        out.write(head)
        shutil.copyfileobj(stream, out)
    return copy


def _identify(name: str, path: Path, given: str) -> Source:
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    gzipped = head.startswith(_GZIP)
    if gzipped:
        with gzip.open(path, "rb") as stream:
            head = stream.read(_HEAD)
        if head.startswith(_GZIP):
            raise _unreadable(name, "this is compressed twice", "decompress it once: gunzip")
    if not head:
        raise InputError(
            Problem.EMPTY,
            "the file is empty",
            source=name,
            remedy="write a header line and one row per prediction",
        )
    suffixes = [suffix.lower() for suffix in Path(given).suffixes]
    if gzipped and suffixes[-1:] == [".gz"]:
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    kind = _format(name, head, last)
    if kind == "npz" and not gzipped:
        from calibrant.io._json import is_log

        kind = "eval" if is_log(path) else kind
    return Source(name, path, kind, gzipped, is_tsv=last in (".tsv", ".tab"))


def _format(name: str, head: bytes, suffix: str) -> str:
    for kind in FORMATS.values():
        if kind.magic and head.startswith(kind.magic):
            return kind.name
    if head.startswith(_PICKLE):
        pickle = "this is a Python pickle, which could run any program and is never loaded"
        raise _unreadable(name, pickle)
    promised = next((kind.name for kind in FORMATS.values() if suffix in kind.suffixes), None)
    if promised is not None:
        raise _unreadable(
            name,
            f"the name says {promised}, but the file does not begin like one",
            "it is broken or of another kind: write it again, or give it the right name",
        )
    if _begins_like_json(head) or (suffix in _JSON and head.lstrip()[:1] in (b"{", b"[")):
        return "json"
    if b"\0" in head and not head.startswith(_UTF16):
        raise _unreadable(name, "this is binary data, or text in UTF-16 or UTF-32 without a mark")
    return "csv"


def _begins_like_json(head: bytes) -> bool:
    """Return whether a file starts with a JSON object or a list of objects."""
    return _JSON_START.match(head) is not None


def _unreadable(name: str, rule: str, remedy: str = _READABLE) -> InputError:
    return InputError(Problem.FORMAT, rule, source=name, remedy=remedy)


def _decompress(source: Source, folder: Path) -> Source:
    copy = folder / "decompressed"
    with source.open() as stream, copy.open("wb") as out:
        shutil.copyfileobj(stream, out)
    return Source(source.name, copy, source.format)
