"""Finished parts survive, and only the same experiment can be resumed."""

import threading

import numpy as np
import pytest

from calibrant._execution import Checkpoint
from calibrant._execution._checkpoint import CheckpointError
from calibrant.io import InputError
from calibrant.paper._run import KEPT, Part, run_parts

FACTS = {"experiment": "errors", "seed": 1}


ONE, TWO = Part("one", 1.0), Part("two", 2.0)


def twice(part):
    return {"x": np.full(3, 2 * part.work), "y": np.eye(2)}


def again(part):
    pytest.fail("computed again")


def test_what_is_finished_comes_back(tmp_path):
    folder = tmp_path / "new" / "folder"
    first = run_parts(twice, [ONE, TWO], folder, FACTS, resume=False)
    assert [result["x"].tolist() for result in first] == [[2.0] * 3, [4.0] * 3]
    back = run_parts(again, [TWO, ONE], folder, FACTS, resume=True)
    assert [result["x"].tolist() for result in back] == [[4.0] * 3, [2.0] * 3]
    assert [path.name for path in folder.iterdir()] == [KEPT]


def test_only_what_is_missing_is_computed_and_counted(tmp_path):
    run_parts(twice, [ONE], tmp_path, FACTS, resume=False)
    told = []
    run_parts(
        twice, [ONE, TWO], tmp_path, FACTS, resume=True, progress=lambda *step: told.append(step)
    )
    assert told == [(2, 2)]


def test_nothing_is_left_of_a_part_that_failed(tmp_path):
    with pytest.raises(TypeError, match="float64"):
        run_parts(lambda part: np.array([object()]), [ONE], tmp_path, FACTS, resume=False)
    done = []
    run_parts(lambda part: done.append(part) or 1.0, [ONE], tmp_path, FACTS, resume=True)
    assert done == [ONE]


def test_a_part_is_kept_before_the_next_ones_are_ready(tmp_path, monkeypatch):
    kept, names = threading.Event(), []
    keep = Checkpoint.keep

    def watched(self, key, record):
        keep(self, key, record)
        names.append(key)
        kept.set()

    def compute(part):
        assert part != ONE or kept.wait(20)
        return np.zeros(1)

    monkeypatch.setattr(Checkpoint, "keep", watched)
    run_parts(compute, [ONE, TWO], tmp_path, FACTS, resume=False, n_jobs=2)
    assert names == ["two", "one"]


def test_a_folder_with_results_needs_resume(tmp_path):
    run_parts(twice, [ONE], tmp_path, FACTS, resume=False)
    with pytest.raises(InputError, match="Resume them with `resume=True`"):
        run_parts(again, [ONE], tmp_path, FACTS, resume=False)


def test_resume_begins_in_an_empty_folder(tmp_path):
    assert len(run_parts(twice, [ONE], tmp_path / "new", FACTS, resume=True)) == 1


@pytest.mark.parametrize("resume", [True, False])
def test_a_folder_of_others_is_refused(tmp_path, resume):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="contains other files"):
        run_parts(again, [ONE], tmp_path, FACTS, resume=resume)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Name a folder"):
        run_parts(again, [ONE], tmp_path / "file", FACTS, resume=True)


def test_another_experiment_is_refused(tmp_path):
    run_parts(twice, [ONE], tmp_path, FACTS, resume=False)
    with pytest.raises(CheckpointError, match="seed is '2' here and '1' there"):
        run_parts(again, [ONE], tmp_path, FACTS | {"seed": 2}, resume=True)


def test_a_damaged_checkpoint_is_refused(tmp_path):
    run_parts(twice, [ONE], tmp_path, FACTS, resume=False)
    (tmp_path / KEPT).write_bytes((tmp_path / KEPT).read_bytes()[:5000])
    with pytest.raises(CheckpointError, match="Delete it and start again"):
        run_parts(again, [ONE], tmp_path, FACTS, resume=True)
