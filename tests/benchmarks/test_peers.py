"""The script about other libraries: its statements about ours and about scikit-learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import calibrant as cal

ROOT = Path(__file__).parents[2]


@pytest.fixture
def peers(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import peers

    return peers


def test_our_edges_are_those_of_the_documentation(peers):
    (ours,) = (error for name, error in peers.binned_errors() if name == "calibrant")
    assert peers.edges(ours) == {"1/2 of two bins": "first", "1": "last bin", "0": "first bin"}


def test_edges_tell_bins_that_are_closed_on_the_left_and_one_apart(peers):
    def floor_binned(y, p, n):
        cells = np.floor(n * p).astype(int)
        return sum(abs((p - y)[cells == c].sum()) for c in set(cells)) / len(p)

    assert peers.edges(floor_binned) == {
        "1/2 of two bins": "second",
        "1": "apart",
        "0": "first bin",
    }


def test_binary_translations_of_scikit_learn_hold(peers):
    pytest.importorskip("sklearn")
    rows = [same for same in peers.scikit_learn() if same.kind == "binary"]
    assert len(rows) == 3
    for same in rows:
        for predictions in peers.data_sets()["binary"].values():
            theirs = same.compute(predictions.y_true, np.minimum(predictions.y_prob, 1.0))
            assert abs(same.translate(predictions) - theirs) <= peers.TOLERANCE


def test_class_mean_is_the_mean_over_one_vs_rest(peers):
    predictions = cal.Predictions([0, 1, 2, 1], np.eye(3)[[0, 1, 1, 1]] * 0.7 + 0.1)
    error = cal.ECE(cal.binning.Uniform(4))
    each = [error(predictions.one_vs_rest(c)) for c in range(3)]
    assert peers.class_mean(error)(predictions) == pytest.approx(np.mean(each), rel=1e-15)
