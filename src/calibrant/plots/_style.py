"""The style of the plots: colors that are safe for color-blind readers, combined with shapes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: text and axes
INK = "#22262b"
#: noise, and marks that do not stand out
GRAY = "#8a9099"
#: more than predicted, less than predicted, and a third (Okabe and Ito's palette)
BLUE, VERMILLION, GREEN = "#0072b2", "#d55e00", "#009e73"

#: class names are plain text, never mathematics
SAFE: Any = {"text.parse_math": False, "text.usetex": False}

#: rcParams, untyped because matplotlib 3.8 has no type for them
STYLE: Any = {
    **SAFE,
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": "white",
    "axes.formatter.use_mathtext": False,
    "axes.grid": False,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.0,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlepad": 8.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "normal",
    "axes.unicode_minus": True,
    "figure.facecolor": "white",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial", "sans-serif"],
    "font.size": 9.0,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 8.0,
    "xtick.major.width": 0.8,
    "ytick.color": INK,
    "ytick.labelsize": 8.0,
    "ytick.major.width": 0.8,
}


@contextmanager
def styled(ax: Axes | None) -> Iterator[None]:
    """Apply the full style to new figures, and only safe settings to users' figures."""
    from matplotlib import rc_context

    with rc_context(STYLE if ax is None else SAFE):
        yield


@contextmanager
def pristine(**settings: Any) -> Iterator[None]:
    """Temporarily ignore the user's settings, for the same bytes on every machine."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        every: Any = matplotlib.rcParams
        every.update(settings)
        yield


def ink() -> str:
    """Return the color of text in the active settings."""
    from matplotlib import rcParams

    return str(rcParams["text.color"])
