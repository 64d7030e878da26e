"""Figures of the tests: error against significance level, for the paper's tests and ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from calibrant._native import FloatArray
from calibrant.paper._figure import Panels, PaperFigure, label_panels, legend_at_the_bottom
from calibrant.paper._grid import Key
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
    """Return the exact test to compare with a test: the same ECE, or the SKCE with its bandwidth.

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
    """Yield the main figure, if its curves exist, and one for each test, α and β."""
    n = max(curve.n_datasets for curve in curves.values())
    note = f"{_LINES} {n} data sets of 250 rows for every curve"
    note += "; published curves are dotted." if published else "."
    title, draw = "Calibration tests of three models", partial(_grid, curves, published or {})
    return Panels("tests", title, MAIN, PAPER_TESTS, words_for, note, draw).figures(curves)


def _grid(
    curves: Curves,
    published: Mapping[Key, FloatArray],
    rows: list[list[Key]],
    sides: list[str],
    tops: list[str],
) -> Figure:
    from matplotlib.figure import Figure

    size = (1.35 * len(tops) + 0.7, 1.25 * len(rows) + 0.75)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(rows), len(tops), squeeze=False, sharex=True, sharey=True)
    for ax, key in zip(panels.flat, chain(*rows), strict=True):
        _panel(ax, key, curves, published.get(key))
    label_panels(panels, sides, tops)
    for ax in panels[-1]:
        ax.set_xlabel("level", fontsize=7.5)
    figure.supylabel("test error", fontsize=8.0)
    legend_at_the_bottom(figure, panels[0, 0], columns=4)
    return figure


def _panel(ax: Axes, key: Key, curves: Curves, published: FloatArray | None) -> None:
    ax.plot([0.0, 1.0], [0.0, 1.0], color=GRAY, lw=0.8, ls="--")
    # errors of exactly 0 are on the axis: do not clip half of the line
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
