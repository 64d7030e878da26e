"""The base class of displays: computed arrays with a method to draw them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from calibrant._predictions import Predictions
from calibrant.plots._style import styled
from calibrant.plots._svg import figure_svg, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Marks = tuple[tuple[Axes, ...], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Drawing:
    """The result of `Display.plot`.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        Save it with ``drawing.figure.savefig(path)``.
    ax : matplotlib.axes.Axes
        The axes that you passed, or the first new axes.
    axes : tuple of Axes
        All axes, including strips and panels.
    artists : mapping from name to Artist
        Lines, bars and bands, which you can restyle.

    Examples
    --------
    >>> from calibrant.plots import ReliabilityDisplay
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1], [0.2, 0.6, 0.9], rng=0)
    >>> drawing = display.plot()
    >>> _ = drawing.ax.set_title("Validation set")
    >>> sorted(drawing.artists)
    ['all_steps', 'counts', 'curve', 'each_step', 'inside']
    """

    figure: Figure
    ax: Axes
    axes: tuple[Axes, ...]
    artists: Mapping[str, Any]

    def _repr_svg_(self) -> str | None:
        # pyplot shows its own figures
        return figure_svg(self.figure) if self.figure.canvas.manager is None else None


class Display(ABC):
    """A plot: a frozen record of computed arrays that can be drawn.

    `from_predictions` takes labels and probabilities, or one `Predictions`, then the options of the
    plot and those of `Predictions` (`classes`, `pos_label`, `sample_weight`, `normalize`); with
    ``ax=`` it also draws. `plot` draws into your axes or a new figure, without pyplot, and does not
    change your rcParams. Notebooks show displays automatically.

    Examples
    --------
    >>> from calibrant.plots import Display, ReliabilityDisplay, to_svg
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1], [0.2, 0.6, 0.9], rng=0)
    >>> isinstance(display, Display), to_svg(display)[:4]
    (True, '<svg')
    """

    #: size of a new figure, in inches
    size: ClassVar[tuple[float, float]] = (4.8, 3.6)
    #: left, bottom, width and height of the axes in it; by default matplotlib's layout
    place: ClassVar[tuple[float, float, float, float] | None] = None

    @classmethod
    @abstractmethod
    def from_predictions(cls, y_true: Any, y_prob: Any = None, **options: Any) -> Self:
        """Compute the display from labels and probabilities, or from one `Predictions`."""

    @classmethod
    def from_estimator(
        cls, classifier: Any, X: Any, y: Any, *, sample_weight: Any = None, **options: Any
    ) -> Self:
        """Compute the display from a fitted classifier with `predict_proba` and `classes_`.

        To compare several models, pass ``{name: classifier}``. Use data that the classifier was
        not trained on.

        Parameters
        ----------
        classifier : object, or mapping from name to object
            One or several fitted classifiers.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        **options
            Options of `from_predictions`.
        """
        predict = partial(Predictions.from_estimator, X=X, y=y, sample_weight=sample_weight)
        if isinstance(classifier, Mapping):
            return cls.from_predictions(
                {n: predict(one) for n, one in classifier.items()}, **options
            )
        return cls.from_predictions(predict(classifier), **options)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Drawing:
        """Draw into `ax`, or into a new figure; several panels share the area of `ax`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw into.
        legend : bool, default True
            Whether to draw a legend.

        Returns
        -------
        Drawing
        """
        return self._render(ax, lambda target: self._draw(target, legend=legend))

    def _drawn(self, ax: Axes | None) -> Self:
        """Draw into `ax`, if given; return the display."""
        if ax is not None:
            self.plot(ax)
        return self

    def _render(self, ax: Axes | None, draw: Callable[[Axes], Marks]) -> Drawing:
        with styled(ax):
            target = self._new_axes() if ax is None else ax
            axes, artists = draw(target)
            for name, artist in artists.items():
                for part in artist if isinstance(artist, tuple | list) else (artist,):
                    part.set_gid(name)
            figure = target.get_figure(root=True)
            assert figure is not None
        return Drawing(figure, axes[0], axes, MappingProxyType(artists))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    @property
    @abstractmethod
    def title(self) -> str:
        """The title, in one line."""

    @abstractmethod
    def describe(self) -> str:
        """Describe what the plot shows."""

    @abstractmethod
    def table(self) -> dict[str, list[Any]]:
        """Return the numbers behind the plot: columns of equal length, by name."""

    def numbers(self) -> dict[str, float]:
        """Return the single numbers that the plot quotes, by name."""
        return {}

    def readings(self) -> dict[str, list[str]]:
        """Return descriptions of single marks, by the name of their artist, in the order drawn."""
        return {}

    @abstractmethod
    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        """Draw, and return the axes, the main ones first, and the artists by name."""

    def _size(self) -> tuple[float, float]:
        return self.size

    def _new_axes(self) -> Axes:
        from matplotlib.figure import Figure

        if self.place is None:
            return Figure(figsize=self._size(), layout="constrained").add_subplot()
        return Figure(figsize=self._size()).add_axes(self.place)

    def _repr_svg_(self) -> str:
        return to_svg(self)
