"""Archives written by Inspect: zip files with one JSON file per sample."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibrant.errors import InputError, Problem
from calibrant.io._errors import broken_file
from calibrant.io._json._records import Record, parse_record
from calibrant.io._source import Source

_FOLDER = "samples/"
_STARTS = ("_journal/start.json", "header.json")
#: the kept parts of a sample; messages and events may be a thousand times as long
_KEPT = ("id", "epoch", "target", "choices", "scores", "output")
#: the code of Zstandard among the compression methods of zip files
_ZSTANDARD = 93


def is_log(path: Path) -> bool:
    """Return whether a zip file is an archive of Inspect."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except Exception:
        return False
    return bool(names.intersection(_STARTS)) and any(name.startswith(_FOLDER) for name in names)


def read_samples(source: Source) -> list[Record]:
    """Return the samples of a log in the order of the archive, without their messages."""
    with _explained(source), zipfile.ZipFile(source.path) as archive:
        names = [name for name in dict.fromkeys(archive.namelist())
                 if name.startswith(_FOLDER) and name.endswith(".json")]  # fmt: skip
        members = [archive.getinfo(name) for name in names]  # of duplicates, the last is valid
        source.refuse_growth(sum(member.file_size for member in members), source.size)
        return [_kept(_content(source, archive, member), source, member.filename)
                for member in members]  # fmt: skip


def _kept(content: bytes, source: Source, name: str) -> Record:
    record = parse_record(content.decode("utf-8"), source, name)
    return {key: record[key] for key in _KEPT if key in record}


def _content(source: Source, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a member, at most as many as the archive declares."""
    try:
        return archive.read(member)
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise
    content = _zstandard(source, _compressed(source, member), member.file_size)
    if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
        raise zipfile.BadZipFile(f"{member.filename} is damaged")
    return content


def _compressed(source: Source, member: zipfile.ZipInfo) -> bytes:
    """Return the compressed bytes of a member, which follow its local header."""
    with source.path.open("rb") as stream:
        stream.seek(member.header_offset)
        header = stream.read(30)
        name_length, extra_length = struct.unpack("<HH", header[26:30])
        stream.seek(name_length + extra_length, io.SEEK_CUR)
        return stream.read(member.compress_size)


def _zstandard(source: Source, compressed: bytes, size: int) -> bytes:
    try:
        import pyarrow as pa
    except ImportError:
        raise InputError(
            Problem.DEPENDENCY,
            "is compressed with Zstandard, which needs pyarrow",
            argument="the log",
            source=source.name,
            remedy="install pyarrow, or convert the log to JSON with `inspect log convert`",
        ) from None
    with pa.CompressedInputStream(pa.BufferReader(compressed), "zstd") as stream:
        content: bytes = stream.read(size + 1)
    return content


@contextmanager
def _explained(source: Source) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except MemoryError:
        raise
    except Exception as error:  # zipfile and pyarrow may raise any exception on corrupt bytes
        raise broken_file(source.name, "Inspect log", error) from error
