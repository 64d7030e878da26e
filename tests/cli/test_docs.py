"""The commands in the documentation run, and its tables are complete."""

import re
import shlex
from pathlib import Path

import pytest

from calibrant.cli._main import COMMANDS
from calibrant.cli.gate._numbers import known_values
from calibrant.effects import MEASURES
from calibrant.io._columns import LABEL_NAMES

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "cli.rst"


@pytest.fixture(scope="module")
def page():
    if not PAGE.exists():
        pytest.skip("a source distribution may come without documentation")
    return PAGE.read_text("utf-8")


def test_the_commands_of_the_page_run(run, page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^   \$ calibrant (.+)$", page, re.M)
    assert len(lines) > 12
    for line in lines:
        args, _, source = line.partition(" < ")
        resampled = args.split()[0] in ("demo", "test", "where", "plot", "report", "gate")
        extra = ["--resamples", "199"] if resampled else []
        stdin = Path(source).read_bytes() if source else None
        done = run(*shlex.split(args), *extra, input=stdin)
        assert done.exit_code == (1 if "--junit" in line else 0), (line, done.stderr)


def test_the_page_names_every_command_and_value(page):
    for name in COMMANDS:
        assert f"\n``{name}``  " in page
    others = {one.name for one in MEASURES if not one.by_default}  # in the table of measures
    for value in known_values():
        assert value.name in others or f"``{value.name}``" in page
        assert value.part in ("", "lo", "hi", "excess")
    for name in LABEL_NAMES:
        assert f"``{name}``" in page
