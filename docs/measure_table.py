"""The directive ``measures``: the table of everything that can be measured, from its registry."""

from __future__ import annotations

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class MeasureTable(SphinxDirective):
    """Name, meaning and range of every measure."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        from calibrant.effects import MEASURES

        lines = [".. list-table::", "   :header-rows: 1", "   :widths: 15 50 20 15", ""]
        rows = [("Name", "What it is", "Range", "Interval")]
        for one in MEASURES:
            low, high = (f"{end:g}".replace("inf", "∞") for end in one.range)
            meaning = one.meaning.format(event="the event", bins=10)
            interval = "yes" if one.has_interval else "no"
            rows.append((f"``{one.name}``", meaning, f"{low} … {high}", interval))
        for row in rows:
            lines += [f"   {'* -' if k == 0 else '  -'} {cell}" for k, cell in enumerate(row)]
        place = nodes.section(document=self.state.document)
        self.state.nested_parse(StringList(lines, "measures"), 0, place)
        return place.children
