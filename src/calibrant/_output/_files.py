"""Atomic writing of files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces `path` if the block succeeds.

    It is first written next to `path` and synced to disk before it is renamed. If the block fails
    or is interrupted, the existing file remains. A replaced file keeps its permissions. Several
    writers do not disturb each other: the last one to finish wins. Devices and pipes are written
    directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))  # keeps a link a link
    # a short, random name that no crashed process can have left behind
    partial = target.with_name(f".calibrant-{os.urandom(8).hex()}.part")
    with partial.open("xb") as stream:
        try:
            with suppress(FileNotFoundError):
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            stream.close()  # an open file cannot be renamed on Windows
            partial.replace(target)
        except BaseException:
            stream.close()
            partial.unlink()
            raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Sync the folder of a renamed file to disk, if folders can be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
