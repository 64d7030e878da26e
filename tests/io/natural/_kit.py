"""A natural file, and how programs write their tables."""

import io
import json
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from tests.io.natural._data import ANSWER3


@dataclass(frozen=True)
class Natural:
    """A file, what it says, and the one option that it needs, if any."""

    name: str
    data: bytes
    #: probabilities (rows, classes) and the class of every row
    answer: tuple = ANSWER3
    #: the names of the classes, where the order of the answer is not that of the file
    classes: tuple | None = None
    #: the option that the message must name, as an argument of Python
    needs: dict = field(default_factory=dict)
    #: files beside it
    others: dict = field(default_factory=dict)
    #: what is said from the start, since it is the name of a second file
    given: dict = field(default_factory=dict)
    atol: float = 0.0
    top_label_only: bool = False

    def write(self, folder):
        for name, data in {self.name: self.data, **self.others}.items():
            (folder / name).write_bytes(data)
        return str(folder / self.name)


def csv_of(columns, sep=",", index=False, **options):
    frame = pd.DataFrame(columns)
    return frame.to_csv(sep=sep, index=index, lineterminator="\n", **options).encode()


def r_table(columns, sep=" ", quote=True, dec="."):
    """Write as R's write.table does: the header lacks the column of row names."""

    def text(value):
        if isinstance(value, str):
            return f'"{value}"' if quote else value
        return repr(float(value)).replace(".", dec) if isinstance(value, float) else str(value)

    lines = [sep.join(text(name) for name in columns)]
    cells = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    lines += [sep.join([text(str(i)), *map(text, row)]) for i, row in enumerate(cells, 1)]
    return "\n".join([*lines, ""]).encode()


def r_csv(columns, sep=",", dec="."):
    """Write as write.csv does (write.csv2 with other marks): the row names have an empty name."""
    data = r_table(columns, sep, dec=dec).decode().split("\n", 1)
    return f'""{sep}{data[0]}\n{data[1]}'.encode()


def jsonl(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def parquet(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()
