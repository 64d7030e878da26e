"""The results of an experiment in a folder: finished batches survive whatever happens."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.io import InputError
from calibrant.io._errors import broken_file
from calibrant.io._replace import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibrant._typing import FloatArray

#: what the folder holds, and what its numbers depend on
MANIFEST = "experiment.json"
BATCHES = "batches"


@dataclass(frozen=True)
class Store:
    """The folder of an experiment; see `open_store`."""

    folder: Path

    def has(self, name: str) -> bool:
        """Say whether a batch is finished."""
        return self._path(name).exists()

    def save(self, name: str, arrays: Mapping[str, FloatArray]) -> None:
        """Keep the results of a batch: completely or not at all, the same bytes each time."""
        with replacing(self._path(name)) as stream, zipfile.ZipFile(stream, "w") as archive:
            for key, array in arrays.items():
                content = io.BytesIO()
                np.save(content, array, allow_pickle=False)
                # a fixed date: the same results are the same bytes
                archive.writestr(zipfile.ZipInfo(f"{key}.npy"), content.getvalue())

    def load(self, name: str) -> dict[str, FloatArray]:
        """Return the results of a batch; reading checks them against their sums."""
        path = self._path(name)
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
                return {key: archive[key] for key in archive.files}
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
            raise InputError(
                f"{broken_file(str(path), 'result', error)}: delete it and run again with "
                "--resume; only this batch is computed anew"
            ) from error

    def _path(self, name: str) -> Path:
        return self.folder / BATCHES / f"{name}.npz"


def open_store(folder: Path, facts: Mapping[str, Any], *, resume: bool) -> Store:
    """Return the store in `folder`, a new one or, with `resume`, that of the same experiment.

    `facts` are what the numbers depend on: a folder with other facts is refused, as is any
    folder that holds something else.
    """
    wanted = json.loads(json.dumps(dict(facts)))
    manifest = folder / MANIFEST
    if manifest.exists() and resume:
        _check_same(manifest, wanted)
    else:
        check_free(folder)
        (folder / BATCHES).mkdir(parents=True, exist_ok=True)
        with replacing(manifest) as stream:
            stream.write(f"{json.dumps(wanted, indent=2)}\n".encode())
    (folder / BATCHES).mkdir(exist_ok=True)
    return Store(folder)


def check_free(folder: Path) -> None:
    """Refuse a folder that holds anything."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file. Name a folder for the results")
    if folder.exists() and any(folder.iterdir()):
        raise InputError(_occupied(folder))


def _check_same(manifest: Path, wanted: dict[str, Any]) -> None:
    try:
        found = json.loads(manifest.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise broken_file(str(manifest), "result", error) from error
    if not isinstance(found, dict):
        raise InputError(f"{manifest}: this is not the description of an experiment")
    other = sorted(key for key in {*found, *wanted} if found.get(key) != wanted.get(key))
    if other:
        told = "; ".join(f"{k} is {found.get(k)!r} there, {wanted.get(k)!r} here" for k in other)
        raise InputError(
            f"{manifest.parent}: these are the results of another experiment: {told}. "
            "Repeat its options, or name another folder with --output"
        )


def _occupied(folder: Path) -> str:
    if (folder / MANIFEST).exists() or any(folder.glob(f"*/{MANIFEST}")):
        return (
            f"{folder}: there are results in this folder. Go on with them by --resume, or name "
            "another folder with --output"
        )
    return f"{folder}: this folder holds other files. Name an empty or a new folder with --output"
