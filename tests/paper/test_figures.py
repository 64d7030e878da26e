"""Figures are files that are well-formed, the same each time, and hold what they should."""

from itertools import islice
from xml.etree import ElementTree

import numpy as np
import pytest

from calibrant.paper._error_figures import error_figures
from calibrant.paper._errors import ESTIMATORS, ErrorCell, paper_estimators
from calibrant.paper._gallery import write_gallery
from calibrant.paper._grid import BETAS, MODELS, PIS, Key
from calibrant.paper._histogram import Histogram, histogram
from calibrant.paper._tables import write_error_tables, write_timing_tables
from calibrant.paper._timing_figures import timing_figure, work_precision_figure
from calibrant.paper._timings import SIZES
from calibrant.paper._work_precision import Point

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cells():
    rng = np.random.default_rng(0)
    keys = [
        Key(name, alpha, beta, m, pi)
        for name in ESTIMATORS
        for alpha in (0.1, 1.0)
        for beta in BETAS
        for m in (2, 10)
        for pi in PIS
    ]
    return {key: ErrorCell(key, rng.normal(key.pi, 0.1, 60), key.pi + 0.05) for key in keys}


@pytest.fixture(scope="module")
def figures(cells):
    return list(error_figures(cells))


def test_all_figures_of_the_paper_are_there(figures):
    assert len(figures) == 1 + 32
    assert len({figure.name for figure in figures}) == 33
    assert figures[0].name == "errors_comparison"
    assert "errors_SKCEul_mean_alpha=1_beta=first" in {figure.name for figure in figures}


def test_the_main_figure_shows_three_models_and_four_estimators(figures, cells):
    axes = figures[0].plot().axes
    assert len(axes) == 12
    assert [ax.get_ylabel() for ax in axes[::4]] == list(MODELS)
    key = Key("SKCEuq_median", 0.1, "first", 10, 0.5)
    solid, dashed = axes[4 + 2].lines
    assert solid.get_xdata()[0] == cells[key].mean
    assert dashed.get_xdata()[0] == cells[key].truth
    assert (solid.get_linestyle(), dashed.get_linestyle()) == ("-", "--")


def test_an_additional_figure_is_a_table_of_classes_and_mixtures(figures, cells):
    [figure] = [f for f in figures if f.name == "errors_ECE_uniform_alpha=1_beta=first"]
    axes = figure.plot().axes
    assert [ax.get_title(loc="center") for ax in axes[:5]] == [f"π = {pi:g}" for pi in PIS]
    assert [ax.get_ylabel() for ax in axes[::5]] == ["m = 2", "m = 10"]
    cell = cells[Key("ECE_uniform", 1.0, "first", 10, 0.25)]
    drawn = axes[6].patches[0].get_data()
    expected = histogram(cell.values)
    assert drawn.values.tolist() == expected.density.tolist()
    assert drawn.edges.tolist() == expected.edges.tolist()


def test_without_the_main_cells_there_is_no_main_figure(cells):
    few = {key: cell for key, cell in cells.items() if key.n_classes == 2}
    assert "errors_comparison" not in {figure.name for figure in error_figures(few)}


def test_published_histograms_are_drawn_over_ours(cells):
    key = next(iter(cells))
    published = {key: Histogram(np.array([0.0, 0.5, 1.0]), np.array([3.0, 1.0]))}
    [_, first] = islice(error_figures(cells, published), 2)
    outline = first.plot().axes[0].patches[1].get_data()
    assert outline.values.tolist() == [1.5, 0.5]
    ours = first.plot().axes[0].patches[0].get_data()
    assert set(np.diff(ours.edges)) == {0.5}  # cells as wide as the published ones
    assert "published" in first.describe()


def test_files_are_well_formed_and_the_same_each_time(figures, tmp_path):
    contents = []
    for name in ("a", "b"):
        figures[3].write(tmp_path / name)
        files = sorted((tmp_path / name).iterdir())
        assert [path.suffix for path in files] == [".pdf", ".svg"]
        contents.append([path.read_bytes() for path in files])
    assert contents[0] == contents[1]
    pdf, svg = contents[0]
    assert pdf.startswith(b"%PDF")
    root = ElementTree.fromstring(svg)
    texts = [text for element in root.iter() if (text := (element.text or "").strip())]
    assert figures[3].title in texts
    assert {"π = 0.25", "m = 10", "true error"} <= set(texts)
    assert b"$" not in svg


def test_timing_figures_show_ours_and_published():
    names = list(paper_estimators(0.3))
    ours = {(name, m, n): 1e-4 * n * m for name in names for m in (2, 10) for n in SIZES}
    published = {key: 3 * value for key, value in ours.items()}
    axes = timing_figure(ours, published).plot().axes
    assert [ax.get_title(loc="center") for ax in axes] == ["m = 2", "m = 10"]
    solid, dashed = axes[1].lines[:2]
    assert list(solid.get_ydata()) == [ours[names[0], 10, n] for n in SIZES]
    assert list(dashed.get_ydata()) == [published[names[0], 10, n] for n in SIZES]
    assert len(timing_figure(ours).plot().axes[0].lines) == 5


def test_precision_is_drawn_against_work():
    points = {("SKCEuq", n): Point(1 / n, 1e-6 * n**2) for n in (32, 64)}
    ax = work_precision_figure(points).plot().ax
    assert list(ax.lines[0].get_xdata()) == [1e-6 * 32**2, 1e-6 * 64**2]
    assert list(ax.lines[0].get_ydata()) == [1 / 32, 1 / 64]


def test_tables_have_all_digits(cells, tmp_path):
    first = next(iter(cells))
    write_error_tables(tmp_path, cells, {first: 0.5})
    lines = (tmp_path / "errors.csv").read_text().splitlines()
    assert len(lines) == 1 + len(cells)
    header, row = lines[0].split(","), lines[1].split(",")
    found = dict(zip(header, row, strict=True))
    assert float(found["mean"]) == cells[first].mean
    assert float(found["standard_error"]) == cells[first].standard_error
    assert float(found["published_mean"]) == 0.5
    assert lines[2].endswith(",,")
    counts = [line.split(",") for line in (tmp_path / "histograms.csv").read_text().splitlines()]
    assert sum(int(row[-1]) for row in counts[1:]) == 60 * len(cells)


def test_the_table_of_times_is_like_the_published_one(tmp_path):
    ours = {("SKCEuq_median", 10, 250): 0.125}
    write_timing_tables(tmp_path, ours, {("SKCEuq_median", 10, 250): 0.5}, {})
    assert (tmp_path / "timings.csv").read_text().splitlines() == [
        "estimator,nclasses,nsamples,time,published_time",
        "SKCEuq_median,10,250,0.125,0.5",
    ]


def test_the_gallery_links_what_is_there(figures, tmp_path):
    figures[0].write(tmp_path / "errors" / "figures")
    figures[1].write(tmp_path / "errors" / "figures")
    (tmp_path / "errors" / "errors.csv").write_text("x\n")
    (tmp_path / "errors" / "summary.txt").write_text("1 < 2 & all is well\n")
    (tmp_path / "timings").mkdir()
    page = write_gallery(tmp_path).read_text("utf-8")
    assert "1 &lt; 2 &amp; all is well" in page
    assert 'href="errors/errors.csv"' in page
    assert page.index("errors_comparison.svg") < page.index("errors_ECE_uniform_alpha")
    assert "tests/" not in page
    sources = [part.split('"')[1] for part in page.split(" src=")[1:]]
    assert len(sources) == 2
    assert all((tmp_path / source).is_file() for source in sources)
    links = [part.split('"')[1] for part in page.split(" href=")[1:]]
    assert all(link.startswith("#") or (tmp_path / link).is_file() for link in links)
    assert "http" not in page
    assert page.count(' width="') == page.count(' height="') == 2
    title = figures[1].title
    assert page.count(title) == 2  # the caption, and once in the words for those who cannot see
