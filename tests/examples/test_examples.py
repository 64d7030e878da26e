"""The example scripts run as they are, and show what they promise."""

import runpy
from pathlib import Path

import pytest

import calibrant as cal
from calibrant.effects import accuracy

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "examples"


def run(name, capsys):
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    return capsys.readouterr().out


def test_every_example_is_run_here():
    names = {path.stem for path in FOLDER.glob("*.py")}
    assert names == {"own_kernel", "recalibrate", "train_with_penalty"}


def test_own_kernel(capsys):
    lines = run("own_kernel", capsys).splitlines()
    assert lines[0] == "ExpectedGrade obeys the rules of a kernel."
    assert lines[1].startswith("NoKernel does not: the kernel is not positive semi-definite")
    assert lines[-1] == "Evidence against calibration: p ≤ 0.001."


def test_recalibrate(capsys):
    pytest.importorskip("sklearn")
    out = run("recalibrate", capsys)
    assert "raw: Evidence against calibration: p ≤ 0.001; the predictions are over-conf" in out
    assert "temperature: No evidence against calibration" in out
    assert "sigmoid: Evidence against calibration: p ≤ 0.001; the predictions are under-conf" in out


def test_training_with_the_penalty_lowers_the_error_of_unseen_data():
    torch = pytest.importorskip("torch")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        script = runpy.run_path(str(FOLDER / "train_with_penalty.py"))
        plain, penalty = (script["judge"](script["train"](factor)) for factor in (0.0, 30.0))
        errors = cal.SKCE()(plain), cal.SKCE()(penalty)
        # 0.015 and 0.0025 at this seed; the two are eleven standard errors apart
        assert errors[1] < 0.5 * errors[0]
        comparison = cal.compare(plain.y_true, {"plain": plain.y_prob, "penalty": penalty.y_prob})
        assert comparison.difference("plain", "penalty").better == "penalty"
        assert accuracy(penalty).estimate >= accuracy(plain).estimate
    finally:
        torch.set_num_threads(threads)
