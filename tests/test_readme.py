"""Code in the documents runs, and the commands they name exist."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import calibrant
from calibrant import binning, effects, errors, kernels, methods, models, plots, testing
from calibrant.cli._main import cli

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [
    README,
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/*.rst")),
    *sorted(ROOT.glob("docs/howto/*.rst")),
    *sorted(ROOT.glob("docs/ideas/*.rst")),
    *sorted(ROOT.glob("docs/reference/*.rst")),
]
#: what the examples of a page need beyond the package
NEEDS = {
    "docs/howto/questions.rst": ["sklearn"],
    "docs/howto/repair.rst": ["sklearn"],
    "docs/sklearn.rst": ["sklearn", "pandas"],
    "docs/torch.rst": ["torch"],
}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def fenced(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


def examples(page: Path) -> str:
    # A closing fence would be read as output, so only what is between fences is looked at.
    return "\n".join(fenced(page, "python")) if page.suffix == ".md" else page.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_of_a_page_run(page):
    for module in NEEDS.get(page.relative_to(ROOT).as_posix(), ()):
        pytest.importorskip(module)
    test = doctest.DocTestParser().get_doctest(examples(page), {}, page.name, str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("name", ["start.rst", "supremum.rst", "design.rst"])
def test_pages_that_teach_have_examples(name):
    (page,) = (page for page in PAGES if page.name == name)
    assert examples(page).count(">>> ") >= 10


def test_readme_has_about_ten_lines_that_run():
    assert 5 <= examples(README).count(">>> ") <= 12


def commands_of_readme():
    text = README.read_text("utf-8")
    return sorted(set(re.findall(r"`(calibrant [^`]+)`|^(calibrant [^#\n]+)", text, re.M)))


@pytest.mark.parametrize("command", ["".join(both).strip() for both in commands_of_readme()])
def test_commands_of_the_readme_exist_with_their_options(command):
    _, name, *words = shlex.split(command)
    known = {
        option
        for parameter in cli.get_command(click.Context(cli), name).params
        for option in parameter.opts
    }
    options = {word for word in words if word.startswith("-") and word != "-"}
    assert options <= known


@pytest.mark.slow
def test_readme_installs_and_runs_in_one_command(tmp_path):
    install, job = fenced(README, "console")[0].strip().split(" && ", 1)
    assert install == "python -m pip install ."
    program, *arguments = job.split()
    assert program == "calibrant"
    command = [sys.executable, "-m", program, *arguments]
    package = str(Path(calibrant.__file__).parents[1])
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert (tmp_path / "calibration.html").read_text("utf-8").startswith("<!doctype html>")
    assert "Evidence against calibration: p ≤ 0.001" in run.stdout


def test_ci_ends_with_the_test_command_of_the_readme():
    script = ROOT / ".ci" / "run"
    if not script.exists():
        pytest.skip("a source distribution has no .ci")
    command = fenced(README, "console")[-1].strip()
    assert command == 'python -m pip install ".[test]" && python -m pytest'
    assert script.read_text("utf-8").splitlines()[-1] == command


@pytest.mark.parametrize(
    ("page", "module"),
    [
        ("index.rst", calibrant),
        ("kernels.rst", kernels),
        ("binning.rst", binning),
        ("methods.rst", methods),
        ("effects.rst", effects),
        ("errors.rst", errors),
        ("models.rst", models),
        ("plots.rst", plots),
        ("testing.rst", testing),
    ],
)
def test_reference_lists_every_public_name(page, module):
    text = (ROOT / "docs" / "reference" / page).read_text("utf-8")
    listed = set(re.findall(r"^   (\w+)$", text, re.M))
    told_in_words = {"__version__", "estimators", "Form"}
    assert set(module.__all__) - told_in_words <= listed


def test_links_of_the_readme_to_files_resolve():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text("utf-8"))
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
