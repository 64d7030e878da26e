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
        display = self._values()["display"]
        prefix = f"picture{self.env.new_serialno('picture')}"
        svg = to_svg(display, prefix=prefix, inherit_colors=True)
        return [
            nodes.doctest_block(text, text),
            nodes.raw("", f"<figure>{svg}</figure>", format="html"),
        ]

    def _values(self) -> dict[str, Any]:
        """Run the examples of the page up to here, and return the names they made."""
        values = self.env.temp_data.setdefault("picture_values", {})
        start = self.env.temp_data.get("picture_end", 0)
        end = self.content_offset + len(self.content)
        page = Path(self.state.document["source"]).read_text(encoding="utf-8")
        # what is printed, and what is refused, the tests of the pages look at
        with redirect_stdout(StringIO()):
            for example in doctest.DocTestParser().get_examples(page):
                if start <= example.lineno < end and example.exc_msg is None:
                    exec(compile(example.source, self.env.docname, "single"), values)
        self.env.temp_data["picture_end"] = end
        return values
