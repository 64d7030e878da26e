"""Files of bytes that must be refused: Parquet, Arrow, npz, npy, and what is compressed."""

import gzip
import pickle

import numpy as np
import pyarrow as pa
from tests.io.encoded import (
    GOOD_CSV,
    P,
    Y,
    arrow,
    as_objects,
    encrypted,
    good_npz,
    good_parquet,
    npy,
    npz,
    outside,
    p_of,
    parquet,
    spreadsheet,
    tar,
    zipped,
)
from tests.io.malformed._file import Malformed

BINARIES = {
    "classes listed in every row": Malformed(
        "lists.parquet",
        parquet(label=[0, 1], labels=[["1", "0"], ["0", "1"]], scores=[[0.7, 0.3], [0.6, 0.4]]),
        "'labels' lists the classes of 'scores' row by row",
    ),
    "transposed": Malformed("transposed.npz", npz(y_true=Y, y_prob=P.T), "looks transposed"),
    "unequal lengths": Malformed(
        "lengths.npz", npz(y_true=Y[:2], y_prob=P), "one row per label, 2 in all; got 4"
    ),
    "a broken parquet": Malformed("broken.parquet", good_parquet[:-30], "broken or cut off"),
    "a parquet in name only": Malformed("name.parquet", GOOD_CSV.encode(), "the name says parquet"),
    "texts in a parquet": Malformed(
        "texts.parquet", parquet(label=Y, p_0=["a"] * 4, p_1=P[:, 1]), "must contain numbers"
    ),
    "a parquet without rows": Malformed(
        "none.parquet", parquet(label=Y[:0], p_0=P[:0, 0], p_1=P[:0, 1]), "no row of data"
    ),
    "a broken arrow": Malformed(
        "broken.arrow", arrow(label=Y, p_0=P[:, 0], p_1=P[:, 1])[:-40], "broken or cut off"
    ),
    "a broken npz": Malformed("broken.npz", good_npz[: len(good_npz) // 2], "broken or cut off"),
    "a spreadsheet": Malformed("table.xlsx", spreadsheet(), "spreadsheet"),
    "a pickle": Malformed("model.pkl", pickle.dumps({"a": 1}), "pickle"),
    "a pickle in an npz": Malformed(
        "objects.npz", npz(y_true=as_objects, y_prob=P), "pickles and never loaded"
    ),
    "a pickle in an npy": Malformed("objects.npy", npy(as_objects), "pickles and never loaded"),
    "a broken npy": Malformed("broken.npy", npy(P)[:-8], "broken or cut off"),
    "an npy without labels": Malformed("alone.npy", npy(P), "--labels"),
    "cut off gzip": Malformed(
        "cut.csv.gz", gzip.compress(GOOD_CSV.encode() * 99)[:-20], "end too early"
    ),
    "a folder of gzip": Malformed("tar.csv.gz", gzip.compress(tar), "binary data"),
    "gzip of gzip": Malformed(
        "twice.csv.gz", gzip.compress(gzip.compress(GOOD_CSV.encode())), "compressed twice"
    ),
    "an empty gzip": Malformed("empty.csv.gz", gzip.compress(b""), "the file is empty"),
    "a gzip of two bytes": Malformed("two.csv.gz", b"\x1f\x8b", "end too early"),
    "a broken gzip": Malformed(
        "broken.csv.gz", gzip.compress(GOOD_CSV.encode())[:10] + b"\xff" * 40, "gzip file is broken"
    ),
    "garbage behind a gzip": Malformed(
        "behind.csv.gz", gzip.compress(GOOD_CSV.encode()) + b"garbage", "gzip file is broken"
    ),
    "a zip of a csv": Malformed("table.zip", zipped(a_csv=GOOD_CSV), "('a.csv'), not an npz"),
    "an empty zip": Malformed("empty.npz", zipped(), "must be an array of shape"),
    "an encrypted npz": Malformed("secret.npz", encrypted(), "broken or cut off"),
    "a pointer": Malformed(
        "lfs.parquet",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
        "the name says parquet",
    ),
    "a parquet without columns": Malformed("zero.parquet", parquet(), "no label column"),
    "structures in a parquet": Malformed(
        "struct.parquet",
        parquet(label=Y, p_0=[{"a": 1.0}] * 4, p_1=P[:, 1]),
        "must contain numbers",
    ),
    "labels that are structures": Malformed(
        "structs.parquet", parquet(label=[{"a": 1}] * 4, **p_of(P)), "numbers or text; got struct"
    ),
    "lists of lists": Malformed(
        "nested.parquet", parquet(label=Y, probs=[[[0.5, 0.5]]] * 4), "must contain numbers"
    ),
    "lists of several lengths": Malformed(
        "ragged.parquet", parquet(label=Y, probs=[[0.5, 0.5]] * 3 + [[1.0]]), "2 numbers in every"
    ),
    "a missing list": Malformed(
        "missing.parquet", parquet(label=Y, probs=[None] + [[0.5, 0.25, 0.25]] * 3), "got none"
    ),
    "lists of one text": Malformed(
        "one.parquet", parquet(label=Y, probs=[["a"]] * 4), "must contain numbers"
    ),
    "a missing number": Malformed(
        "null.parquet", parquet(label=Y, **p_of(P), p_3=[0.0, None, 0.0, 0.0]), "must be finite"
    ),
    "a missing label in a parquet": Malformed(
        "null.parquet", parquet(label=[0, None, 1, 2], **p_of(P)), "missing label"
    ),
    "nothing but missing labels": Malformed(
        "nulls.parquet", parquet(label=pa.nulls(4), **p_of(P)), "missing label"
    ),
    "labels beyond every class": Malformed(
        "huge.parquet",
        parquet(label=pa.array([2**64 - 1, 0, 1, 2], pa.uint64()), **p_of(P)),
        "integers in [0",
    ),
    "labels that are no text": Malformed(
        "bytes.parquet", parquet(label=[b"\xff", b"0", b"1", b"2"], **p_of(P)), "Invalid UTF8"
    ),
    "texts outside of an arrow": Malformed("outside.arrow", outside(), "broken or cut off"),
    "bytes that are no text": Malformed(
        "bytes.npz", npz(y_true=np.array([b"a", b"\xff"]), y_prob=P[:2]), "must be UTF-8"
    ),
    "complex numbers": Malformed(
        "complex.npz", npz(y_true=Y, y_prob=P.astype(complex)), "must contain numbers"
    ),
    "three axes": Malformed("axes.npz", npz(y_true=Y, y_prob=P[None]), "no probability column"),
    "no axes": Malformed(
        "none.npz", npz(y_true=np.array(1), y_prob=np.array(0.5)), "must be an array of"
    ),
    "no rows": Malformed("rows.npz", npz(y_true=Y[:0], y_prob=P[:0]), "no row of data"),
    "no columns": Malformed(
        "columns.npz", npz(y_true=Y, y_prob=P[:, :0]), "the probabilities must not be empty"
    ),
    "labels alone": Malformed("labels.npz", npz(y_true=Y), "no probability column"),
    "too few names": Malformed(
        "names.npz",
        npz(y_true=Y, y_prob=P, classes=np.array(["a", "b"])),
        "must name the 3 classes",
    ),
    "a name twice": Malformed(
        "twice.npz", npz(y_true=Y, y_prob=P, classes=np.array(["a", "a", "b"])), "must be distinct"
    ),
    "an npy of the future": Malformed(
        "future.npy", b"\x93NUMPY\x09\x00" + bytes(100), "broken or cut off"
    ),
    "a program in an npy": Malformed(
        "program.npy",
        npy(P).replace(b"(4, 3), }", b"exit(1),}"),
        "broken or cut off",
    ),
    "an npy that never ends": Malformed(
        "header.npy", npy(P).replace(b"(4, 3), }", b"((((((((("), "broken or cut off"
    ),
    "an npy larger than the disk": Malformed(
        "huge.npy", npy(P).replace(b"(4, 3), }   ", b"(1<<60, 3),}"), "broken or cut off"
    ),
}
