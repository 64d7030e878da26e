"""Files that must be refused: for each, the bytes, further options, and words of the message."""

import gzip
import io
import pickle
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

GOOD_CSV = "label,p_0,p_1,p_2\n0,0.7,0.2,0.1\n1,0.1,0.8,0.1\n2,0.2,0.2,0.6\n"
Y = np.array([0, 1, 2, 0])
P = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.25, 0.25]])


@dataclass(frozen=True)
class Malformed:
    """A file that nobody should get a number from."""

    name: str
    data: bytes | None
    message: str
    options: tuple[str, ...] = ()

    def write(self, folder: Path) -> list[str]:
        path = folder / self.name
        if self.data is not None:
            path.write_bytes(self.data)
        return [str(path), *self.options]


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


good_parquet = parquet(label=Y, p_0=P[:, 0], p_1=P[:, 1], p_2=P[:, 2])
good_npz = npz(y_true=Y, y_prob=P)
as_objects = np.array([{"a": 1}, None], dtype=object)

MALFORMED = {
    "missing file": Malformed("none.csv", None, "there is no such file"),
    "empty": Malformed("empty.csv", b"", "the file is empty"),
    "blank lines only": Malformed("blank.csv", b"\n\n\n", "blank lines only"),
    "header only": Malformed("header.csv", b"label,p_0,p_1\n", "no row of data"),
    "no header": Malformed("data.csv", b"0,0.7,0.3\n1,0.2,0.8\n", "looks like data"),
    "truncated": Malformed("cut.csv", GOOD_CSV[:-7].encode(), "line 4 must have 4 cells"),
    "ragged": Malformed(
        "ragged.csv", GOOD_CSV.encode() + b"1,0.1,0.8,0.05,0.05\n", "line 5 must have 4 cells"
    ),
    "wrong delimiter": Malformed(
        "semicolons.csv", GOOD_CSV.replace(",", ";").encode(), "--delimiter ';'"
    ),
    "commas in a tsv": Malformed("commas.tsv", GOOD_CSV.encode(), "--delimiter ','"),
    "decimal commas": Malformed(
        "comma.csv",
        b"label;p_0;p_1\n0;0,75;0,25\n",
        "line 2, column 'p_0' must be a number; got '0,75'. Write decimal points",
        ("--delimiter", ";"),
    ),
    "text among numbers": Malformed(
        "text.csv", GOOD_CSV.replace("0.8", "high").encode(), "line 3, column 'p_1' must be a num"
    ),
    "unfinished quote": Malformed("quote.csv", GOOD_CSV.encode() + b'"1,0.1', "line 5"),
    "missing label column": Malformed(
        "nolabel.csv", b"case,p_0,p_1\na,0.5,0.5\n", "there is no label column"
    ),
    "two label columns": Malformed(
        "two.csv", b"label,target,p_0,p_1\n0,0,0.5,0.5\n", "'label', 'target' could all be"
    ),
    "two sets of probabilities": Malformed(
        "sets.csv",
        b"label,p_0,p_1,prob_0,prob_1\n0,0.5,0.5,0.5,0.5\n",
        "the probabilities could be ('p_0', 'p_1') or ('prob_0', 'prob_1')",
    ),
    "no probability column": Malformed("noprob.csv", b"label,case\n0,7\n", "no probability column"),
    "duplicated header": Malformed(
        "twice.csv", b"label,p_0,p_0\n0,0.5,0.5\n", "names 'p_0' more than once"
    ),
    "nan": Malformed("nan.csv", GOOD_CSV.replace("0.8", "nan").encode(), "must be finite"),
    "empty cell": Malformed("cell.csv", GOOD_CSV.replace("0.8", "").encode(), "must be finite"),
    "missing label": Malformed(
        "label.csv", GOOD_CSV.replace("\n1,", "\n,").encode(), "missing label"
    ),
    "logits": Malformed("logits.csv", csv_of(Y, 3 * P - 1), "--logits"),
    "log-probabilities": Malformed("log.csv", csv_of(Y, np.log(P)), "look like log-probabilities"),
    "percentages": Malformed("percent.csv", csv_of(Y, 100 * P), "look like percentages"),
    "rows that do not sum to 1": Malformed(
        "sums.csv", csv_of(Y, 0.9 * P), "must have rows that sum to 1"
    ),
    "1-based": Malformed(
        "one.csv", csv_of(Y + 1, P, "label,p_a,p_b,p_c"), "On the command line: --one-based"
    ),
    "1-based with numbers in the header": Malformed(
        "one.csv", csv_of(Y + 1, P), "On the command line: --one-based"
    ),
    "unknown label": Malformed(
        "unknown.csv", GOOD_CSV.replace("\n2,", "\ncat,").encode(), "not among them"
    ),
    "label out of range": Malformed(
        "range.csv", csv_of(Y + 7, P), "row 0 is the 1st row of data", ()
    ),
    "transposed": Malformed("transposed.npz", npz(y_true=Y, y_prob=P.T), "looks transposed"),
    "unequal lengths": Malformed(
        "lengths.npz", npz(y_true=Y[:2], y_prob=P), "the same number of rows"
    ),
    "binary garbage": Malformed("garbage.csv", bytes(range(256)) * 20, "binary data"),
    "not utf-8": Malformed(
        "latin.csv", "label,p_chat,p_pêche\n".encode("latin-1") + b"chat,1,0\n", "not UTF-8"
    ),
    "a zero byte": Malformed("zero.csv", GOOD_CSV.encode() * 300 + b"\0", "zero byte"),
    "a line of many megabytes": Malformed(
        "line.csv", b"label,p_0," + b"x," * (9 << 19), "line 1 has more than 8,388,608 characters"
    ),
    "a row of many megabytes": Malformed(
        "row.csv", b"label,p_0,p_1\n0,0.5," + b"5" * (9 << 20) + b"\n", "line 2"
    ),
    "a broken parquet": Malformed("broken.parquet", good_parquet[:-30], "broken or cut off"),
    "a parquet in name only": Malformed("name.parquet", GOOD_CSV.encode(), "the name says parquet"),
    "texts in a parquet": Malformed(
        "texts.parquet", parquet(label=Y, p_0=["a"] * 4, p_1=P[:, 1]), "must hold numbers"
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
    "one column, many classes": Malformed(
        "single.csv", b"label,p\n0,0.5\n1,0.5\n2,0.5\n", "--prob COLUMNS, one per class"
    ),
    "names without a positive class": Malformed(
        "names.csv", b"label,p\nno,0.5\nyes,0.5\n", "--pos-label"
    ),
    "negative weight": Malformed(
        "weight.csv", b"label,p,w\n0,0.5,1\n1,0.5,-1\n", "non-negative", ("--weight", "w")
    ),
    "unknown column": Malformed(
        "column.csv", GOOD_CSV.encode(), "there is no column 'truth'", ("--label", "truth")
    ),
    "other classes": Malformed(
        "classes.csv", GOOD_CSV.encode(), "must name the same classes", ("--classes", "0,1,x")
    ),
    "soft one-hot": Malformed(
        "soft.csv", b"y_a,y_b,p_a,p_b\n0.5,0.5,0.5,0.5\n", "one 1 and otherwise 0", ("--onehot",)
    ),
    "an identifier beside classes": Malformed(
        "case.csv",
        b"label,case,cat,dog\ncat,1,0.5,0.5\ndog,2,0.5,0.5\n",
        "No label is called 'case': name the probability columns with --prob, for example "
        "--prob 'cat,dog'",
    ),
    "an identifier beside classes, divided away": Malformed(
        "case.csv",
        b"label,case,cat,dog\ncat,1,0.5,0.5\ndog,2,0.5,0.5\n",
        "--prob 'cat,dog'",
        ("--normalize",),
    ),
    "codes beside names of classes, divided away": Malformed(
        "codes.csv",
        b"label,case,cat,dog\n0,1,0.5,0.5\n1,2,0.5,0.5\n",
        "No label is called 'case', 'cat', 'dog'",
        ("--normalize",),
    ),
    "text columns beside classes": Malformed(
        "site.csv", b"label,site,cat,dog\ncat,north,0.5,0.5\n", "'site' must be a number"
    ),
}
