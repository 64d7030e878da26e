"""Every JSON document obeys the shipped schema, and a rerun gives the same bytes."""

import json

import jsonschema
import pytest
from tests.cli.conftest import validator

from calibrant.cli._documents import schema
from calibrant.cli.commands.info import schema_text

pytestmark = pytest.mark.slow

GATE = ("--fail-if", "p<0.01")


@pytest.mark.parametrize(
    "command",
    [
        ("check", "raw"),
        ("test", "raw"),
        ("test", "raw", "--no-effects"),
        ("measure", "raw"),
        ("where", "grouped", "--group", "site"),
        ("compare", "raw", "scaled"),
        ("compare", "raw", "scaled", "--equivalence", "skce=0.1", "--reference", "raw"),
        ("info",),
        ("gate", "scaled", *GATE),
        ("gate", "raw", "--baseline", "scaled", "--fail-if", "delta_skce.lo<-1"),
    ],
    ids=" ".join,
)
def test_documents_are_valid_and_reruns_equal(run, files_of_models, tmp_path, command):
    args = [str(files_of_models.get(word, word)) for word in command]
    if "--reference" in command:
        args[args.index("--reference") + 1] = "raw"
    if command[0] in ("test", "where", "gate"):
        args += ["--resamples", "199"]
    first, second = (run(*args, "--json", "-") for _ in range(2))
    assert first.exit_code == 0, first.stderr
    assert first.stdout == second.stdout
    validator().validate(json.loads(first.stdout))
    path = tmp_path / "result.json"
    page = run(*args, "--json", path)
    assert path.read_text("utf-8") == first.stdout
    assert page.stdout == run(*args).stdout


def test_what_is_unknown_is_null(document, tmp_path):
    path = tmp_path / "uniform.csv"
    path.write_text("label,p_0,p_1\n0,0.5,0.5\n1,0.5,0.5\n1,0.5,0.5\n")
    effects = document("test", path)["result"]["effects"]
    assert effects["temperature"]["estimate"] is None


def test_what_is_infinite_is_a_text(document, tmp_path):
    path = tmp_path / "sure.csv"
    path.write_text("label,p_0,p_1\n0,0,1\n1,0.5,0.5\n1,0.25,0.75\n")
    assert document("test", path)["result"]["effects"]["log_loss"]["estimate"] == "inf"


def test_names_survive_as_they_are(document, tmp_path):
    path = tmp_path / "names.csv"
    path.write_text('label,"p_a, b","p_<ü>"\n"a, b",0.5,0.5\n<ü>,0.5,0.5\n', "utf-8")
    assert document("check", path)["input"]["class_names"] == ["a, b", "<ü>"]


def test_the_schema_refuses_what_no_command_writes(document, raw):
    good = document("check", raw)
    for bad in (
        good | {"schema_version": 2},
        good | {"extra": 1},
        good | {"command": "test"},
        {key: value for key, value in good.items() if key != "input"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            validator().validate(bad)


def test_a_file_that_cannot_be_written_is_no_gate_failure(run, raw, tmp_path):
    done = run("check", raw, "--json", tmp_path / "no" / "such.json")
    assert done.exit_code == 4
    assert "cannot be written" in done.stderr


def test_the_shipped_schema_is_that_of_the_documents():
    shipped = json.loads(schema_text())
    assert shipped == schema(), "run python tools/make_schema.py"
