"""Bytes of files in every format, broken ones among them."""

import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GOOD_CSV = "label,p_0,p_1,p_2\n0,0.7,0.2,0.1\n1,0.1,0.8,0.1\n2,0.2,0.2,0.6\n"
Y = np.array([0, 1, 2, 0])
P = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.25, 0.25]])


def npz(**arrays) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def npy(array) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def parquet(**columns) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def arrow(**columns) -> bytes:
    out = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def csv_of(y, p, header="label,p_0,p_1,p_2") -> bytes:
    rows = [",".join([str(label), *(repr(float(v)) for v in row)]) for label, row in zip(y, p)]  # noqa: B905
    return "\n".join([header, *rows, ""]).encode()


def spreadsheet() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    return out.getvalue()


def outside() -> bytes:
    """Return an Arrow file whose texts lie outside of its memory: reading them is a crash."""
    data = arrow(label=["ab", "cd", "ab", "cd"], p_ab=P[:, 0], p_cd=1 - P[:, 0])
    offsets = np.array([0, 2, 4, 6, 8], np.int32).tobytes()
    assert data.count(offsets) == 1
    return data.replace(offsets, np.array([0, 2, 4, 6, 1 << 30], np.int32).tobytes())


def zipped(**members) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("_", "."), text)
    return out.getvalue()


def encrypted() -> bytes:
    """Return an npz that says it is encrypted."""
    data = bytearray(good_npz)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = -1
        while (start := data.find(mark, start + 1)) >= 0:
            data[start + place] |= 1
    return bytes(data)


def p_of(table) -> dict:
    return {f"p_{j}": table[:, j] for j in range(3)}


good_parquet = parquet(label=Y, p_0=P[:, 0], p_1=P[:, 1], p_2=P[:, 2])
tar = b"table.csv".ljust(257, b"\0") + b"ustar" + bytes(250)
good_npz = npz(y_true=Y, y_prob=P)
as_objects = np.array([{"a": 1}, None], dtype=object)
