"""Results in a notebook: the verdict, intervals as small plots, and a collapsed rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from calibrant._output._tables import Section

_WIDTH, _HEIGHT, _MARGIN = 160.0, 18.0, 6.0
#: most intervals that are drawn
_MOST = 24
_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:middle"


@dataclass(frozen=True)
class IntervalBar:
    """An estimate with its interval, drawn on its own axis.

    Attributes
    ----------
    name, text : str
        Its name, and its numbers as text.
    estimate, low, high : float
        The estimate and the ends of the interval; NaN if unknown.
    neutral : float or None
        The value to compare with, such as that of a calibrated model.
    """

    name: str
    text: str
    estimate: float
    low: float
    high: float
    neutral: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes the neutral value."""
        return self.neutral is not None and not self.low <= self.neutral <= self.high

    def svg(self) -> str:
        """Return the plot: a line for the interval, a dot, and a dashed mark for the neutral value.

        It is empty without a finite interval or a neutral value.
        """
        values = (self.estimate, self.low, self.high)
        if self.neutral is None or not all(map(math.isfinite, values)):
            return ""
        ends = [*values, self.neutral]
        start, span = min(ends), (max(ends) - min(ends)) or 1.0

        def x(value: float) -> str:
            return f"{_MARGIN + (value - start) / span * (_WIDTH - 2 * _MARGIN):.1f}"

        color = "#c0392b" if self.is_clear else "#5d6d7e"
        middle = _HEIGHT / 2
        mark = (
            f'<line x1="{x(self.neutral)}" x2="{x(self.neutral)}" y1="1" y2="{_HEIGHT - 1:g}" '
            'stroke="currentColor" stroke-dasharray="2 2" opacity="0.6"/>'
        )
        return (
            f'<svg role="img" aria-label="{escape(f"{self.name}: {self.text}")}" '
            f'width="{_WIDTH:g}" height="{_HEIGHT:g}">{mark}'
            f'<line x1="{x(self.low)}" x2="{x(self.high)}" y1="{middle:g}" y2="{middle:g}" '
            f'stroke="{color}" stroke-width="2"/>'
            f'<circle cx="{x(self.estimate)}" cy="{middle:g}" r="3.5" fill="{color}"/></svg>'
        )

    def row(self) -> str:
        """Return the row of a table."""
        cells = (escape(self.name), self.svg(), escape(self.text))
        return "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells) + "</tr>"


def notebook_html(
    verdict: str, bars: Sequence[IntervalBar], caption: str, sections: Sequence[Section]
) -> str:
    """Return a result for a notebook; without intervals, all sections are open."""
    head = f"<strong>{escape(verdict)}</strong>"
    shown = {bar.name for bar in bars[:_MOST]}
    rest = (replace(s, table=s.table.without(shown)) if s.table else s for s in sections)
    details = "".join(section.html() for section in rest)
    if not bars:
        return head + details
    rows = "".join(bar.row() for bar in bars[:_MOST])
    return (
        f"{head}<table><tbody>{rows}</tbody></table>"
        f'<p style="font-size:smaller;margin:2px 0">{escape(caption)}</p>'
        f"<details><summary>Details</summary>{details}</details>"
    )
