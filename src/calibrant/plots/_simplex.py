"""The probability simplex of three classes, with the witness function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._engine import sizes
from calibrant._followup.where import WhereResult
from calibrant._native import BoolArray, FloatArray, IntArray
from calibrant._output import counted, number
from calibrant._predictions import Predictions, as_predictions, name_text
from calibrant.estimators import SKCE
from calibrant.kernels import Kernel
from calibrant.plots._display import Display
from calibrant.plots._panels import legend_below, legend_entries
from calibrant.plots._style import BLUE, GRAY, GREEN, VERMILLION, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks

#: corners of the triangle, class by class
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
_LOOKS = ((VERMILLION, "o"), (BLUE, "s"), (GREEN, "^"))
#: length of the longest arrow, in sides of the triangle
_LONGEST = 0.13
#: number of label sets outside the band that determine its width
_BEYOND = 10


@dataclass(frozen=True, eq=False, repr=False)
class SimplexDisplay(Display):
    """Predictions of three classes in a triangle, with the directions of their errors.

    A point is a prediction; its color and shape show the label. An arrow is the witness function at
    its foot: it points to the classes that occur more often than predicted nearby. If the band of a
    calibrated model is known, dark arrows leave it.

    Parameters
    ----------
    y_prob : ndarray of shape (n_shown, 3)
        Predictions to show.
    y_true : ndarray of shape (n_shown,)
        Their labels as class indices.
    classes : tuple of 3 names
        Names of the classes.
    points : ndarray of shape (n_points, 3)
        The feet of the arrows.
    witness : ndarray of shape (n_points, 3)
        The witness function there.
    outside : ndarray of shape (n_points,), optional
        Which arrows noise does not explain.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.models import Distorted, LogitShift
    >>> from calibrant.plots import SimplexDisplay
    >>> model = Distorted(1.0, 3, truth=LogitShift([1.0, 0.0, 0.0]))
    >>> display = SimplexDisplay.from_predictions(*model.sample(300, rng=0))
    >>> print(display.describe())
    Near the longest arrow class 0 occurs more often than predicted and class 1 less often. ...
    """

    y_prob: FloatArray
    y_true: IntArray
    classes: tuple[Any, ...]
    points: FloatArray
    witness: FloatArray
    outside: BoolArray | None = None
    size: ClassVar[tuple[float, float]] = (4.8, 4.7)

    def __post_init__(self) -> None:
        if len(self.classes) != 3:
            raise ValueError(_wrong_count(len(self.classes)))

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        kernel: Kernel | None = None,
        n_steps: int = 10,
        max_points: int = 1000,
        ax: Axes | None = None,
        **data: Any,
    ) -> SimplexDisplay:
        """Compute the witness function on a grid; O(n·n_steps²).

        Parameters
        ----------
        kernel : Kernel, default that of `SKCE`
            Kernel of the witness function; its bandwidth defines "nearby".
        n_steps : int, default 10
            Number of arrows along a side of the triangle.
        max_points : int, default 1000
            Most points shown, evenly spaced rows; the arrows use all rows.
        """
        predictions = as_predictions(y_true, y_prob, **data)
        if predictions.n_classes != 3:
            raise ValueError(_wrong_count(predictions.n_classes))
        points = _grid(n_steps)
        witness = (SKCE() if kernel is None else SKCE(kernel)).witness(predictions, points)
        return cls(*_shown(predictions, max_points), points, witness)._drawn(ax)

    @classmethod
    def from_result(
        cls, result: WhereResult, *, n_steps: int = 10, max_points: int = 1000
    ) -> SimplexDisplay:
        """Create the display from the result of `where`, with the band of the witness function.

        The band uses enough label sets for ten to be outside it, 199 at alpha = 0.05.
        """
        if result.n_classes != 3:
            raise ValueError(_wrong_count(result.n_classes))
        n_resamples = math.ceil(_BEYOND / result.alpha) - 1
        witness = result.witness(_grid(n_steps), n_resamples=n_resamples)
        assert result.source is not None  # otherwise `witness` has raised an error
        shown = _shown(result.source.predictions, max_points)
        return cls(*shown, witness.points, witness.values, np.any(witness.outside, axis=1))

    @property
    def title(self) -> str:
        """The title, in one line."""
        return "Predictions, and where the labels pull them"

    def describe(self) -> str:
        """Describe the longest arrow."""
        longest = int(np.argmax(np.linalg.norm(self.witness, axis=1)))
        value = self.witness[longest]
        most, least = (name_text(self.classes[int(f(value))]) for f in (np.argmax, np.argmin))
        text = (
            f"Near the longest arrow class {most} occurs more often than predicted and class "
            f"{least} less often."
        )
        if self.outside is None:
            return f"{text} Arrows alone are not evidence: noise has arrows too."
        many = int(np.sum(self.outside))
        return f"{text} Noise does not explain {many} of {counted(len(self.outside), 'arrow')}."

    def table(self) -> dict[str, list[Any]]:
        """Return the grid with the witness function, class by class."""
        columns: dict[str, list[Any]] = {}
        for c, name in enumerate(self.classes):
            columns[f"p({name_text(name)})"] = self.points[:, c].tolist()
        for c, name in enumerate(self.classes):
            columns[f"witness({name_text(name)})"] = self.witness[:, c].tolist()
        if self.outside is not None:
            columns["outside"] = np.asarray(self.outside).tolist()
        return columns

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        artists: dict[str, Any] = {}
        ax.set_axis_off()
        ax.set_aspect("equal")
        _draw_triangle(ax, self.classes)
        places = self.y_prob @ _CORNERS
        for c, (color, marker) in enumerate(_LOOKS):
            rows = self.y_true == c
            if rows.any():
                [artists[f"class_{c}"]] = ax.plot(
                    *places[rows].T, marker, color=color, markersize=3.2, markeredgewidth=0.0,
                    alpha=0.45, label=f"label {name_text(self.classes[c])}",
                )  # fmt: skip
        artists["arrows"] = self._draw_arrows(ax)
        ax.set_xlim(-0.12, 1.12)
        ax.set_ylim(-0.1, 0.94)
        longest = number(float(np.linalg.norm(self.witness, axis=1).max()))
        ax.set_title(f"{self.title}\nlongest arrow: witness of length {longest}")
        if legend:
            entries = legend_entries(ax)
            legend_below(ax, entries, 3 if max(map(len, entries), default=0) < 16 else 1, below=4.0)
        return (ax,), artists

    def _draw_arrows(self, ax: Axes) -> Any:
        feet, steps = self.points @ _CORNERS, self.witness @ _CORNERS
        longest = float(np.hypot(*steps.T).max())
        steps = steps * (_LONGEST / longest if longest > 0.0 else 0.0)
        strong = np.ones(len(feet), bool) if self.outside is None else np.asarray(self.outside)
        return ax.quiver(
            *feet.T, *steps.T, color=[ink() if one else GRAY for one in strong],
            alpha=np.where(strong, 1.0, 0.6), angles="xy", scale_units="xy", scale=1.0,
            width=0.0038, headwidth=4.5, headlength=5.0, headaxislength=4.5, zorder=3,
        )  # fmt: skip


def _draw_triangle(ax: Axes, classes: tuple[Any, ...]) -> None:
    for share in (0.25, 0.5, 0.75):
        for c in range(3):
            ends = np.full((2, 3), 0.0)
            ends[:, c] = share
            ends[[0, 1], [(c + 1) % 3, (c + 2) % 3]] = 1.0 - share
            ax.plot(*(ends @ _CORNERS).T, color=GRAY, linewidth=0.5, alpha=0.6, zorder=0.5)
    ax.plot(*_CORNERS[[0, 1, 2, 0]].T, color=ink(), linewidth=0.9, zorder=1)
    looks: dict[str, Any] = {"textcoords": "offset points", "ha": "center"}
    for corner, name, shift in zip(_CORNERS, classes, ((-2, -4), (2, -4), (0, 4)), strict=True):
        text = name_text(name if isinstance(name, str) else f"class {name}")
        ax.annotate(text, tuple(corner), shift, va="top" if shift[1] < 0 else "bottom", **looks)


def _shown(
    predictions: Predictions, max_points: int
) -> tuple[FloatArray, IntArray, tuple[Any, ...]]:
    rows = sizes.evenly_spaced(predictions.n_samples, max_points)
    return predictions.y_prob[rows], predictions.y_true[rows], tuple(predictions.classes)


def _grid(n_steps: int) -> FloatArray:
    """Return the centers of a triangular grid, without border points."""
    if n_steps < 1:
        raise ValueError(f"`n_steps` must be at least 1; got {n_steps}.")
    cells = [(i, j, n_steps - 1 - i - j) for i in range(n_steps) for j in range(n_steps - i)]
    return (np.array(cells, dtype=np.float64) + 1.0 / 3.0) / n_steps


def _wrong_count(n_classes: int) -> str:
    remedy = (
        "Use `ReliabilityDisplay` for two."
        if n_classes < 3
        else "Merge classes first: `predictions.merge_classes({...})`."
    )
    return f"a simplex picture needs three classes; got {n_classes}. {remedy}"
