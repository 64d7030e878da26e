"""Panels at fixed positions on a sheet, titles, and legends that hide nothing."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend


@dataclass(frozen=True)
class Sheet:
    """A sheet of `width` × `height` inches, drawn where `ax` is, at any scale."""

    ax: Axes
    width: float
    height: float

    def __post_init__(self) -> None:
        self.ax.set_axis_off()

    def panel(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return axes whose upper left corner is at this position on the sheet, in inches."""
        bottom = self.height - top - height
        return self.ax.inset_axes(
            (left / self.width, bottom / self.height, width / self.width, height / self.height)
        )

    def write(self, left: float, top: float, text: str, **looks: Any) -> Any:
        """Write text whose upper left corner is at this position on the sheet, in inches."""
        x, y = left / self.width, 1.0 - top / self.height
        return self.ax.text(x, y, text, transform=self.ax.transAxes, va="top", **looks)

    def legend(self, left: float, entries: dict[str, Any], columns: int) -> Legend:
        """Draw a legend at the bottom of the sheet."""
        return self.ax.legend(
            list(entries.values()),
            list(entries),
            loc="lower left",
            bbox_to_anchor=(left / self.width, 0.08 / self.height),
            borderaxespad=0.0,
            **_compact(columns),
        )


def write_title(ax: Axes, title: str, width: int = 38) -> None:
    """Write a title above `ax`, on several lines if it is long."""
    ax.set_title(textwrap.fill(title, width, break_long_words=False))


def legend_entries(*sources: Axes) -> dict[str, Any]:
    """Return the labeled artists of some axes, one for each label."""
    entries: dict[str, Any] = {}
    for source in sources:
        for handle, label in zip(*source.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    return entries


def legend_below(ax: Axes, entries: dict[str, Any], columns: int, below: float = 34.0) -> Legend:
    """Draw a legend under `ax`, `below` points under its axis."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.get_figure(root=True)
    assert figure is not None
    shift = ScaledTranslation(0.0, -below / 72.0, figure.dpi_scale_trans)
    return ax.legend(
        list(entries.values()),
        list(entries),
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=ax.transAxes + shift,
        borderaxespad=0.0,
        **_compact(columns),
    )


def _compact(columns: int) -> dict[str, Any]:
    return {"ncols": columns, "columnspacing": 1.2, "handletextpad": 0.6, "handlelength": 1.5}
