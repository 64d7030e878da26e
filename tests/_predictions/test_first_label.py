"""Labels that may start at 1: refused on every route if the predictions show it."""

import numpy as np
import pandas as pd
import pytest

from calibrant import Predictions
from calibrant.errors import DataError, Problem
from calibrant.io import read_predictions, scan_predictions
from calibrant.models import M1


def rows(first, absent, n=400, m=4):
    """Return labels that start at `first`, none of which is the class `absent`."""
    y, p = M1(m, 0.3).sample(n, rng=1)
    kept = y != absent
    return y[kept] + first, p[kept]


def test_labels_from_one_without_the_last_class_are_refused_with_both_remedies():
    y, p = rows(first=1, absent=3)
    match = r"at 1, pass `classes=range\(1, 5\)`, and if they start at 0, `classes=range\(0, 4\)`"
    with pytest.raises(DataError, match=match) as caught:
        Predictions(y, p)
    assert caught.value.problem is Problem.UNCERTAIN_START
    assert Predictions(y, p, classes=range(1, 5)).y_true.tolist() == (y - 1).tolist()
    assert Predictions(y, p, classes=range(4)).y_true.tolist() == y.tolist()


def test_labels_from_zero_without_the_first_class_are_read():
    y, p = rows(first=0, absent=0)
    assert Predictions(y, p).y_true.tolist() == y.tolist()


def test_calibrated_models_are_never_refused():
    # with probability 1e-6 at most, by Markov's inequality
    for seed in range(1000):
        y, p = M1(3, 1.0).sample(15, rng=seed)
        Predictions(y, p)


def test_a_useless_model_without_its_first_class_is_read_where_few_of_it_are_expected():
    p = np.array([[0.01, 0.98, 0.01], [0.01, 0.01, 0.98]] * 20)
    y = [2, 1] * 20
    assert Predictions(y, p).y_true.tolist() == y


def test_few_rows_and_a_single_label_say_nothing():
    p = np.array([[0.9, 0.05, 0.05]] * 30)
    assert Predictions([1] * 30, p).y_true.tolist() == [1] * 30
    assert Predictions([1, 2], p[:2]).y_true.tolist() == [1, 2]


def as_frame(y, p, folder):
    return Predictions(y, pd.DataFrame(p))


def as_words(y, p, folder):
    return Predictions(y, pd.DataFrame(p, columns=["cat", "dog", "eel", "fox"]))


def as_logits(y, p, folder):
    return Predictions.from_logits(y, np.log(p))


def as_npz(y, p, folder):
    np.savez(folder / "a.npz", y_true=y, y_prob=p)
    return read_predictions(str(folder / "a.npz")).predictions


def as_csv(y, p, folder):
    frame = pd.DataFrame(p, columns=["p_cat", "p_dog", "p_eel", "p_fox"])
    frame.assign(label=y).to_csv(folder / "a.csv", index=False)
    return read_predictions(str(folder / "a.csv")).predictions


def as_scan(y, p, folder):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"label": y, "y_prob": p.tolist()}).to_parquet(folder / "a.parquet")
    scan = scan_predictions(str(folder / "a.parquet"), in_memory=0)
    return next(scan.blocks(range(scan.n_samples), scan.n_samples))


@pytest.mark.parametrize("route", [as_frame, as_words, as_logits, as_npz, as_csv, as_scan])
def test_every_route_refuses(route, tmp_path):
    y, p = rows(first=0, absent=0)
    assert route(y, p, tmp_path).y_true.tolist() == y.tolist()
    y, p = rows(first=1, absent=3)
    with pytest.raises(DataError, match="must be certain to start at 0") as caught:
        route(y, p, tmp_path)
    assert "if they start at 1" in str(caught.value).lower()


def test_numbers_in_names_are_certain(tmp_path):
    y, p = rows(first=1, absent=3)
    frame = pd.DataFrame(p, columns=[f"class_{c}" for c in range(4)])
    assert Predictions(y, frame).y_true.tolist() == y.tolist()
    frame.add_prefix("p_").assign(label=y).to_csv(tmp_path / "a.csv", index=False)
    found = read_predictions(str(tmp_path / "a.csv")).predictions
    assert found.y_true.tolist() == y.tolist()


def test_a_file_says_both_remedies(tmp_path):
    y, p = rows(first=1, absent=3)
    np.savez(tmp_path / "a.npz", y_true=y, y_prob=p)
    path = str(tmp_path / "a.npz")
    with pytest.raises(DataError, match=r"pass `one_based=True`.*0, 1, … with `classes`"):
        read_predictions(path)
    assert read_predictions(path, one_based=True).predictions.y_true.tolist() == (y - 1).tolist()
    said = read_predictions(path, classes=["0", "1", "2", "3"])
    assert said.predictions.y_true.tolist() == y.tolist()
