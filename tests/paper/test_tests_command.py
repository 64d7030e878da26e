"""`calibrant paper tests` as a user runs it, with few resamples and data sets."""

import pytest
from click.testing import CliRunner

from calibrant.cli._main import cli
from calibrant.paper import _tests_figures

pytestmark = pytest.mark.slow


@pytest.fixture
def run(monkeypatch, limit):
    limit(paper_resamples=20)
    # one figure is drawn as the other ones are
    monkeypatch.setattr(_tests_figures, "PAPER_TESTS", ("SKCEuq_mean_asymptotic",))

    def run(*args):
        return CliRunner().invoke(cli, ["paper", "tests", *map(str, args)])

    return run


QUICK = "--datasets", 3, "--classes", 2, "--alpha", 1, "--seed", 1, "--jobs", 1


def test_a_run_fills_its_folder_and_says_what_it_found(run, shared, tmp_path):
    published = shared / "paper" / "published"
    result = run(*QUICK, "-o", tmp_path / "out", "--published", published)
    assert result.exit_code == 0, result.stderr
    assert "points of 72 curves are within 5 standard errors" in result.stdout
    assert "102 curves, 3 data sets of 250 rows each" in result.stdout
    assert (tmp_path / "out" / "summary.txt").read_text("utf-8") == result.stdout
    header = (tmp_path / "out" / "test_errors.csv").read_text("utf-8").splitlines()[0]
    assert header.startswith("test,alpha,beta,m,pi,level,n_datasets,empirical_test_error")
    names = sorted(path.name for path in (tmp_path / "out" / "figures").iterdir())
    figure = "tests_SKCEuq_mean_asymptotic_alpha=1_beta="
    assert names == [f"{figure}{b}.{end}" for b in ("first", "uniform") for end in ("pdf", "svg")]


def test_resuming_changes_nothing_and_needs_to_be_said(run, tmp_path):
    first = run(*QUICK, "-o", tmp_path / "out")
    assert first.exit_code == 0, first.stderr
    table = (tmp_path / "out" / "test_errors.csv").read_bytes()
    refused = run(*QUICK, "-o", tmp_path / "out")
    assert refused.exit_code == 3
    assert "--resume" in refused.stderr
    again = run(*QUICK, "-o", tmp_path / "out", "--resume")
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert (tmp_path / "out" / "test_errors.csv").read_bytes() == table


def test_wrong_options_are_told(run, tmp_path):
    classes = run("--classes", 100, "-o", tmp_path / "out")
    assert (classes.exit_code, "some of 2, 10" in classes.stderr) == (2, True)
    folder = run(*QUICK, "-o", tmp_path / "out", "--published", tmp_path)
    assert (folder.exit_code, "test_error_curves.csv.gz" in folder.stderr) == (3, True)
    assert not (tmp_path / "out").exists()
