"""A malformed file ends with 3 and a message; never with a number or a traceback."""

import pytest
from tests.io.malformed import MALFORMED


@pytest.mark.parametrize("command", ["check", "test"])
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused(run, tmp_path, name, command):
    malformed = MALFORMED[name]
    if "--group" in malformed.options:
        command = "check"
    result = run(command, *malformed.write(tmp_path))
    assert result.exit_code == 3
    assert result.stdout == ""
    assert malformed.message in result.stderr
    assert malformed.name in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["measure", "where", "gate", "compare"])
def test_every_command_refuses_them(run, tmp_path, command):
    paths = MALFORMED["logits"].write(tmp_path)
    extra = {"gate": ["--fail-if", "p<0.05"], "compare": paths}.get(command, [])
    result = run(command, *paths, *extra)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "--logits" in result.stderr


def test_a_single_row_is_not_tested(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("label,p\n1,0.5\n")
    assert run("check", path).exit_code == 0
    result = run("test", path)
    assert result.exit_code == 3
    assert "at least 2 rows" in result.stderr
