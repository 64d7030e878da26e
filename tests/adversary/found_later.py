"""Faults that were found later, each as a program that fails if it returns."""

import io
import json
import sqlite3
import subprocess
import warnings
import zipfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from tests.adversary.corpus import P, calibrated
from tests.adversary.faults import command, fault
from tests.adversary.process import CALIBRANT, run
from tests.io.natural import NATURAL

import calibrant as cal
from calibrant._execution._checkpoint import _checksum
from calibrant._execution._records import pack
from calibrant.errors import CheckpointError, DataError
from calibrant.io import read_predictions, scan_predictions, write_predictions
from calibrant.recalibration._file import (
    _checksum as calibrator_checksum,
    to_document as calibrator_document,
)


@fault("A1", "apply writes over what it reads")
def _(folder):
    y, p = calibrated()
    path, calibrator = folder / "a.csv", folder / "c.json"
    write_predictions(str(path), cal.Predictions(y, p))
    assert command("repair", path, "-o", calibrator, "--resamples", "19", "-q").exit_code == 0
    before = path.read_bytes(), calibrator.read_bytes()
    for out in (path, calibrator, folder / "." / "a.csv"):
        assert command("apply", calibrator, path, "-o", out).exit_code == 2
    assert (path.read_bytes(), calibrator.read_bytes()) == before


@fault("A2", "npz files whose names of classes are dropped")
def _(folder):
    path = str(folder / "a.npz")
    columns = {"y_true": [0, 1], "y_prob": P}
    for classes in (["a"], [["a", "b"]], [["1", "0"]], ["a", "b", "c"], "a"):
        np.savez(path, **columns, classes=classes)
        assert command("check", path).exit_code == 3, classes
    np.savez(path, y_true=[1, 0], y_prob=[0.75, 0.5], classes=[1, 0])  # P(0), the last class
    found = read_predictions(path).predictions
    assert found.classes == (1, 0)
    assert found.y_prob[:, 1].tolist() == [0.75, 0.5]
    np.savez(path, y_true=["cat", "dog"], p_cat=[1.0, 0.0], p_dog=[0.0, 1.0],
             classes=["dog", "cat"])  # fmt: skip
    found = read_predictions(path).predictions
    assert found.y_prob[np.arange(2), found.y_true].tolist() == [1.0, 1.0]


@fault("A3", "an array that an npz file holds twice")
def _(folder):
    with zipfile.ZipFile(folder / "a.npz", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile notices as well
        for name, array in (("y_true", [0, 1]), ("y_prob", P), ("y_true", [1, 0])):
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{name}.npy", member.getvalue())
    found = command("check", folder / "a.npz")
    assert found.exit_code == 3
    assert "more than once" in found.stderr


@fault("A4", "a folder whose labels are names in one file and positions in another")
def _(folder):
    y, p = calibrated()
    rows = folder / "rows"
    rows.mkdir()
    names = np.array(["eel", "cat", "dog"])
    columns = {f"p_{name}": p[:, j] for j, name in enumerate(names)}
    pq.write_table(pa.table({"label": names[y]} | columns), rows / "a.parquet")
    for other in (pa.array(y), pa.array(y.astype(float))):
        pq.write_table(pa.table({"label": other} | columns), rows / "b.parquet")
        found = command("check", rows)
        assert found.exit_code == 3
        assert "one type" in found.stderr
    coded = pa.array(names[y].tolist()).dictionary_encode()
    mixed = dict(reversed(columns.items()))  # columns in another order are found by name
    pq.write_table(pa.table({"label": coded} | mixed), rows / "b.parquet")
    found = scan_predictions(str(rows)).read().predictions
    assert found.labels.tolist() == names[np.tile(y, 2)].tolist()
    assert np.array_equal(found.y_prob[:300], found.y_prob[300:])


@fault("A5", "the first of two unnamed columns as the positive class")
def _(folder):
    for labels in ([0, 1], [False, True]):
        try:
            cal.Predictions(labels, P, pos_label=labels[0])
        except DataError:
            continue
        raise AssertionError("which column is meant was guessed")


@fault("A6", "what needs no temporary file cannot be read on a full disk")
def _(folder):
    y, p = calibrated()
    write_predictions(str(folder / "a.parquet"), cal.Predictions(y, p))
    assert run("check", folder / "a.parquet", file_size=0).code == 0
    found = run("check", "-", redirect=f"< {folder / 'a.parquet'}", file_size=0)
    assert found.code == 3
    assert b"no such file" not in found.stderr


@fault("A7", "unusable options that are noticed after the computation")
def _(folder):
    y, p = calibrated()
    path = folder / "a.csv"
    write_predictions(str(path), cal.Predictions(y, p))
    one = folder / "one.csv"
    one.write_text("label,p_a,p_b\n" + "a,0.5,0.5\n" * 50)
    cases = [
        (("where", path, "--alpha", "nan"), 2),
        (("compare", path, path, "--confidence-level", "nan"), 2),
        (("simulate", "m1", "--alpha", "inf", "-o", folder / "x.csv"), 2),
        (("check", path, "--json", ""), 2),
        (("report", path, "-o", ""), 2),
        (("test", path, "--lens", "one-vs-rest:zebra"), 3),
        (("test", path, "--lens", "top-k:9"), 3),
        (("repair", one), 3),
    ]
    for args, code in cases:
        found = command(*args)
        assert found.exit_code == code, (args, found.output)


@fault("A8", "arrays of results are lists after a trip through JSON with NumPy 2.5")
def _(folder):
    y, p = calibrated()
    result = cal.calibration_test(y, p, method=cal.methods.Exact(19), rng=0)
    again = cal.CalibrationTestResult.from_dict(result.to_dict())
    assert isinstance(again.null_distribution, np.ndarray)
    assert isinstance(result.null_distribution, np.ndarray)


@fault("A9", "of a key that JSON has twice the last one counts")
def _(folder):
    texts = {
        "a.json": '[{"label":"a","label":"b","p_a":0.75,"p_b":0.25}]',
        "a.jsonl": '{"label":"a","p_a":1,"p_b":0}\n{"label":"a","p_a":1,"p_b":0,"p_b":0}\n',
        "b.json": '{"columns":["label","p_a","p_b","label"],"data":[["a",0.75,0.25,"b"]]}',
        "c.jsonl": '{"label":"a","probs":{"a":0.75,"b":0.25,"a":0.75}}\n',
        "a.csv": "label,probs\na,\"{'a': 0.5, 'b': 0.25, 'a': 0.75}\"\n",
        "b.csv": 'label,probs\na,"{""a"": 0.5, ""b"": 0.25, ""a"": 0.75}"\n',
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
        assert command("check", folder / name).exit_code == 3, name
    breaks = '{"label":"a","p_a":0.75,"p_b":0.25,"note":"x\u2028y\x85"}\n'
    (folder / "d.jsonl").write_text(breaks * 2, encoding="utf-8")
    assert len(read_predictions(str(folder / "d.jsonl")).predictions) == 2


@fault("A10", "predicted labels that are written otherwise are taken for wrong ones")
def _(folder):
    y, p = calibrated(5)
    top = p.argmax(axis=1)
    names = np.array(["cat", "dog", "eel", "fox", "gnu"])
    right = pd.DataFrame({"label": names[y], "predicted": names[top], "confidence": p.max(axis=1)})
    cases = [
        right,
        right.assign(predicted=right.predicted.replace("dog", "Dog")),
        right.assign(label=y, predicted=top + 1),
        right.assign(label=y + 1, predicted=top),
    ]
    for number, frame in enumerate(cases):
        frame.to_csv(folder / "a.csv", index=False)
        found = command("check", folder / "a.csv")
        assert found.exit_code == (3 if number else 0), (number, found.output)


@fault("A11", "whole numbers that floats round to other names")
def _(folder):
    large = 2**53
    rounded = np.array([large + 1.0, large])
    for dtype, limit in (("f2", 2**11), ("f4", 2**24), ("f8", large)):
        labels = np.array([limit + 1, 1], dtype)
        _refused(cal.Predictions, labels, P, classes=[limit, limit + 1])
        _refused(cal.Predictions, [0, 1], P, clusters=labels)
    np.savez(folder / "a.npz", y_true=[0, 1], y_prob=P, classes=rounded)
    assert command("check", folder / "a.npz").exit_code == 3
    ids = [2**63 + 5, -1, 2**63 + 6]  # NumPy makes two of these three
    three = np.full((3, 3), 1 / 3)
    found = cal.Predictions(ids, three, classes=ids, clusters=ids)
    assert found.labels.tolist() == ids
    assert found.n_clusters == 3
    rows = [{"label": k % 2, "p_0": 0.5, "p_1": 0.5, "who": large + k} for k in range(3)]
    holes = [*rows, {**rows[0], "who": None}]
    (folder / "a.json").write_text(json.dumps(holes))
    pq.write_table(pa.Table.from_pylist(holes), folder / "a.parquet", row_group_size=2)
    for name in ("a.json", "a.parquet"):
        found = read_predictions(str(folder / name), cluster="who", drop_missing=True)
        assert found.predictions.n_clusters == 3, name
    names = [f"p_{large}", f"p_{large + 1}"]
    rows = [{"label": label, **dict(zip(names, (0.25, 0.75), strict=True))}
            for label in (large + 1, large, None)]  # fmt: skip
    (folder / "a.json").write_text(json.dumps(rows))
    found = read_predictions(str(folder / "a.json"), drop_missing=True).predictions
    assert found.y_prob[[0, 1], found.y_true].tolist() == [0.75, 0.25]


@fault("A12", "JSON with numbers, keys and logs that nobody expects")
def _(folder):
    huge = "1" + "0" * 400
    texts = {
        "a number": f'[{{"label":"a","p_a":{huge},"p_b":0.5}}]',
        "a number in a list": f'[{{"label":0,"probs":[{huge},0.5]}}]',
        "a label": f'[{{"label":{huge},"p_a":0.5,"p_b":0.5}},{{"label":1,"p_a":0.5,"p_b":0.5}}]',
        "places": '[{"label":0,"p":{"type":0,"size":2,"indices":[[1]],"values":[1.0]}}]',
        "true as a place": '[{"label":0,"p":{"type":0,"size":2,"indices":[true],"values":[1.0]}}]',
        "a key as a number and a text": '[{"label":"1","probs":"{1: .5, \'1\': .25, 2: .75}"}]',
        "a negative key": '[{"label":"-1","probs":"{-1: 0.5, -1: 0.25, 1: 0.75}"}]',
        "a column in two places": '[{"label":"a","x.a":0.9,"x.b":0.1,"x":{"a":0.1,"c":"d"}}]',
    }
    for what, text in texts.items():
        (folder / "a.json").write_text(text)
        assert command("check", folder / "a.json").exit_code == 3, what
    (folder / "a.json").write_text(f'[{{"label":"a","note":{huge},"p_a":0.5,"p_b":0.5}}]')
    assert command("check", folder / "a.json").exit_code == 0
    for title in ("Inspect, letters", "Inspect, stated confidence", "lm-evaluation-harness"):
        path = NATURAL[title].write(folder)
        text = Path(path).read_text("utf-8")
        for odd in ("7", '"x"', "[]", "[[1]]", "true", "{}", huge):
            for key in ("scores", "choices", "output", "filtered_resps", "acc", "arguments",
                        "content", "logprob", "metadata", "value"):  # fmt: skip
                (folder / "b.json").write_text(_with(text, key, odd))
                found = command("check", folder / "b.json")
                assert found.exit_code in (0, 3), (title, key, odd, found.output)


@fault("A13", "functions that differ in what they hold resume each other's work")
def _(folder):
    class Scaled:
        def __init__(self, by):
            self.by = by

        def __call__(self, p, q):
            return np.exp(-np.abs(p[:, None] - q[None]).sum(-1) / self.by)

    y, p = calibrated()
    ways = {
        "object": Scaled,
        "method": lambda by: Scaled(by).__call__,
        "held": lambda by: (lambda held: lambda p, q: held(p, q))(Scaled(by)),
        "partial": lambda by: partial(lambda held, p, q: held(p, q), Scaled(by)),
    }
    for name, way in ways.items():
        options = {"method": cal.methods.Exact(9), "effects": False, "rng": 0}
        options["checkpoint"] = str(folder / name)
        for by in (0.2, 0.2, 0.3):
            estimator = cal.SKCE(cal.kernels.FunctionKernel(way(by)))
            test = partial(cal.calibration_test, y[:40], p[:40], estimator=estimator, **options)
            if by == 0.2:
                test()
            else:
                _refused(test, error=CheckpointError)


@fault("A14", "records of the right length and another kind")
def _(folder):
    y, p = calibrated()
    path = folder / "ck"
    options = {"rng": 0, "checkpoint": str(path)}
    content = pack([1.0])
    for further in (
        {"method": cal.methods.Asymptotic(19), "estimator": cal.SKCE()},
        {"method": cal.methods.Aggregated(19), "clusters": np.arange(80) // 2},
    ):
        path.unlink(missing_ok=True)
        cal.calibration_test(y[:80], p[:80], **options, **further)
        with sqlite3.connect(path) as database:
            keys = database.execute("SELECT key FROM records WHERE key != 'belongs to'").fetchall()
            for (key,) in keys:
                row = content, _checksum(key, content), key
                database.execute("UPDATE records SET content=?, checksum=? WHERE key=?", row)
        database.close()
        _refused(cal.calibration_test, y[:80], p[:80], **options, **further, error=CheckpointError)


@fault("A15", "weights, clusters and names that are lost when predictions are written")
def _(folder):
    rng = np.random.default_rng(0)
    y, p = calibrated()
    written = cal.Predictions(y, p, sample_weight=rng.random(len(y)) + 0.5,
                              clusters=rng.integers(9, size=len(y)))  # fmt: skip
    for suffix in ("csv", "tsv", "csv.gz", "npz", "parquet", "arrow", "feather"):
        path = str(folder / f"a.{suffix}")
        write_predictions(path, written)
        found = read_predictions(path, weight="weight", cluster="cluster").predictions
        assert np.array_equal(found.sample_weight, written.sample_weight), suffix
        pairs = set(zip(found.clusters.tolist(), written.clusters.tolist(), strict=True))
        assert len(pairs) == 9, suffix
        for name in ("a ", "\ta", "a\0", ""):
            lost = cal.Predictions(np.eye(2), P, classes=[name, "b"])
            _refused(write_predictions, path, lost)


@fault("A16", "help that nobody reads to its end is a wrong command")
def _(folder):
    for option in ("--help", "--version"):
        with subprocess.Popen([*CALIBRANT, option], stdout=subprocess.PIPE) as process:
            process.stdout.close()
        assert process.returncode == 0, option


@fault("A17", "columns that deny a label, or hold it inside a number, are taken for it")
def _(folder):
    words = {
        "cat,dog": ["not_cat,not_dog", "P(not cat),P(not dog)", "1-cat,1-dog", "non-cat,non-dog",
                    "cat_neg,dog_neg"],
        "1,2": ["10,20", "1.5,2.5", "-1,-2", "m11,m12", "p_10,p_20"],
    }  # fmt: skip
    path = folder / "a.csv"
    for labels, headers in words.items():
        first, second = labels.split(",")
        for header in headers:
            path.write_text(f"label,{header}\n{first},0.75,0.25\n{second},0.5,0.5\n")
            for options in ((), ("--prob", header)):
                assert command("check", path, *options).exit_code == 3, (header, options)


@fault("A18", "calibrators that were edited by hand are applied, or end with 70")
def _(folder):
    y, p = calibrated()
    write_predictions(str(folder / "a.csv"), cal.Predictions(y, p, classes=["a", "b", "c"]))
    maps = cal.recalibration
    edits = {
        maps.Temperature(): [
            {"slopes": [10**400] * 3}, {"slopes": ["1", "1", "1"]}, {"slopes": [1.0, 2.0, 3.0]},
            {"slopes": [True] * 3}, {"floor": "0.5"}, {"version": True}, {"n_parameters": -1},
            {"classes": "abc"}, {"classes": {"a": 1, "b": 2, "c": 3}}, {"slopes": [1e308] * 3},
        ],
        maps.DirichletScaling(): [{"matrix": [[1e308] * 3] * 3}],
        maps.Isotonic(): [
            {"knots": [knot] * 3} for knot in (
                {"x": [], "y": []}, {"x": [1.0, 0.0], "y": [0.0, 1.0]},
                {"x": [0.0, 1.0], "y": [0.0, 2.0]}, {"x": [0.0, 1.0], "y": [-1.0, 1.0]},
            )
        ],
        maps.ConfidenceCurve(): [
            {"first": {"kind": "confidence", "n_parameters": 1}},
            {"knots": [{"x": [0.0, 1.0], "y": [2.0, 2.0]}]},
        ],
    }  # fmt: skip
    for one, changes in edits.items():
        calibrator = maps.Calibrator(one.fit(p, y), _name(one), ("a", "b", "c"))
        written = calibrator_document(calibrator)
        for change in ({}, *changes):
            document = written | change
            document.pop("checksum")
            document["checksum"] = calibrator_checksum(document)
            (folder / "c.json").write_text(json.dumps(document))
            found = command("apply", folder / "c.json", folder / "a.csv", "-o", folder / "o.csv")
            assert found.exit_code == (3 if change else 0), (change, found.output)
    text = json.dumps(written)
    (folder / "c.json").write_text('{"floor": 0.5, ' + text[1:])
    assert command("apply", folder / "c.json", folder / "a.csv", "-o", "x.csv").exit_code == 3


@fault("A25", "rows are paired though a column of both files shows another order")
def _(folder):
    y, p = calibrated(2, 60)
    frame = pd.DataFrame({"id": range(60), "label": y, "p_0": p[:, 0], "p_1": p[:, 1]})
    other = frame.sort_values(["label", "p_0"])  # the same labels row by row
    for name in ("id", "case_id", "Unnamed: 0", "uuid"):
        frame.sort_values("label", kind="stable").rename(columns={"id": name}).to_csv(
            folder / "a.csv", index=False
        )
        other.rename(columns={"id": name}).to_csv(folder / "b.csv", index=False)
        files = folder / "a.csv", folder / "b.csv"
        found = command("compare", *files, "-q")
        assert found.exit_code == 3
        assert f"--id '{name}'" in found.stderr
        assert command("compare", *files, "--id", name, "-q").exit_code == 0
    frame.drop(columns="label").to_csv(folder / "p.csv", index=False)
    frame[::-1][["id", "label"]].to_csv(folder / "y.csv", index=False)
    files = folder / "p.csv", "--labels", folder / "y.csv"
    found = command("check", *files)
    assert found.exit_code == 3
    assert "--id 'id'" in found.stderr
    found = read_predictions(str(folder / "p.csv"), labels=str(folder / "y.csv"), id="id")
    assert found.predictions.y_true.tolist() == y.tolist()
    frame[::-1][["id", "label"]].rename(columns=str.upper).to_csv(folder / "y.csv", index=False)
    assert command("check", *files, "--id", "id").exit_code == 3  # the labels have no such column


def _name(one):
    return "temperature" if isinstance(one, cal.recalibration.Temperature) else "another"


def _refused(function, *args, error=DataError, **options):
    try:
        function(*args, **options)
    except error:
        return
    raise AssertionError(f"{args}, {options} were taken")


def _with(text, key, value):
    """Return JSON or JSON Lines with another value wherever a key is."""
    try:
        return json.dumps(_replaced(json.loads(text), key, json.loads(value)))
    except json.JSONDecodeError:
        lines = [json.loads(line) for line in text.splitlines()]
        return "\n".join(json.dumps(_replaced(line, key, json.loads(value))) for line in lines)


def _replaced(node, key, value):
    if isinstance(node, dict):
        return {k: value if k == key else _replaced(v, key, value) for k, v in node.items()}
    return [_replaced(one, key, value) for one in node] if isinstance(node, list) else node
