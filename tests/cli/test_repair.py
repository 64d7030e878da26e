"""`calibrant repair` says what the library says; `calibrant apply` applies its file."""

import json

import numpy as np
import pytest

import calibrant as cal
from calibrant.io import read_predictions, write_predictions
from calibrant.models import M1, TemperatureModel

pytestmark = pytest.mark.slow


@pytest.fixture
def calibrator(run, raw, tmp_path):
    path = tmp_path / "calibrator.json"
    assert run("repair", raw, "-o", path, "--resamples", 99).exit_code == 0
    return path


def test_the_recommendation_is_that_of_the_library(run, raw, tmp_path):
    path = tmp_path / "calibrator.json"
    result = run("repair", raw, "-o", path, "--resamples", 99)
    expected = cal.repair(read_predictions(str(raw)).predictions, rng=0, n_resamples=99)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(expected.summary())
    assert f"calibrator  {path}" in result.stdout
    assert path.read_text() == expected.to_json()


def test_the_document_follows_the_schema(document, raw):
    found = document("repair", raw, "--resamples", 99)
    assert found["result"]["calibrator"]["map"] == "temperature"
    assert found["output"] is None


def test_a_model_that_is_best_left_alone_ends_with_0(run, tmp_path):
    path = tmp_path / "fine.csv"
    write_predictions(str(path), cal.Predictions(*M1(3).sample(300, rng=1)))
    result = run("repair", path, "-o", tmp_path / "identity.json", "--resamples", 99)
    assert result.exit_code == 0
    assert result.stdout.startswith("Leave it as it is: no candidate helps.")
    assert json.loads((tmp_path / "identity.json").read_text())["map"] == "identity"


def test_groups_and_clusters_are_columns(document, tmp_path):
    y, p = TemperatureModel(0.5, 2, temperature=3.0).sample(400, rng=0)
    rows = [
        f"{label},{q!r},{i // 2},{'ab'[i % 2]}"
        for i, (label, q) in enumerate(zip(y, p[:, 1].tolist(), strict=True))
    ]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["label,p,user,site", *rows]))
    found = document("repair", path, "--cluster", "user", "--group", "site", "--resamples", 99)
    assert found["result"]["details"]["n_clusters"] == 200
    assert [group["name"] for group in found["result"]["groups"]] == ["a", "b"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "npz"])
def test_apply_writes_what_the_library_computes(run, document, calibrator, raw, kind, tmp_path):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    predictions = read_predictions(str(raw)).predictions
    new, fixed = tmp_path / f"new.{kind}", tmp_path / f"fixed.{kind}"
    write_predictions(str(new), predictions)
    result = run("apply", calibrator, new, "-o", fixed)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{fixed}: 200 rows recalibrated.")
    expected = cal.recalibration.load(calibrator).apply(predictions.y_prob)
    np.testing.assert_array_equal(read_predictions(str(fixed)).predictions.y_prob, expected)
    assert document("apply", calibrator, new, "-o", fixed)["n_samples"] == 200


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("p_cat,p_dog,p_owl\n0.2,0.3,0.5\n", "must have the classes"),
        ("p_0,p_1\n0.5,0.5\n", "must have the classes"),
        ("p_0,p_1,p_2\n0.5,0.5,0.5\n", "rows that sum to 1"),
    ],
)
def test_other_files_are_refused_and_nothing_is_written(
    run, calibrator, content, message, tmp_path
):
    new, fixed = tmp_path / "new.csv", tmp_path / "fixed.csv"
    new.write_text(content)
    result = run("apply", calibrator, new, "-o", fixed)
    assert result.exit_code == 3
    assert message in result.stderr
    assert not fixed.exists()
    assert result.stdout == ""


def test_a_broken_calibrator_is_refused(run, calibrator, raw, tmp_path):
    calibrator.write_text(calibrator.read_text()[:100])
    result = run("apply", calibrator, raw, "-o", tmp_path / "fixed.csv")
    assert result.exit_code == 3
    assert "cut off" in result.stderr


def test_a_folder_that_is_not_there_is_a_failure(run, calibrator, raw, tmp_path):
    result = run("apply", calibrator, raw, "-o", tmp_path / "nowhere" / "fixed.csv")
    assert result.exit_code == 4
    assert "cannot be written" in result.stderr
    result = run("repair", raw, "-o", tmp_path / "nowhere" / "c.json", "--resamples", 19)
    assert result.exit_code == 4


def test_too_few_clusters_are_a_failure_with_a_remedy(run, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("label,p,user\n" + "0,0.2,a\n1,0.7,b\n" * 20)
    result = run("repair", path, "--cluster", "user")
    assert result.exit_code in (3, 4)
    assert "10 folds need at least 10 clusters" in result.stderr


@pytest.mark.parametrize("which", ["input", "calibrator", "a link"])
def test_apply_never_overwrites_what_it_reads(run, calibrator, raw, tmp_path, which):
    link = tmp_path / "link.csv"
    link.symlink_to(raw)
    target = {"input": raw, "calibrator": calibrator, "a link": link}[which]
    before = target.read_bytes()
    result = run("apply", calibrator, raw, "-o", target)
    assert result.exit_code == 2
    assert "is read, too" in result.stderr
    assert target.read_bytes() == before


def test_labels_of_one_class_and_zero_weights_are_refused_and_nothing_is_written(run, tmp_path):
    path, out = tmp_path / "rows.csv", tmp_path / "c.json"
    path.write_text("label,p_a,p_b,w\n" + "a,0.4,0.6,0\na,0.7,0.3,0\n" * 50)
    result = run("repair", path, "-o", out)
    assert result.exit_code == 3
    assert "at least two different labels" in result.stderr
    assert "Use rows of all classes" in result.stderr
    result = run("repair", path, "-o", out, "--weight", "w")
    assert result.exit_code == 3
    assert "leave the weights out" in result.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["rows.csv"]
