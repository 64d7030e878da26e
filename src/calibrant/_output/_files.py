"""Files that appear completely or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its place when the block ends well.

    It is written next to its place first and is on the disk before it is renamed; where the block
    fails or is interrupted, what was there before stays. A file that is replaced keeps its
    permissions. Several writers do not disturb each other: the last one to finish wins. Devices
    and pipes are written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    # as short as any name may be, and one that a crashed process cannot have left behind
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
    """Bring a renamed file's name to the disk, where folders can be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
