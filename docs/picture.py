"""The directive ``picture``: runs the examples in it and shows the display they made."""

from __future__ import annotations

import doctest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Picture(SphinxDirective):
    """Show the examples, run them after those above on the page, and draw ``display``."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the examples and the picture as SVG."""
        from calibrant.plots import to_svg

        text = "\n".join(self.content)
        values = self._values()
        self._run(text, values)
        prefix = f"picture{self.env.new_serialno('picture')}"
        svg = to_svg(values["display"], prefix=prefix, inherit_colors=True)
        return [
            nodes.doctest_block(text, text),
            nodes.raw("", f'<figure style="overflow-x: auto">{svg}</figure>', format="html"),
        ]

    def _run(self, text: str, values: dict[str, Any]) -> None:
        # the tests of the pages look at what is printed
        with redirect_stdout(StringIO()):
            for example in doctest.DocTestParser().get_examples(text):
                exec(compile(example.source, self.env.docname, "single"), values)

    def _values(self) -> dict[str, Any]:
        """Return the names of the page, which its plain examples made."""
        values = self.env.temp_data.setdefault("picture_values", {})
        if not values:
            page = Path(self.state.document["source"]).read_text(encoding="utf-8")
            self._run(page.partition(".. picture::")[0], values)
        return values
