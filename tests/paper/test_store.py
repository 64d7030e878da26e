"""Finished batches survive, and only the same experiment goes on."""

import zipfile

import numpy as np
import pytest

from calibrant.io import InputError
from calibrant.paper._store import open_store

FACTS = {"experiment": "errors", "seed": 1}


def test_what_is_saved_comes_back(tmp_path):
    store = open_store(tmp_path / "new" / "folder", FACTS, resume=False)
    assert not store.has("a")
    store.save("a", {"x": np.arange(3.0), "y": np.eye(2)})
    again = open_store(tmp_path / "new" / "folder", FACTS, resume=True)
    assert again.has("a")
    assert {key: value.tolist() for key, value in again.load("a").items()} == {
        "x": [0.0, 1.0, 2.0],
        "y": [[1.0, 0.0], [0.0, 1.0]],
    }


def test_the_same_results_are_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        open_store(tmp_path / name, FACTS, resume=False).save("x", {"x": np.arange(3.0)})
    files = [[p.read_bytes() for p in (tmp_path / name).rglob("*.*")] for name in ("a", "b")]
    assert len(files[0]) == 2
    assert files[0] == files[1]
    with zipfile.ZipFile(tmp_path / "a" / "batches" / "x.npz") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_nothing_is_left_of_a_batch_that_failed(tmp_path):
    store = open_store(tmp_path, FACTS, resume=False)
    with pytest.raises(ValueError, match="pickle"):
        store.save("a", {"x": np.array([object()])})
    assert not store.has("a")
    assert list((tmp_path / "batches").iterdir()) == []


def test_a_folder_with_results_needs_resume(tmp_path):
    open_store(tmp_path, FACTS, resume=False)
    with pytest.raises(InputError, match="Go on with them by --resume"):
        open_store(tmp_path, FACTS, resume=False)


def test_resume_begins_in_an_empty_folder(tmp_path):
    assert not open_store(tmp_path / "new", FACTS, resume=True).has("a")


@pytest.mark.parametrize("resume", [True, False])
def test_a_folder_of_others_is_refused(tmp_path, resume):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="holds other files"):
        open_store(tmp_path, FACTS, resume=resume)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Name a folder"):
        open_store(tmp_path / "file", FACTS, resume=True)


def test_another_experiment_is_refused(tmp_path):
    open_store(tmp_path, FACTS, resume=False)
    with pytest.raises(InputError, match=r"seed is 1 there, 2 here\. Repeat its options"):
        open_store(tmp_path, FACTS | {"seed": 2}, resume=True)


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_damaged_description_is_refused(tmp_path, text):
    open_store(tmp_path, FACTS, resume=False)
    (tmp_path / "experiment.json").write_text(text)
    with pytest.raises(InputError, match=r"experiment\.json: this"):
        open_store(tmp_path, FACTS, resume=True)


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_batch_is_named(tmp_path, damage):
    store = open_store(tmp_path, FACTS, resume=False)
    store.save("a", {"x": np.arange(300.0)})
    path = tmp_path / "batches" / "a.npz"
    content = bytearray(path.read_bytes())
    content[1000] ^= 1
    damaged = {"cut": content[:900], "flip": content, "empty": b""}[damage]
    path.write_bytes(damaged)
    with pytest.raises(InputError, match=r"a\.npz: this result file is broken .* delete it"):
        store.load("a")
