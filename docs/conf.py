"""How the documentation is built: ``python -m sphinx -W docs docs/_build``."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

sys.path.insert(0, str(Path(__file__).parent))
from picture import Picture

project = "calibrant"
author = "The calibrant developers"
project_copyright = author
version = release = installed_version("calibrant")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's Parameters say the types, in the words of the field
numpydoc_show_class_members = False  # the class template lists them, once

html_theme = "pydata_sphinx_theme"
html_title = "calibrant"
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
}
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["calibrant.css"]
html_sidebars = {"*": []}  # pages of the first level have nothing below them to list


class AbsoluteValues(SphinxTransform):
    """Read |x| as an absolute value: our pages and docstrings use no substitutions."""

    default_priority = 210  # just before docutils looks for substitutions

    def apply(self) -> None:
        """Put the text back in place of every substitution."""
        for node in list(self.document.findall(nodes.substitution_reference)):
            node.replace_self(nodes.Text(node.rawsource))


def setup(app: Sphinx) -> None:
    """Register the transform and the directive."""
    app.add_transform(AbsoluteValues)
    app.add_directive("picture", Picture)
