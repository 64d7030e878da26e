"""`calibrant paper` as a user runs it."""

from itertools import islice

import numpy as np
import pytest

from calibrant.cli.commands.paper import EXPERIMENTS, errors, timings
from calibrant.paper import _error_figures, _grid, _timings

pytestmark = pytest.mark.slow

PUBLISHED = """\
estimator,alpha,beta,m,pi,mean_of_estimates,true_value
ECE_uniform,0.1,first,2,0,0.0324,0.0
ECE_uniform,0.1,first,2,1,99,0.0
"""


@pytest.fixture(autouse=True)
def _few_figures(monkeypatch):
    # a figure takes half a second; those of the paper are tested elsewhere
    every = _error_figures.error_figures
    monkeypatch.setattr(_error_figures, "error_figures", lambda *args: islice(every(*args), 1))


SMALL = ("paper", "errors", "--datasets", 5, "--classes", 2, "--alpha", "0.1")


def test_errors_fill_a_folder_and_go_on(run, tmp_path):
    done = run(*SMALL, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("The distributions of the calibration errors are drawn.")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "errors.csv", "figures", "histograms.csv", "run.ckpt", "summary.txt",
    }  # fmt: skip
    again = run(*SMALL, "-o", tmp_path / "out")
    assert again.exit_code == 3
    assert "--resume" in again.stderr
    table = (tmp_path / "out" / "errors.csv").read_bytes()
    assert run(*SMALL, "-o", tmp_path / "out", "--resume").exit_code == 0
    assert (tmp_path / "out" / "errors.csv").read_bytes() == table
    other = run(*SMALL, "-o", tmp_path / "out", "--resume", "--seed", 1)
    assert other.exit_code == 4
    assert "seed is '1' here and '0' there" in other.stderr
    (tmp_path / "out" / "run.ckpt").write_text("damaged")
    assert run(*SMALL, "-o", tmp_path / "out", "--resume").exit_code == 4


def test_errors_are_compared_with_published_ones(run, tmp_path):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "errors_means.csv").write_text(PUBLISHED)
    options = (*SMALL, "-o", tmp_path / "out", "--published", tmp_path / "published")
    refused = run(*options)
    assert refused.exit_code == 3
    assert "errors_histograms.csv.gz: there is no such file" in refused.stderr
    assert not (tmp_path / "out").exists()
    import gzip

    with gzip.open(tmp_path / "published" / "errors_histograms.csv.gz", "wt") as file:
        file.write("estimator,alpha,beta,m,pi,bin_left,count\n")
    done = run(*options)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("1 of 2 means are within 5 standard errors")
    assert "!" in done.stdout
    (tmp_path / "published" / "errors_means.csv").write_text("estimator\nx\n")
    broken = run(*options, "--resume")
    assert broken.exit_code == 3
    assert "errors_means.csv: this table file is broken" in broken.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--classes", "3"), "must be some of 2, 10, 100, 1000"),
        (("--classes", "two"), "must be some of"),
        (("--alpha", "0.5"), "must be some of 0.1, 1"),
        (("--datasets", "1"), "--datasets"),
        ((), "--output"),
    ],
)
def test_wrong_options_are_named(run, tmp_path, options, message):
    where = ("-o", tmp_path / "out") if options else ()
    done = run("paper", "errors", *options, *where)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_a_failure(run, tmp_path):
    (tmp_path / "file").write_text("")
    done = run(*SMALL, "-o", tmp_path / "file" / "out")
    assert done.exit_code == 4
    assert "cannot be written" in done.stderr


@pytest.fixture
def networks(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "nets"
    folder.mkdir()
    p = rng.dirichlet([1.0, 1.0, 1.0], 60)
    np.savetxt(folder / "net.csv", p, delimiter=",", fmt="%.17g")
    np.savetxt(folder / "labels.csv", 1 + np.arange(60) % 3, fmt="%d")
    return folder


def test_networks_are_measured_and_tested(run, networks, tmp_path):
    done = run("paper", "networks", networks, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("1 networks measured and tested.")
    figures = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    assert {"networks_errors.svg", "networks_pvalues.pdf", "networks_bandwidths.svg"} <= figures
    (networks / "published_errors.csv").write_text("model,ECE_uniform\nnet,0.5\n")
    (networks / "published_pvalues.csv").write_text("model,ECE_uniform\nnet,1.0\n")
    again = run("paper", "networks", networks, "-o", tmp_path / "out", "--resume")
    assert again.exit_code == 0, again.stderr
    assert " published numbers of 1 networks are reproduced" in again.stdout
    assert "relative difference" in again.stdout


def test_malformed_networks_are_refused(run, networks, tmp_path):
    (networks / "net.csv").write_text("0.5,0.25,0.25\n0.5,0.5,x\n")
    done = run("paper", "networks", networks, "-o", tmp_path / "out")
    assert done.exit_code == 3
    assert "net.csv: line 2, column '2' must be a number; got 'x'" in done.stderr


def test_all_experiments_and_their_gallery(run, networks, tmp_path, monkeypatch):
    monkeypatch.setattr("calibrant.cli.commands.paper.EXPERIMENTS", ("errors", "networks", "all"))
    small = [param for param in errors.command.params if param.name in ("classes", "alpha")]
    for param, value in zip(small, ((2,), (0.1,)), strict=True):
        monkeypatch.setattr(param, "callback", lambda *_, value=value: value)
    options = ("--datasets", 2, "--networks", networks, "-o", tmp_path / "out")
    done = run("paper", "all", *options)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.endswith("index.html\n")
    page = (tmp_path / "out" / "index.html").read_text()
    assert 'src="errors/figures/' in page
    assert 'src="networks/figures/networks_pvalues.svg"' in page
    refused = run("paper", "all", *options)
    assert refused.exit_code == 3
    assert "--resume" in refused.stderr
    assert run("paper", "all", *options, "--resume").exit_code == 0


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_help(run, name):
    done = run("paper", name, "--help")
    assert done.exit_code == 0
    assert f"Usage: calibrant paper {name}" in done.stdout


def test_the_options_offer_the_settings_of_the_paper():
    offered = {param.name: param.metavar for param in [*errors.command.params,
                                                       *timings.command.params]}  # fmt: skip
    assert offered["classes"] == ",".join(map(str, _grid.CLASSES))
    assert offered["alpha"] == "0.1,1"
    assert offered["samples"] == ",".join(map(str, _timings.SIZES))
