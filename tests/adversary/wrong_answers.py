"""Silent wrong answers, each as a program that fails if the fault returns."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats
from tests.adversary.corpus import (
    calibrated,
    stray_quotes,
)
from tests.adversary.faults import command, fault

import calibrant as cal
from calibrant.errors import CheckpointError, DataError
from calibrant.io import read_predictions, scan_predictions, write_predictions


def is_right_or_refused(y_true, y_prob=None):
    """Say whether every row of permuted data has its own label's probability, or is refused."""
    y, p = calibrated()
    try:
        found = y_true if y_prob is None else cal.Predictions(y_true, y_prob)
    except DataError:
        return True
    rows = np.arange(len(y))
    return np.array_equal(found.y_prob[rows, found.y_true], p[rows, y])


@fault("S1", "a stray quote swallows rows")
def _(folder):
    for n, first, second in [(3, 0, None), (400, 20, 380), (400, 399, None), (60_000, 5, 40_000)]:
        path = folder / "a.csv"
        path.write_bytes(stray_quotes(n, first, second))
        found = command("check", path)
        assert found.exit_code == 3, found.output
        assert "line" in found.stderr


def _streamed(folder):
    y, p = calibrated()
    path = folder / "a.parquet"
    table = pa.table({"label": y, "x": pa.array(p.tolist())})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    return path, y, p


@fault("S2", "a streamed checkpoint resumes under other options")
def _(folder):
    path, *_ = _streamed(folder)
    ck = folder / "ck"
    base = ("test", path, "--stream", "--resamples", "19", "-q")
    assert command(*base, "--checkpoint", ck).exit_code == 0
    for other in ("--logits", "--normalize"):
        assert command(*base, "--resume", ck, other).exit_code == 4
    assert command(*base, "--resume", ck).exit_code == 0


@fault("S3", "a streamed checkpoint does not notice changed data")
def _(folder):
    path, y, p = _streamed(folder)
    scan = scan_predictions(str(path), in_memory=0)
    options = {"method": cal.methods.Aggregated(19), "rng": 0, "checkpoint": str(folder / "ck")}
    cal.calibration_test(scan, **options)
    shuffled = np.random.default_rng(0).permutation(y)
    table = pa.table({"label": shuffled, "x": pa.array(p.tolist())})
    size = path.stat().st_size
    pq.write_table(table, path, compression="none", use_dictionary=False)
    assert path.stat().st_size == size
    try:
        cal.calibration_test(scan_predictions(str(path), in_memory=0), **options)
    except CheckpointError:
        return
    raise AssertionError("other rows were resumed")


@fault("S4", "npz round trips change labels")
def _(folder):
    for names in ([1, 0], [1, 2], [2, 1], [1, 2, 3], [3, 1, 2], ["1", "0"], [True, False]):
        rng = np.random.default_rng(len(names))
        p = rng.dirichlet(np.ones(len(names)), 20)
        written = cal.Predictions(np.eye(len(names))[rng.integers(len(names), size=20)], p,
                                  classes=names)  # fmt: skip
        path = str(folder / "a.npz")
        write_predictions(path, written)
        found = read_predictions(path).predictions
        assert found.labels.tolist() == written.labels.tolist(), names
        assert np.array_equal(found.y_true, written.y_true)


@fault("S5", "integers are taken for positions though names hold the numbers")
def _(folder):
    y, p = calibrated()
    order = [2, 0, 1]
    for pattern in ("class_{}", "p_{}", "{}", "p_class{}", "p_{}.0", "p_0{}", "p_{}_prob"):
        names = [pattern.format(j) for j in order]
        assert is_right_or_refused(y, pd.DataFrame(p[:, order], columns=names)), pattern
        path = folder / "a.csv"
        frame = pd.DataFrame(p[:, order], columns=names)
        frame.insert(0, "label", y)
        frame.to_csv(path, index=False)
        try:
            found = read_predictions(str(path)).predictions
        except DataError:
            continue
        assert is_right_or_refused(found), pattern
    p = np.array([[0.25, 0.75], [0.5, 0.5]])
    for names in (["yes", "no"], ["1", "0"], ["True", "False"], ["positive", "negative"]):
        try:
            found = cal.Predictions([True, False], p, classes=names)
        except DataError:
            continue
        assert found.labels.tolist() == names, names


@fault("S6", "one-hot labels in another order")
def _(folder):
    y, p = calibrated()
    names = np.array(["cat", "dog", "eel"])
    frame = pd.DataFrame(p, columns=[f"p_{name}" for name in names])
    one_hot = pd.get_dummies(pd.Series(names[y]), prefix="y", dtype=int)[
        ["y_eel", "y_cat", "y_dog"]
    ]
    assert is_right_or_refused(one_hot, frame)
    assert is_right_or_refused(one_hot.add_prefix("is_"), frame)
    frame.to_csv(folder / "p.csv", index=False)
    for prefix, label in (("y_", None), ("is_", "is_*"), ("", "eel,cat,dog")):
        one_hot.columns = [f"{prefix}{name}" for name in ("eel", "cat", "dog")]
        one_hot.to_csv(folder / "y.csv", index=False)
        both = pd.concat([one_hot, frame], axis=1)
        both.to_csv(folder / "both.csv", index=False)
        chosen = {} if label is None else {"label": label}
        for path, labels in (("p.csv", str(folder / "y.csv")), ("both.csv", None)):
            try:
                found = read_predictions(
                    str(folder / path), labels=labels, onehot=True, prob="p_*", **chosen
                )
            except DataError:
                continue
            assert is_right_or_refused(found.predictions), (prefix, path)


@fault("S7", "classes= takes a set")
def _(folder):
    y, p = calibrated()
    for names in ({"cat", "dog", "eel"}, frozenset("abc"), {"cat": 0, "dog": 1, "eel": 2}):
        try:
            cal.Predictions(np.eye(3)[y], p, classes=names)
        except DataError:
            continue
        raise AssertionError(f"{names} has no order")


@fault("S8", "pandas indexes that contradict each other")
def _(folder):
    y, p = calibrated()
    labels, frame = pd.Series(y), pd.DataFrame(p)
    mixed = np.random.default_rng(0).permutation(len(y))
    named = [f"row {i}" for i in range(len(y))]
    groups = pd.Series(np.where(p[:, 0] > 0.5, "high", "low"))
    attempts = {
        "labels": lambda: cal.Predictions(labels.iloc[mixed], frame),
        "probabilities": lambda: cal.Predictions(labels, frame.iloc[mixed]),
        "logits": lambda: cal.Predictions.from_logits(labels, frame.iloc[mixed]),
        "other rows": lambda: cal.Predictions(
            labels.set_axis(named), frame.set_axis(named[::-1], axis=0)
        ),
        "weights": lambda: cal.Predictions(y, frame, sample_weight=labels.iloc[mixed] + 1.0),
        "groups": lambda: cal.where(y, frame, groups=groups.iloc[mixed], n_resamples=19, rng=0),
        "a grouping": lambda: cal.where(
            y, frame, groups={"side": groups.iloc[mixed]}, n_resamples=19, rng=0
        ),
        "a float index": lambda: cal.Predictions(
            labels.iloc[mixed].set_axis(mixed.astype(float)), frame
        ),
        "groups of a repair": lambda: cal.repair(labels, p, groups=groups.iloc[mixed], rng=0),
        "clusters of a repair": lambda: cal.repair(labels, p, clusters=groups.iloc[mixed], rng=0),
        "groups of a report": lambda: cal.Report(labels, frame, groups=groups.iloc[mixed], rng=0),
        "models": lambda: cal.compare(y, {"one": frame, "two": frame.iloc[mixed]}, rng=0),
    }
    for what, attempt in attempts.items():
        try:
            attempt()
        except DataError:
            continue
        raise AssertionError(f"{what} of other rows were taken by position")
    same = cal.Predictions(labels.iloc[mixed], frame.iloc[mixed])
    assert np.array_equal(same.y_true, y[mixed])
    counted = cal.Predictions(labels.set_axis(np.arange(len(y)) + 1000), frame)
    assert np.array_equal(counted.y_true, y)


@fault("S9", "further guesses without a word")
def _(folder):
    masked = np.ma.array([0.5, 0.5], mask=[True, False])
    twice = {1: ["a", "b"], "1": ["a", "b"]}
    y, p = calibrated()
    kept = y < 2  # counted from 1, the last of three classes absent
    masked_sets = np.ma.array([[0, 1, 1], [1, 0, 1]], mask=[[1, 0, 0], [0, 0, 0]])
    attempts = [
        lambda: cal.Predictions(y[kept] + 1, p[kept]),
        lambda: cal.Predictions(y[kept] + 1, pd.DataFrame(p[kept], columns=["cat", "dog", "eel"])),
        lambda: cal.SKCE().over_labels(cal.Predictions([0, 1, 1], [0.2, 0.5, 0.9]), masked_sets),
        lambda: cal.SKCE().many(masked_sets, np.full((2, 3, 2), 0.5)),
        lambda: cal.SKCE(cal.kernels.Laplacian(1e-320)),
        lambda: cal.SKCE(cal.kernels.Gaussian(1e-320)),
        lambda: cal.Predictions([1, 1, 1], [0.5] * 3, pos_label="1"),
        lambda: cal.Predictions(["yes"] * 3, [0.5] * 3, pos_label="Yes"),
        lambda: cal.Predictions([0, 1], pd.DataFrame({0: [0.5, 0.5]})),
        lambda: cal.Predictions([0, 1], [masked, masked]),
        lambda: cal.where([0, 1], [0.5, 0.5], groups=twice, min_size=2, n_resamples=19, rng=0),
    ]
    for number, attempt in enumerate(attempts):
        try:
            attempt()
        except ValueError:
            continue
        raise AssertionError(f"guess {number} was made")
    only = cal.Predictions([0, 1], pd.DataFrame({"p_0": [0.75, 0.5]}))
    assert only.labels.tolist() == [0, 1]
    assert only.y_prob[0, list(only.classes).index(0)] == 0.75
    for n in (5, 20, 1000):  # one impossible label among certain ones
        certain = np.tile([1.0, 0.0], (n, 1))
        result = cal.calibration_test(np.arange(n) == 0, certain, rng=0)
        assert "but for 1 label of predicted probability 0" in result.verdict, result
        assert not result.upper_bound() < stats.beta.ppf(0.95, 2, n - 1), result  # 1 of n occurred
    assert "Evidence" in cal.calibration_test([1, 1, 1], np.tile([1.0, 0.0], (3, 1)), rng=0).verdict
