"""Files are written atomically; the same numbers give the same bytes."""

import os

import numpy as np
import pytest

from calibrant import Predictions
from calibrant._output._files import replacing
from calibrant.io import InputError, read_predictions, write_predictions

PETS = Predictions(["cat", "dog"], [[0.1, 0.9], [1 / 3, 2 / 3]], classes=["cat", "dog"])


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.npz", "a.parquet", "a.feather"])
def test_what_is_written_is_read(tmp_path, name):
    path = str(tmp_path / name)
    write_predictions(path, PETS)
    found = read_predictions(path).predictions
    assert found.classes == PETS.classes
    assert np.array_equal(found.y_prob, PETS.y_prob)
    assert np.array_equal(found.y_true, PETS.y_true)


INTEGERS, STRINGS = (3, -1, 0, 12, 2**53 + 1), ("b", "a, b", "é", "x y", "not x")
LIKE_NUMBERS, LIKE_WORDS = ("10", "2", "-1", "0", "7"), ("true", "False", "no", "yes", "1")


def random_predictions(seed):
    """Return predictions whose classes have names of a random kind, in random order."""
    rng = np.random.default_rng(seed)
    kinds = (range(5), INTEGERS, (True, False), STRINGS, LIKE_NUMBERS, LIKE_WORDS, (2, "a", True))
    kind = kinds[seed % len(kinds)]
    m = int(rng.integers(2, len(kind) + 1))
    names = [kind[i] for i in rng.permutation(len(kind))[:m]]
    n = int(rng.integers(1, 9))
    y_true, y_prob = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    if m == 2 and rng.random() < 0.5:
        labels = [names[1]] + [names[0]] * (n - 1)
        return Predictions(labels, y_prob[:, 1], pos_label=names[1])
    return Predictions(np.eye(m)[y_true], y_prob, classes=names)


@pytest.mark.parametrize("seed", range(70))
@pytest.mark.parametrize("suffix", ["csv", "tsv", "npz", "parquet", "arrow"])
def test_labels_survive_a_round_trip(tmp_path, suffix, seed):
    path, written = str(tmp_path / f"a.{suffix}"), random_predictions(seed)
    write_predictions(path, written)
    found = read_predictions(path).predictions
    assert np.array_equal(found.y_true, written.y_true)
    assert np.array_equal(found.y_prob, written.y_prob)
    assert list(map(str, found.classes)) == list(map(str, written.classes))
    kinds = {type(name) for name in written.classes}
    if len(kinds) == 1 and (suffix not in ("csv", "tsv") or kinds == {int}):
        assert found.classes == written.classes
        assert {type(name) for name in found.classes} == kinds


def test_classes_of_the_same_text_are_not_written(tmp_path):
    twins = Predictions([1, "1"], [[0.5, 0.5], [0.25, 0.75]], classes=[1, "1"])
    with pytest.raises(InputError, match="'1' is the text of more than one class"):
        write_predictions(str(tmp_path / "a.npz"), twins)
    assert list(tmp_path.iterdir()) == []


def test_compressed_files_do_not_hold_the_time(tmp_path):
    write_predictions(str(tmp_path / "a.csv.gz"), PETS)
    assert (tmp_path / "a.csv.gz").read_bytes()[4:8] == bytes(4)


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(InputError, match="must end with"):
        write_predictions(str(tmp_path / "a.xlsx"), PETS)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"before")
    writing = replacing(path)
    writing.__enter__().write(b"half")
    assert not writing.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"before")
    link.symlink_to(target)
    with replacing(link) as stream:
        stream.write(b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "npz", "parquet", "arrow", "feather"])
def test_names_of_files_need_not_be_utf_8(tmp_path, suffix):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff." + suffix.encode())
    write_predictions(path, PETS)
    assert np.array_equal(read_predictions(path).predictions.y_prob, PETS.y_prob)
