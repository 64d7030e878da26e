"""What is written is complete, or not there; the same numbers give the same bytes."""

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.io import InputError, read_predictions, write_predictions
from calibrant.io._replace import replacing

PETS = Predictions(["cat", "dog"], [[0.1, 0.9], [1 / 3, 2 / 3]], classes=["cat", "dog"])


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.npz", "a.parquet", "a.feather"])
def test_what_is_written_is_read(tmp_path, name):
    path = str(tmp_path / name)
    write_predictions(path, PETS)
    found = read_predictions(path).predictions
    assert found.classes == PETS.classes
    assert np.array_equal(found.y_prob, PETS.y_prob)
    assert np.array_equal(found.y_true, PETS.y_true)


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
