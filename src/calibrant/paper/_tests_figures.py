"""The figures of the tests: error against level, the paper's test and ours in the same panels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from calibrant._native import FloatArray
from calibrant.paper._error_figures import BETA_TEXT
from calibrant.paper._figure import PaperFigure, legend_at_the_bottom
from calibrant.paper._grid import MODELS, Key
from calibrant.paper._tests import PAPER_TESTS
from calibrant.paper._tests_curves import LEVELS, Curves
from calibrant.plots import BLUE, GRAY, GREEN, INK, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: the tests of the main figure
MAIN = {
    "ECE_uniform": "C",
    "SKCEb_median_distribution_free": "D b",
    "SKCEuq_median_distribution_free": "D uq",
    "SKCEul_median_distribution_free": "D l",
    "SKCEuq_median_asymptotic": "A uq",
    "SKCEul_median_asymptotic": "A l",
}
_NAMES = {
    "ECE_uniform": "C, ECE with uniform bins",
    "ECE_dynamic": "C, ECE with data-dependent bins",
    "SKCEb distribution_free": "D b (biased SKCE)",
    "SKCEuq distribution_free": "D uq (unbiased SKCE)",
    "SKCEul distribution_free": "D l (linear SKCE)",
    "SKCEuq asymptotic": "A uq (unbiased SKCE, bootstrap)",
    "SKCEul asymptotic": "A l (linear SKCE)",
}
_LINES = (
    "Rejections of calibrated models (π = 0) and misses of others at every significance level; "
    "dashed: the diagonal. Beside the paper's test: Exact with the same ECE, or with the unbiased "
    "SKCE of the same bandwidth, and the default test."
)


def words_for(test: str) -> str:
    """Return a test of the paper in words.

    Examples
    --------
    >>> words_for("SKCEuq_mean_asymptotic")
    'A uq (unbiased SKCE, bootstrap), mean bandwidth'
    """
    if test in _NAMES:
        return _NAMES[test]
    error, rule, kind = test.split("_", 2)
    return f"{_NAMES[f'{error} {kind}']}, {rule} bandwidth"


def exact_twin(test: str) -> str:
    """Return the exact test beside a test: of the same ECE, or of the SKCE of its bandwidth.

    Examples
    --------
    >>> exact_twin("ECE_uniform"), exact_twin("SKCEb_mean_distribution_free")
    ('Exact_ECE_uniform', 'Exact_SKCEuq_mean')
    """
    if test.startswith("ECE"):
        return f"Exact_{test}"
    return f"Exact_SKCEuq_{test.split('_')[1]}"


def curve_figures(
    curves: Curves, published: Mapping[Key, FloatArray] | None = None
) -> Iterator[PaperFigure]:
    """Yield the main figure, where its curves are there, and one for each test, α and β."""
    published = published or {}
    n = max(curve.n_datasets for curve in curves.values())
    note = f"{_LINES} {n} data sets of 250 rows for every curve"
    note += "; published curves are dotted." if published else "."
    keys = [[Key(test, 0.1, beta, 10, pi) for test in MAIN] for beta, pi in MODELS.values()]
    if all(key in curves for row in keys for key in row):
        draw = partial(_grid, keys, list(MODELS), list(MAIN.values()), curves, published)
        words = f"Test errors for the models M1, M2 and M3. {note}"
        yield PaperFigure("tests_comparison", "Calibration tests of three models", words, draw)
    settings = dict.fromkeys(key[1:3] for key in curves)
    for test in PAPER_TESTS:
        for alpha, beta in settings:
            yield _additional(curves, test, alpha, beta, published, note)


def _additional(
    curves: Curves,
    test: str,
    alpha: float,
    beta: Any,
    published: Mapping[Key, FloatArray],
    note: str,
) -> PaperFigure:
    mine = [key for key in curves if key[:3] == (test, alpha, beta)]
    classes, pis = sorted({key.n_classes for key in mine}), sorted({key.pi for key in mine})
    rows = [[Key(test, alpha, beta, m, pi) for pi in pis] for m in classes]
    title = f"{words_for(test)}: α = {alpha:g}, β = {BETA_TEXT[beta]}"
    sides, tops = [f"m = {m}" for m in classes], [f"π = {pi:g}" for pi in pis]
    draw = partial(_grid, rows, sides, tops, curves, published)
    name = f"tests_{test}_alpha={alpha:g}_beta={beta}"
    return PaperFigure(name, title, f"{title}. {note}", draw)


def _grid(
    rows: list[list[Key]],
    sides: list[str],
    tops: list[str],
    curves: Curves,
    published: Mapping[Key, FloatArray],
) -> Figure:
    from matplotlib.figure import Figure

    size = (1.35 * len(tops) + 0.7, 1.25 * len(rows) + 0.75)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(rows), len(tops), squeeze=False, sharex=True, sharey=True)
    for r, keys in enumerate(rows):
        for c, key in enumerate(keys):
            ax = panels[r, c]
            _panel(ax, key, curves, published.get(key))
            if r == 0:
                ax.set_title(tops[c], fontsize=7.5, loc="center")
            if c == 0:
                ax.set_ylabel(sides[r])
            if r == len(rows) - 1:
                ax.set_xlabel("level", fontsize=7.5)
    figure.supylabel("test error", fontsize=8.0)
    legend_at_the_bottom(figure, panels[0, 0], columns=4)
    return figure


def _panel(ax: Axes, key: Key, curves: Curves, published: FloatArray | None) -> None:
    ax.plot([0.0, 1.0], [0.0, 1.0], color=GRAY, lw=0.8, ls="--")
    # errors of exactly 0 lie on the axis: half of their line shall not be cut off
    looks: Any = {"lw": 1.2, "clip_on": False}
    ax.plot(LEVELS, curves[key].errors, color=BLUE, label="test of the paper", **looks)
    for label, test, color, style in (
        ("Exact", exact_twin(key.name), GREEN, (0, (4, 1.5))),
        ("default test", "Aggregated", VERMILLION, (0, (1.5, 1.5))),
    ):
        errors = curves[key._replace(name=test)].errors
        ax.plot(LEVELS, errors, color=color, ls=style, label=label, **looks)
    if published is not None:
        ax.plot(
            LEVELS[::5], published[::5], ".", ms=2.5, color=INK, label="published", clip_on=False
        )
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0), xticks=[0.0, 0.5, 1.0], yticks=[0.0, 0.5, 1.0])
    ax.set_aspect("equal")
    ax.tick_params(labelsize=6.5, length=2.0)
