"""Random predictions of every kind through every format, and back."""

from pathlib import Path

import numpy as np
from tests.io.test_write import random_predictions

from calibrant import Predictions
from calibrant.io import read_predictions, write_predictions

FORMATS = ("csv", "tsv", "csv.gz", "npz", "parquet", "arrow", "feather")


def with_facts(seed: int) -> Predictions:
    """Return random predictions: with weights, clusters, grades, votes, labels or a lens."""
    plain, rng = random_predictions(seed), np.random.default_rng([seed, 1])
    kind, n, p = seed // 7 % 6, len(plain), plain.y_prob
    given = {"classes": plain.classes, "sample_weight": rng.random(n) + 0.1}
    if kind == 0 or n < 2:
        return plain
    if kind == 1:
        return Predictions(np.eye(plain.n_classes)[plain.y_true], p, **given)
    if kind == 2:
        clusters = rng.choice(["a", 7, 0.5, "é"], size=n).astype(object)
        clusters[:2] = "b", "c"
        return Predictions(np.eye(plain.n_classes)[plain.y_true], p, clusters=clusters,
                           ordered=bool(seed % 2), **given)  # fmt: skip
    if kind == 3:
        votes = rng.integers(3, size=p.shape) + np.eye(plain.n_classes, dtype=int)[plain.y_true]
        return Predictions.from_votes(votes, p, classes=plain.classes)
    if kind == 4:
        return Predictions.from_multilabel(rng.integers(2, size=(n, 3)), rng.random((n, 3)))
    return plain.top_label() if seed % 2 else plain.one_vs_rest(plain.classes[0])


def differences(folder: Path, seeds: range) -> list[str]:
    """Return the round trips that did not bring back the same predictions."""
    found = []
    for seed in seeds:
        written = with_facts(seed)
        given: dict[str, str] = {}
        if written.sample_weight is not None:
            given["weight"] = "weight"
        if written.clusters is not None:
            given["cluster"] = "cluster"
        for suffix in FORMATS:
            path = str(folder / f"a.{suffix}")
            write_predictions(path, written)
            if not _same(written, read_predictions(path, **given).predictions):
                found.append(f"seed {seed} through {suffix}")
    return found


def _same(one: Predictions, other: Predictions) -> bool:
    return (
        np.array_equal(one.y_true, other.y_true)
        and np.array_equal(one.y_prob, other.y_prob)
        and np.array_equal(one.weights, other.weights)
        and list(map(str, one.classes)) == list(map(str, other.classes))
        and _partition(one) == _partition(other)
    )


def _partition(rows: Predictions) -> list[int] | None:
    """Return the clusters, numbered in the order in which they appear."""
    if rows.clusters is None:
        return None
    known: dict[int, int] = {}
    return [known.setdefault(code, len(known)) for code in rows.clusters.tolist()]
