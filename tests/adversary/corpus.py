"""Hostile files with known answers, and predictions of a calibrated model."""

import gzip
import io
import zipfile
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.io.encoded import npz, parquet
from tests.io.malformed import MALFORMED

from calibrant.models import M1

P = np.array([[0.5, 0.5], [0.25, 0.75]])


@dataclass(frozen=True)
class Hostile:
    """A file, the options it is read with, and the exit code that `check` must end with."""

    name: str
    data: bytes
    code: int = 3
    options: tuple[str, ...] = ()
    says: str = ""
    rows: int | None = field(default=None)

    def write(self, folder):
        path = folder / self.name
        path.write_bytes(self.data)
        return [str(path), *(option.replace("FILE", str(path)) for option in self.options)]


@cache
def calibrated(n_classes=3, n_samples=300):
    """Return labels and probabilities of a calibrated model."""
    return M1(n_classes, 0.5).sample(n_samples, rng=11)


def stray_quotes(n_rows, first, second=None) -> bytes:
    """Return a CSV file with an unused column, in which a quote is never closed where it should."""
    notes = ["x"] * n_rows
    notes[first] = '"12 inch screen'
    if second is not None:
        notes[second] = '"15 inch screen'
    lines = [f"a,0.5,0.5,{note}" for note in notes]
    return "\n".join(["label,p_a,p_b,note", *lines, ""]).encode()


def bad_text(code_point) -> np.ndarray:
    """Return names of classes, one of which holds what no text can hold."""
    names = np.array(["a", "b"])
    names.view("u4")[1] = code_point
    return names


def zip_bomb(bomb="junk", size=1 << 30) -> bytes:
    """Return an npz file in which one array, `junk` or a wanted one, is a gigabyte of zeros."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in {"y_true": np.array([0, 1]), "y_prob": P}.items():
            if name != bomb:
                member = io.BytesIO()
                np.save(member, array)
                archive.writestr(f"{name}.npy", member.getvalue())
        with archive.open(f"{bomb}.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(
                member, {"descr": "<f8", "fortran_order": False, "shape": (size // 16, 2)}
            )
            for _ in range(size >> 24):
                member.write(bytes(1 << 24))
    return out.getvalue()


def long_labels(n_rows=2000, length=1 << 20) -> bytes:
    """Return a small Parquet file in which every label is a text of a megabyte."""
    label = pa.DictionaryArray.from_arrays(np.zeros(n_rows, np.int32), ["x" * length])
    out = io.BytesIO()
    table = pa.table({"label": label, "p_0": np.full(n_rows, 0.5), "p_1": np.full(n_rows, 0.5)})
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


ONE_HOT = np.array([[0, 1], [1, 0]])
IDS = np.array([0, 1])
#: a member of a gzip file, which may have many
ZEROS = gzip.compress(bytes(1 << 24))

HOSTILE = {
    "a stray quote": Hostile("a.csv", stray_quotes(3, 0), 3, says="line"),
    "two stray quotes": Hostile("a.csv", stray_quotes(400, 20, 380), 3, says="line"),
    "a code point beyond Unicode": Hostile(
        "a.npz", npz(y_true=IDS, y_prob=P, classes=bad_text(0x110000)), says="UTF-8"
    ),
    "half of a surrogate pair": Hostile(
        "a.npz", npz(y_true=IDS, y_prob=P, classes=bad_text(0xD800)), says="UTF-8"
    ),
    "one-hot labels and names that are numbers": Hostile(
        "a.npz", npz(y_true=ONE_HOT, y_prob=P, classes=np.arange(2)), 0, rows=2
    ),
    "one-hot labels and names": Hostile(
        "a.npz", npz(y_true=ONE_HOT, y_prob=P, classes=np.array(["a", "b"])), 0, rows=2
    ),
    "weights that are lists": Hostile(
        "a.parquet",
        parquet(label=[0, 1], p_0=P[:, 0], p_1=P[:, 1], w=[[1.0], [2.0]]),
        options=("--weight", "w"),
        says="one number per row",
    ),
    "identifiers in a matrix": Hostile(
        "a.npz",
        npz(y_true=IDS, y_prob=P, id=IDS[:, None]),
        0,
        options=("--labels", "FILE", "--id", "id", "--prob", "y_prob", "--label", "y_true"),
        rows=2,
    ),
    "identifiers in a wide matrix": Hostile(
        "a.npz",
        npz(y_true=IDS, y_prob=P, id=np.stack([IDS, IDS], axis=1)),
        options=("--labels", "FILE", "--id", "id", "--prob", "y_prob", "--label", "y_true"),
        says="one value per row",
    ),
    "labels in one row": Hostile(
        "a.npz", npz(y_true=np.array([[1, 2]]), y_prob=P), options=("--one-based",)
    ),
    "labels in one row, joined": Hostile(
        "a.npz",
        npz(y_true=np.array([[1, 2]]), y_prob=P, id=IDS),
        options=("--labels", "FILE", "--id", "id", "--prob", "y_prob", "--label", "y_true"),
    ),
    "names of a rare type": Hostile(
        "a.npz", npz(y_true=IDS, y_prob=P, classes=np.arange(2, dtype="g")), 0, rows=2
    ),
    "names that are fractions": Hostile(
        "a.npz", npz(y_true=IDS, y_prob=P, classes=np.array([0.5, 1.5])), says="whole numbers"
    ),
    "arrays of objects that nobody asked for": Hostile(
        "a.npz", npz(y_true=IDS, y_prob=P, junk=np.array([{}, []], dtype=object)), 0, rows=2
    ),
    "labels that are objects": Hostile(
        "a.npz", npz(y_true=np.array([0, "a"], dtype=object), y_prob=P), says="never loaded"
    ),
    "a compressed file that grows without end": Hostile(
        "a.npz.gz", gzip.compress(b"PK\x03\x04") + ZEROS * 32, says="grow"
    ),
    **{name: Hostile(m.name, m.data, 3, m.options, m.message)
       for name, m in MALFORMED.items() if m.data is not None and "nowhere" not in m.options},
}  # fmt: skip
