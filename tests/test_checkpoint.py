import numpy as np
import pytest

import calibrant as cal
from calibrant._checkpoint import MAGIC, Checkpoint, CheckpointError, computation, pack, unpack

HEADER = {"input": "abc", "method": "Exact()"}
RECORD = [1.5, (np.arange(3.0), np.zeros((2, 0))), {"a": np.eye(2), "b": [np.pi, np.nan]}]


def filled(path, count=3):
    with Checkpoint(path, HEADER) as checkpoint:
        stage = checkpoint.stage("sums", 10)
        for i in range(count):
            stage.keep(i, [float(i), np.full(4, i / 3)])
    return path.read_bytes()


def test_records_come_back_bit_for_bit():
    back = unpack(pack(RECORD))
    assert back[0] == 1.5
    np.testing.assert_array_equal(back[1][0], RECORD[1][0])
    assert back[1][1].shape == (2, 0)
    np.testing.assert_array_equal(back[2]["a"], np.eye(2))
    assert back[2]["b"][0] == np.pi
    assert np.isnan(back[2]["b"][1])
    assert isinstance(back, list)
    assert isinstance(back[1], tuple)
    back[1][0][0] = 7.0  # writeable


def test_only_numbers_are_kept():
    with pytest.raises(TypeError, match="floats and float64 arrays; got str"):
        pack(["text"])
    with pytest.raises(TypeError, match="got ndarray"):
        pack(np.array(["text"]))


def test_finished_tasks_are_found_again(tmp_path):
    path = tmp_path / "kept"
    filled(path)
    with Checkpoint(path, HEADER) as checkpoint:
        assert len(checkpoint) == 3
        stage = checkpoint.stage("sums", 10)
        assert stage.record(2)[0] == 2.0
        np.testing.assert_array_equal(stage.record(1)[1], np.full(4, 1 / 3))
        assert stage.record(3) is None
        # the next computation of the same program is another stage
        assert checkpoint.stage("sums", 10).record(2) is None


def test_a_record_cut_off_anywhere_costs_only_itself(tmp_path):
    path = tmp_path / "kept"
    two = len(filled(path, 2))
    path.unlink()
    whole = filled(path, 3)
    for stop in {two, two + 1, (two + len(whole)) // 2, len(whole) - 1}:
        path.write_bytes(whole[:stop])
        with Checkpoint(path, HEADER) as checkpoint:
            assert len(checkpoint) == 2
            stage = checkpoint.stage("sums", 10)
            assert stage.record(2) is None
            stage.keep(2, [2.0, np.full(4, 2 / 3)])
        assert path.read_bytes() == whole


def test_a_header_cut_off_is_written_again(tmp_path):
    path = tmp_path / "kept"
    whole = filled(path, 0)
    for stop in range(0, len(whole), 7):
        path.write_bytes(whole[:stop])
        with Checkpoint(path, HEADER) as checkpoint:
            assert len(checkpoint) == 0
        assert path.read_bytes() == whole


def test_a_damaged_checkpoint_is_refused(tmp_path):
    path = tmp_path / "kept"
    content = bytearray(filled(path))
    content[-40] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"kept: this checkpoint is damaged at byte \d+. Del"):
        Checkpoint(path, HEADER)
    assert path.read_bytes() == bytes(content)  # it is left as it is
    path.write_bytes(MAGIC + b"{not json\n" + b"rest")
    with pytest.raises(CheckpointError, match="the beginning of this checkpoint is damaged"):
        Checkpoint(path, HEADER)


def test_a_foreign_checkpoint_says_what_differs(tmp_path):
    path = tmp_path / "kept"
    filled(path)
    with pytest.raises(CheckpointError, match=r"input is 'xyz' here and 'abc' there\. Run with"):
        Checkpoint(path, HEADER | {"input": "xyz"})
    with pytest.raises(CheckpointError, match=r"another computation: input .* \(and 1 more\)"):
        Checkpoint(path, {"input": "xyz", "method": "Moments()"})


def test_another_file_is_never_overwritten(tmp_path):
    path = tmp_path / "thesis.txt"
    path.write_text("three years of work")
    with pytest.raises(CheckpointError, match="this is no checkpoint of calibrant"):
        Checkpoint(path, HEADER)
    assert path.read_text() == "three years of work"


def test_two_runs_cannot_write_to_one_file(tmp_path):
    pytest.importorskip("fcntl", reason="this system has no file locks")
    path = tmp_path / "kept"
    with Checkpoint(path, HEADER), pytest.raises(CheckpointError, match="another run is writing"):
        Checkpoint(path, HEADER)
    Checkpoint(path, HEADER).close()  # afterwards it is free


def test_a_computation_is_known_by_numbers_shapes_and_settings():
    y, p = np.arange(4), np.linspace(0.0, 1.0, 8).reshape(4, 2)
    one = computation(y, p, None, method="Exact()")
    assert one == computation(y.copy(), p.copy(), None, method="Exact()")
    assert one["input"] != computation(y, p.reshape(2, 4), None)["input"]
    assert one["input"] != computation(y, np.nextafter(p, 2.0), None)["input"]
    assert one["input"] != computation(y, p, np.ones(4))["input"]
    assert one != computation(y, p, None, method="Moments()")


def test_functions_are_the_same_in_the_next_process():
    described = computation(kernel=f"FunctionKernel({len!r}, {pack!r})")
    assert " at 0x" not in described["kernel"]


def test_functions_of_the_same_name_are_told_apart():
    def described(function):
        return computation(estimator=cal.SKCE(cal.kernels.FunctionKernel(function)))

    def scaled(by):
        return lambda p, q: by * p @ q.T

    assert described(scaled(2)) == described(scaled(2))
    assert described(scaled(2)) != described(scaled(3))
    assert described(lambda p, q: p @ q.T) != described(lambda p, q: 2 * p @ q.T)
    assert described(lambda p, q: np.cos(p @ q.T)) != described(lambda p, q: np.exp(p @ q.T))
    assert "functions and arrays" not in computation(estimator=cal.SKCE())
