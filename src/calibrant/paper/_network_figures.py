"""The figures of real networks: errors, p-values, and p-values against the bandwidth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from calibrant._output import number
from calibrant._predictions import name_text
from calibrant.paper._figure import PaperFigure, logarithmic
from calibrant.paper._networks import NetworkResult
from calibrant.plots import BLUE, GRAY, GREEN, INK, VERMILLION, legend_entries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ERRORS = (
    {"ECE_uniform": "ECE, uniform bins", "ECE_dynamic": "ECE, data-dependent bins"},
    {"SKCEb_median": "SKCE b", "SKCEuq_median": "SKCE uq", "SKCEul_median": "SKCE ul"},
)
_PVALUES = {
    "ECE_uniform": "C, uniform bins",
    "ECE_dynamic": "C, data-dependent bins",
    "SKCEb_median_distribution_free": "D b",
    "SKCEuq_median_distribution_free": "D uq",
    "SKCEul_median_distribution_free": "D l",
    "SKCEuq_median_asymptotic": "A uq",
    "SKCEul_median_asymptotic": "A l",
}
_COLORS = (BLUE, VERMILLION, GREEN, "#e69f00", "#56b4e9", "#cc79a7", GRAY, INK)


def network_figures(results: Sequence[NetworkResult]) -> Iterator[PaperFigure]:
    """Yield the paper's two bar charts, and the p-values against the bandwidth."""
    names = ", ".join(result.model for result in results)
    best = ", ".join(f"{model} by {column}" for column, model in best_by(results).items())
    yield PaperFigure(
        "networks_errors",
        "Calibration errors of networks",
        f"Estimates of five calibration errors of {names}. Smallest: {best}.",
        partial(_error_bars, results),
    )
    yield PaperFigure(
        "networks_pvalues",
        "P-values of networks",
        f"P-values of {names}: the paper's seven tests, and the default test of calibrant.",
        partial(_pvalue_bars, results),
    )
    yield PaperFigure(
        "networks_bandwidths",
        "P-values against the bandwidth",
        "P-values of the unbiased SKCE, from its conditional moments, for bandwidths around the "
        f"median distance of {names}. Far below 1e-10 they rank bandwidths, no more: moments do "
        "not know such tails.",
        partial(_bandwidths, results),
    )


def best_by(results: Sequence[NetworkResult]) -> dict[str, str]:
    """Return the best network according to each error."""
    return {
        column: min(results, key=lambda result: result.errors[column]).model
        for column in results[0].errors
    }


def _error_bars(results: Sequence[NetworkResult]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_width(results), 4.6), layout="constrained")
    for ax, columns in zip(figure.subplots(2, 1), _ERRORS, strict=True):
        heights = {text: [r.errors[column] for r in results] for column, text in columns.items()}
        _bars(ax, results, heights)
        ax.set_ylabel("calibration error estimate")
    return figure


def _pvalue_bars(results: Sequence[NetworkResult]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_width(results) + 1.0, 3.4), layout="constrained")
    ax = figure.subplots()
    heights = {text: [r.pvalues[column] for r in results] for column, text in _PVALUES.items()}
    heights["default test"] = [r.default for r in results]
    _bars(ax, results, heights)
    ax.set_ylabel("p-value (bound or approximation)")
    ax.set_ylim(0.0, 1.05)
    return figure


def _bars(
    ax: Axes, results: Sequence[NetworkResult], heights: Mapping[str, Sequence[float]]
) -> None:
    places, width = np.arange(len(results)), 0.8 / len(heights)
    for k, (label, values) in enumerate(heights.items()):
        shift = (k - 0.5 * (len(heights) - 1)) * width
        ax.bar(places + shift, values, width, label=label, color=_COLORS[k % len(_COLORS)])
    ax.axhline(0.0, color=INK, linewidth=0.8)
    models = [name_text(result.model) for result in results]
    crowded = len(models) > 6
    ax.set_xticks(
        places, models, rotation=45 if crowded else 0, ha="right" if crowded else "center"
    )
    entries = legend_entries(ax)
    ax.legend(entries.values(), entries, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _bandwidths(results: Sequence[NetworkResult]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 3.4), layout="constrained")
    ax = figure.subplots()
    for k, result in enumerate(results):
        bandwidths, pvalues = result.scan
        color = _COLORS[k % len(_COLORS)]
        label = f"{name_text(result.model)}, median {number(result.bandwidth)}"
        ax.plot(bandwidths, pvalues, marker="o", ms=3.0, color=color, label=label)
        ax.axvline(result.bandwidth, color=color, linewidth=0.6, linestyle=":")
    ax.axhline(0.05, color=INK, linewidth=0.8, linestyle="--", label="0.05")
    logarithmic(ax)
    ax.set_ylim(top=3.0)
    ax.set_xlabel("bandwidth (total variation)")
    ax.set_ylabel("p-value")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _width(results: Sequence[NetworkResult]) -> float:
    return max(6.0, 2.2 + 0.6 * len(results))
