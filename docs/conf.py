"""How the documentation is built: ``python -m sphinx -W docs docs/_build``."""

from importlib.metadata import version as installed_version

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
