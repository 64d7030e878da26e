"""Trials of commands: calibrators, gate conditions, plans, votes, and kinds of labels."""

import copy
import json
import random
from functools import cache
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from tests.adversary.corpus import calibrated
from tests.adversary.records import ODD

import calibrant as cal
from calibrant.cli._main import cli
from calibrant.cli.gate import Comparison, GrammarError, Value, parse
from calibrant.errors import DataError
from calibrant.io import read_predictions, write_predictions
from calibrant.recalibration import Calibrator
from calibrant.recalibration._file import _checksum, to_document

MAPS = (cal.recalibration.Temperature(), cal.recalibration.VectorScaling(),
        cal.recalibration.Isotonic(), cal.recalibration.DirichletScaling())  # fmt: skip
NAMES = ("p", "tau", "skce", "ece", "bound")

#: what a condition may or may not hold
MARKS = ("(", ")", " and ", "<", "==", "p", ".", "0x1", "1e999", "#", "\0", "not ", "ä", "_", "1_0",
         "nan", "'", " if ", ":=", "*", "-")  # fmt: skip


@cache
def documents() -> list[str]:
    """Return one calibrator of every kind, as text."""
    y, p = calibrated()
    return [json.dumps(to_document(Calibrator(one.fit(p, y), f"map {i}", ("a", "b", "c"))))
            for i, one in enumerate(MAPS)]  # fmt: skip


def calibrators(folder: Path, choose: random.Random) -> str:
    """Edit a calibrator by hand, with or without its checksum, and apply it."""
    document = json.loads(choose.choice(documents()))
    times = choose.choice([0, 1, 1, 2])
    for _ in range(times):
        holder, key = document, choose.choice(sorted(document))
        while isinstance(holder[key], list | dict) and holder[key] and choose.random() < 0.8:
            holder = holder[key]
            key = choose.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[key] = copy.deepcopy(choose.choice(ODD))
    if "checksum" in document and choose.random() < 0.7:
        rest = {key: value for key, value in document.items() if key != "checksum"}
        document["checksum"] = _checksum(rest)
    (folder / "c.json").write_text(json.dumps(document))
    y, p = calibrated()
    rows = cal.Predictions(y, p, classes=["a", "b", "c"]) if choose.random() < 0.9 else None
    rows = rows or cal.Predictions(y, p)
    source = folder / choose.choice(["r.csv", "r.npz", "r.parquet"])
    write_predictions(str(source), rows)
    out = folder / f"out{source.suffix}"
    out.unlink(missing_ok=True)
    ended = CliRunner().invoke(cli, ["apply", str(folder / "c.json"), str(source), "-o", str(out)])
    assert ended.exit_code in (0, 3, 4), ended.output[-300:]
    assert out.exists() == (ended.exit_code == 0)
    if not ended.exit_code:
        found = read_predictions(str(out)).predictions
        assert np.array_equal(found.y_true, rows.y_true)
    return f"apply {ended.exit_code}"


def conditions(folder: Path, choose: random.Random) -> str:
    """Compare a condition with what Python makes of it; anything else must be a clear error."""
    numbers = {Value(name, part): choose.choice([0.0, 0.01, 0.5, 1.0, 2.0])
               for name in NAMES for part in ("", "lo", "hi")}  # fmt: skip
    text = _condition(choose, 3)
    if choose.random() < 0.5:
        mark = choose.choice(MARKS)
        at = choose.randrange(len(text) + 1)
        text = text[:at] + mark + text[at:]
    try:
        found = parse(text)
    except GrammarError:
        return "condition refused"
    known = {value for one in found.comparisons() for value in (one.left, one.right)}
    if any(isinstance(value, Value) and value not in numbers for value in known):
        return "condition of an unknown number"
    assert isinstance(found, Comparison) or found.parts
    values = {str(value).replace(".", "_"): number for value, number in numbers.items()}
    plain = text.lower()
    for value in sorted(map(str, numbers), key=len, reverse=True):
        plain = plain.replace(value, value.replace(".", "_"))
    assert found.holds(numbers) == eval(plain, {"__builtins__": {}}, values), text
    if "inf" not in str(found):  # 1e999, which no gate lets through
        assert parse(str(found)).holds(numbers) == found.holds(numbers), text
    return "condition right"


def _condition(choose: random.Random, depth: int) -> str:
    if depth and choose.random() < 0.5:
        word = choose.choice([" and ", " or "])
        parts = [_condition(choose, depth - 1) for _ in range(choose.randint(2, 3))]
        return choose.choice(["({})", "{}"]).format(word.join(parts))
    name = choose.choice(NAMES) + choose.choice(["", "", ".lo", ".hi"])
    number = choose.choice(["0.01", ".5", "1", "5e-1", "+1", "-0.5", "2."])
    sides = choose.sample([name, number], 2)
    return choose.choice([" {} ", "{}"]).format(choose.choice(["<", "<=", ">", ">="])).join(sides)


def plans(folder: Path, choose: random.Random) -> str:
    """Ask for plans with any numbers: 0, 2 or 3, never a bug."""
    numbers = ["0", "1", "1.3", "0.8", "-1", "nan", "inf", "1e-9", "1e300", "0.05", "x", ""]
    options = ["--power", "--alpha", "--seed", "--n-classes", "--confidence", "--class", "--lens"]
    options += ["--temperature", "--bias"] if choose.random() < 0.05 else []  # which take seconds
    chosen = [part for name in choose.sample(options, choose.randint(0, 3))
              for part in (name, choose.choice(numbers))]  # fmt: skip
    ended = CliRunner().invoke(cli, ["plan", *chosen, "-q"])
    assert ended.exit_code in (0, 2, 3, 4), f"{chosen}: {ended.output[-300:]}"
    return f"plan {ended.exit_code}"


def facts(folder: Path, choose: random.Random) -> str:
    """Compare votes and several labels with the rows that they are, also through a file."""
    m, n = choose.randint(2, 4), choose.randint(2, 15)
    rng = np.random.default_rng(choose.getrandbits(32))
    p = rng.dirichlet(np.ones(m), n)
    if choose.random() < 0.5:
        votes = rng.integers(0, 3, size=(n, m)) + np.eye(m, dtype=int)[rng.integers(m, size=n)]
        found = cal.Predictions.from_votes(votes, p)
        items = np.repeat(np.arange(n), votes.sum(axis=1))
        y_true = np.concatenate([np.repeat(np.arange(m), row) for row in votes])
        plain = cal.Predictions(y_true, p[items])
    else:
        labels = rng.integers(0, 2, size=(n, m))
        found = cal.Predictions.from_multilabel(labels, p)
        plain = cal.Predictions(labels.ravel(), p.ravel())
    assert np.array_equal(found.y_true, plain.y_true), "other labels"
    assert np.allclose(found.y_prob, plain.y_prob, atol=1e-15), "other probabilities"
    path = str(folder / choose.choice(["f.csv", "f.npz", "f.parquet", "f.arrow"]))
    write_predictions(path, found)
    given = {"cluster": "cluster"} if found.clusters is not None else {}
    given |= {"weight": "weight"} if found.sample_weight is not None else {}
    try:
        again = read_predictions(path, **given).predictions
    except DataError:
        return "facts refused"
    assert np.array_equal(again.y_prob, found.y_prob), "other probabilities in the file"
    assert again.n_clusters == found.n_clusters, "other clusters"
    assert np.array_equal(again.weights, found.weights), "other weights"
    return "facts right"
