"""Trials with JSON, nested cells and logs: known predictions in random shapes, and damaged ones."""

import copy
import csv
import io
import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner
from tests.io.natural import NATURAL

from calibrant.cli._main import cli
from calibrant.errors import DataError
from calibrant.io import read_predictions

NAMES = (
    ["cat", "dog", "eel", "fox"],
    ["2", "0", "1", "3"],
    ["a b", 'x"y', "ä", "::x"],
    ["yes", "no", "maybe", "-"],
)
#: what nobody expects in a document
ODD = (None, True, False, 0, 1, -1, 2, 0.5, 1e308, -0.0, 10**400, float("nan"), float("inf"), "",
       "a", "A", "NaN", "0.5", "50%", "abc%", "\ud800", "\x00", "1e999", "C", "I", [], [0], [[]],
       [0.5, 0.5], ["a", "b"], [None], {}, {"a": 1}, {"a": 0.5, "b": 0.5}, "[", "{", "[1,2]",
       {"label": "a", "score": 0.5}, [{"label": "a", "score": 0.5}], "{'a': 1}", {"value": "C"},
       {"type": 0, "size": 2, "indices": [0], "values": [1]}, "x" * 2000)  # fmt: skip
DOCUMENTS = {title: file.data for title, file in NATURAL.items()
             if file.data.lstrip()[:1] in (b"{", b"[")}  # fmt: skip


def nested(folder: Path, choose: random.Random) -> str:
    """Write known predictions as JSON or in nested cells, in a random legal shape."""
    m, n = choose.randint(2, 4), choose.randint(1, 20)
    names = choose.choice(NAMES)[:m]
    rng = np.random.default_rng(choose.getrandbits(32))
    y, p = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    cells = choose.choice(CELLS)
    order = choose.sample(range(m), m)
    rows = [{"label": names[y[i]], **cells(names, p[i].tolist(), order, choose),
             "note": choose.choice(["x", "[", "{}", "1"])} for i in range(n)]  # fmt: skip
    path = choose.choice(WRITERS)(folder, rows, choose)
    try:
        found = read_predictions(str(path)).predictions
    except DataError:
        return "nested refused"
    assert len(found) == n, f"{path.name}: {len(found)} of {n} rows"
    labels = [label.removeprefix("p_") for label in found.labels.astype(str).tolist()]
    assert labels == [names[k] for k in y], f"{path.name}: other labels"
    own = found.y_prob[np.arange(n), found.y_true]
    assert np.array_equal(own, p[np.arange(n), y]), f"{path.name}: other probabilities"
    return "nested right"


def _columns(names, p, order, choose):
    return {f"p_{names[j]}": p[j] for j in order}


def _by_name(names, p, order, choose):
    order = choose.sample(order, len(order))  # every row in its own order
    return {"probs": {names[j]: p[j] for j in order}}


def _pairs(names, p, order, choose):
    order = choose.sample(order, len(order))
    return {"scores": [{"label": names[j], "score": p[j]} for j in order]}


def _beside(names, p, order, choose):
    order = choose.sample(order, len(order))
    return {"classes": [names[j] for j in order], "probs": [p[j] for j in order]}


def _inside(names, p, order, choose):
    return {"output": {f"p_{names[j]}": p[j] for j in order}}


CELLS = (_columns, _by_name, _pairs, _beside, _inside)


def _as_list(folder, rows, choose):
    return _text(folder / "a.json", json.dumps(rows, indent=choose.choice([None, 1])), choose)


def _as_lines(folder, rows, choose):
    shuffled = [dict(choose.sample(list(row.items()), len(row))) for row in rows]
    end = choose.choice(["\n", "\n\n", "\r\n"])
    return _text(folder / "a.jsonl", end.join(map(json.dumps, shuffled)) + end, choose)


def _as_columns(folder, rows, choose):
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return _text(folder / "a.json", json.dumps(columns), choose)


def _as_split(folder, rows, choose):
    table = {"columns": list(rows[0]), "data": [list(row.values()) for row in rows]}
    return _text(folder / "a.json", json.dumps(table), choose)


def _as_csv(folder, rows, choose):
    write = choose.choice([json.dumps, str])
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(rows[0])
    for row in rows:
        table.writerow([write(v) if isinstance(v, list | dict) else v for v in row.values()])
    return _text(folder / "a.csv", out.getvalue(), choose)


def _as_arrow(folder, rows, choose):
    pq.write_table(pa.Table.from_pylist(rows), folder / "a.parquet",
                   row_group_size=choose.choice([1, 3, 100]))  # fmt: skip
    return folder / "a.parquet"


WRITERS = (_as_list, _as_lines, _as_columns, _as_split, _as_csv, _as_arrow)


def _text(path: Path, text: str, choose: random.Random) -> Path:
    path.write_bytes(text.encode(choose.choice(["utf-8", "utf-8-sig"])))
    return path


def damaged(folder: Path, choose: random.Random) -> str:
    """Put odd things into a document of a program; the command must end with 0 or 3."""
    title = choose.choice(sorted(DOCUMENTS))
    document, is_lines = _document(DOCUMENTS[title])
    for _ in range(choose.choice([1, 1, 2, 4])):
        _put_odd(document, choose)
    path = folder / ("d.jsonl" if is_lines else "d.json")
    samples = document.get("samples") if isinstance(document, dict) else None
    if isinstance(samples, list) and choose.random() < 0.7:
        path = folder / "d.eval"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("header.json", "{}")
            for number, sample in enumerate(samples):
                archive.writestr(f"samples/{number}.json", json.dumps(sample))
    elif is_lines:
        path.write_text("\n".join(map(json.dumps, document)))
    else:
        path.write_text(json.dumps(document))
    ended = CliRunner().invoke(cli, ["check", str(path), *choose.choice(OPTIONS)])
    assert ended.exit_code in (0, 3), f"{title}: {ended.output[-300:]}"
    return f"damaged {ended.exit_code}"


OPTIONS = ([], [], ["--json", "-"], ["--drop-missing"], ["--logits"], ["--cluster", "question_id"],
           ["--id", "id"], ["--normalize"])  # fmt: skip


def _document(data: bytes) -> tuple[list | dict, bool]:
    """Return a document with a few of its rows, and whether each row has its line."""
    try:
        found = json.loads(data)
    except ValueError:
        return [json.loads(line) for line in data.splitlines() if line.strip()][:6], True
    if isinstance(found, dict) and isinstance(found.get("samples"), list):
        found["samples"] = found["samples"][:6]
    return (found[:6] if isinstance(found, list) else found), False


def _put_odd(document, choose: random.Random) -> None:
    node, path = document, []
    while isinstance(node, list | dict) and node and (not path or choose.random() < 0.8):
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        path.append(choose.choice(keys))
        holder, node = node, node[path[-1]]
    if not path:
        return
    odd, last, kind = copy.deepcopy(choose.choice(ODD)), path[-1], choose.randrange(6)
    if kind == 0:
        del holder[last]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(last, odd)
    elif kind == 1:
        holder[choose.choice(["label", "scores", "data", "id", "p_x", "x.y", "", "type"])] = odd
    elif kind == 2 and isinstance(document, list):
        for row in document:  # the same in every row
            if isinstance(row, dict):
                row[str(path[1] if len(path) > 1 else last)] = copy.deepcopy(odd)
    else:
        holder[last] = odd
