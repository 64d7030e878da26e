"""Odd but legal files, all with the same four predictions."""

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.io.encoded import arrow, npy, npz, parquet

Y = np.array([0, 1, 2, 0])
P = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5], [0.5, 0.5, 0.0]])
CLASSES = ("cat", "dog, small", "<b>hen</b>")
NAMES = np.array(CLASSES)[Y]
QUOTED = ['"cat"', '"dog, small"', "<b>hen</b>"]
HEADER = "label," + ",".join(f'"p_{name}"' for name in CLASSES)
ROWS = [",".join([QUOTED[y], *map(repr, p)]) for y, p in zip(Y, P.tolist(), strict=True)]
TEXT = "\n".join([HEADER, *ROWS, ""])


def stream(**columns) -> bytes:
    out = io.BytesIO()
    table = pa.table(columns)
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


columns = {"label": NAMES} | {f"p_{c}": P[:, j] for j, c in enumerate(CLASSES)}
as_lists = pa.table({"label": NAMES, "y_prob": P.tolist()})
as_floats = {f"p_{c}": P[:, j].astype(np.float32) for j, c in enumerate(CLASSES)}
halves = {name: column.astype(np.float16) for name, column in as_floats.items()}
decimals = {name: pa.array(column).cast(pa.decimal128(9, 4)) for name, column in as_floats.items()}
coded = {"p_cat": pa.array(P[:, 0]).dictionary_encode()}
dictionary = pa.array(NAMES.tolist()).dictionary_encode()


def written(table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=2)
    return out.getvalue()


LEGAL = {
    "plain.csv": TEXT.encode(),
    "byte-order-mark.csv": TEXT.encode("utf-8-sig"),
    "windows.csv": TEXT.replace("\n", "\r\n").encode(),
    "no-last-newline.csv": TEXT.rstrip().encode(),
    "blank-lines.csv": TEXT.replace("\n", "\n\n").encode(),
    "tabs.tsv": TEXT.replace('"dog, small"', "dog, small")
    .replace('"p_dog, small"', "p_dog, small")
    .replace(",0", "\t0")
    .replace("label,", "label\t")
    .replace('","', '"\t"')
    .replace(",p_", "\tp_")
    .replace(',"p_', '\t"p_')
    .encode(),
    "utf-16.csv": TEXT.encode("utf-16"),
    "scientific.csv": TEXT.replace("0.125", "1.25E-1").replace("0.5", "5e-01").encode(),
    "blanks.csv": TEXT.replace(",0", ",  0").replace(',"p_', ', "p_').encode(),
    "mixed-line-ends.csv": TEXT.replace("\n", "\r\n", 2).encode(),
    "old-line-ends.csv": TEXT.replace("\n", "\r").encode(),
    "utf-16-big-endian.csv": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "blanks-in-names.csv": TEXT.replace('"p_', '"p_ ').encode(),
    "trailing-delimiter.csv": TEXT.replace("\n", ",\n").encode(),
    "two-parts.csv.gz": gzip.compress(TEXT[:50].encode()) + gzip.compress(TEXT[50:].encode()),
    "no-gzip.csv.gz": TEXT.encode(),
    "compressed.csv.gz": gzip.compress(TEXT.encode()),
    "no-suffix": TEXT.encode(),
    "plain.parquet": parquet(**columns),
    "floats.parquet": parquet(**({"label": NAMES} | as_floats)),
    "dictionary.parquet": parquet(**(columns | {"label": dictionary})),
    "halves.parquet": parquet(**({"label": NAMES} | halves)),
    "decimals.parquet": parquet(**({"label": NAMES} | decimals)),
    "coded-numbers.parquet": parquet(**(columns | coded)),
    "bytes.parquet": parquet(**(columns | {"label": [name.encode() for name in NAMES]})),
    "large-texts.arrow": arrow(
        **(columns | {"label": pa.array(NAMES.tolist(), pa.large_string())})
    ),
    "views.arrow": arrow(**(columns | {"label": pa.array(NAMES.tolist(), pa.string_view())})),
    "plain.arrow": arrow(**columns),
    "plain.feather": arrow(**columns),
    "stream.arrow": stream(**columns),
    "wrong-name.csv": parquet(**columns),
    "matrix.npz": npz(y_true=NAMES, y_prob=P, classes=np.array(CLASSES)),
    "fortran.npz": npz(y_true=NAMES, y_prob=np.asfortranarray(P), classes=np.array(CLASSES)),
    "big-endian.npz": npz(y=Y.astype(">i4"), p=P.astype(">f4"), classes=np.array(CLASSES)),
    "small.npz": npz(y=Y.astype(np.int8), p=P.astype(np.float16), classes=np.array(CLASSES)),
    "long.npz": npz(y=Y.astype(float), p=P.astype(np.longdouble), classes=np.array(CLASSES)),
    "bytes.npz": npz(y=NAMES.astype(np.bytes_), p=P, classes=np.array(CLASSES).astype(np.bytes_)),
    "codes.npz": npz(y=Y, probs=P.astype(np.float32), classes=np.array(CLASSES)),
    "compressed.npz.gz": gzip.compress(npz(y_true=NAMES, y_prob=P, classes=np.array(CLASSES))),
}
#: files that need options
WITH_OPTIONS = {
    "lists.parquet": (written(as_lists), {"classes": CLASSES}),
    "matrix.npy": (npy(P), {"classes": CLASSES, "labels": "labels.npy"}),
    "named.csv": (
        ",".join(["truth", *QUOTED]).encode() + b"\n" + "\n".join(ROWS).encode(),
        {"label": "truth"},
    ),
    "one-based.npz": (npz(y=Y + 1, p=P), {"classes": CLASSES, "one_based": True}),
    "one-hot.npz": (npz(y=np.eye(3)[Y], p=P), {"classes": CLASSES}),
    "logits.npz": (
        npz(y=Y, logits=np.log(np.maximum(P, 1e-300))),
        {"classes": CLASSES, "logits": True},
    ),
    "scores.npz": (npz(y=Y, p=7 * P), {"classes": CLASSES, "normalize": True}),
}
