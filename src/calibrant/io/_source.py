"""Where a file comes from and what it is: by its first bytes, then by its name."""

from __future__ import annotations

import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast

from calibrant.errors import InputError, Problem
from calibrant.io._errors import broken_file

Format = Literal["csv", "parquet", "arrow", "arrow stream", "npz", "npy"]

_MAGIC: tuple[tuple[bytes, Format], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow stream"),
    (b"\x93NUMPY", "npy"),
    (b"PK\x03\x04", "npz"),
    (b"PK\x05\x06", "npz"),
)
#: what the end of a name promises
_SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".npz": "npz",
    ".npy": "npy",
}
_OTHER_KINDS = (
    (b"\x80", "a Python pickle, which could run any program and is never loaded"),
    (b"\x89HDF", "an HDF5 file"),
    (b"FEA1", "a Feather file of the first version"),
    (b"SQLite format 3", "a SQLite database"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"%PDF", "a PDF"),
    (b"\xff\xfe\x00\x00", "text in UTF-32"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
    (b"[{", "a JSON file"),
    (b'{"', "a JSON file"),
    (b"version https://git-lfs", "a pointer of Git LFS, not the data: run `git lfs pull`"),
)
_GZIP = b"\x1f\x8b"
_READABLE = "save it as CSV, TSV, Parquet, Arrow, npz or npy"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: bytes that are looked at to tell what a file is
_HEAD = 4096


@dataclass(frozen=True)
class Source:
    """A seekable file on disk: its name for messages, its format, whether it is compressed."""

    name: str
    path: Path
    format: Format
    gzipped: bool = False
    is_tsv: bool = False

    def open(self) -> IO[bytes]:
        """Open the bytes, decompressed."""
        if self.gzipped:
            return cast("IO[bytes]", gzip.open(self.path, "rb"))
        return self.path.open("rb")

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return self.path.stat().st_size


@contextmanager
def open_source(path: str) -> Iterator[Source]:
    """Find out what a file is; standard input (`-`) is put into a temporary file first."""
    name = "standard input" if path == "-" else path or "''"
    try:
        with tempfile.TemporaryDirectory(prefix="calibrant-") as folder:
            source = _identified(name, _on_disk(path, Path(folder)), path)
            if source.gzipped and source.format != "csv":
                source = _decompressed(source, Path(folder))
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
    except IsADirectoryError:
        remedy = "name the file inside it"
        raise InputError(Problem.NO_FILE, "this is a folder", source=name, remedy=remedy) from None
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
        reason = error.strerror or str(error)
        raise InputError(
            Problem.NO_FILE, f"cannot be read: {reason}", source=name, remedy="check the file"
        ) from error


def _on_disk(path: str, folder: Path) -> Path:
    if path != "-":
        there = Path(path)
        if not path:  # which Path takes for this folder
            raise FileNotFoundError
        if there.is_dir():
            raise IsADirectoryError
        if there.is_file() or not there.exists():
            return there
    # a pipe can be read once, and Parquet is read from its end
    copy = folder / "input"
    with copy.open("wb") as out:
        if path == "-":
            shutil.copyfileobj(sys.stdin.buffer, out)
        else:
            with Path(path).open("rb") as pipe:
                shutil.copyfileobj(pipe, out)
    return copy


def _identified(name: str, path: Path, given: str) -> Source:
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
    return Source(name, path, kind, gzipped, is_tsv=last in (".tsv", ".tab"))


def _format(name: str, head: bytes, suffix: str) -> Format:
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    for magic, what in _OTHER_KINDS:
        if head.startswith(magic):
            raise _unreadable(name, f"this is {what}")
    promised = _SUFFIXES.get(suffix)
    if promised is not None:
        raise _unreadable(
            name,
            f"the name says {promised}, but the file does not begin like one",
            "it is broken or of another kind: write it again, or give it the right name",
        )
    if head[257:262] == b"ustar":
        raise _unreadable(name, "this is a tar archive", "unpack it and name the file inside")
    if b"\0" in head and not head.startswith(_UTF16):
        if _every_other_byte_is_zero(head):
            raise _unreadable(name, "this is text in UTF-16 without a mark", "save it in UTF-8")
        raise _unreadable(name, "this is binary data of an unknown kind")
    return "csv"


def _unreadable(name: str, rule: str, remedy: str = _READABLE) -> InputError:
    return InputError(Problem.FORMAT, rule, source=name, remedy=remedy)


def _every_other_byte_is_zero(head: bytes) -> bool:
    halves = sorted((head[::2].count(0), head[1::2].count(0)))
    return halves[0] == 0 and halves[1] > 0.9 * (len(head) // 2)


def _decompressed(source: Source, folder: Path) -> Source:
    copy = folder / "decompressed"
    with source.open() as stream, copy.open("wb") as out:
        shutil.copyfileobj(stream, out)
    return Source(source.name, copy, source.format)
