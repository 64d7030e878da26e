"""How the documentation is built: ``python -m sphinx -W docs docs/_build``."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform

sys.path.insert(0, str(Path(__file__).parent))
from measure_table import MeasureTable
from picture import Picture

import calibrant


def _runnable(missing: list[str]) -> str:
    """Return a pattern of the examples that can run here."""
    examples = Path(__file__).parents[1] / "examples"
    texts = {path.stem: path.read_text("utf-8") for path in sorted(examples.glob("*.py"))}
    needed = [tuple(f"{word} {name}" for word in ("from", "import")) for name in missing]
    names = [
        stem
        for stem, text in texts.items()
        if not any(statement in text for pair in needed for statement in pair)
    ]
    return "/(" + "|".join(names) + ")[.]py$"


project = "calibrant"
author = "The calibrant developers"
project_copyright = author
version = release = calibrant.__version__

#: whether ``pip install calibrant`` works; until then pages install from a clone, ``./calibrant``
PUBLISHED = False

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"
nitpicky = True
# docstrings put parameters into the same quotes as names of the package
nitpick_ignore_regex = [("py:obj", r"[a-z_]\w*")]

autosummary_generate = True
autodoc_mock_imports = [] if find_spec("torch") else ["torch"]  # too heavy for words alone
autodoc_typehints = "none"  # numpydoc's Parameters say the types, in the words of the field
numpydoc_show_class_members = False  # the class template lists them, once
numpydoc_validation_checks = {"PR02", "PR03", "PR06", "PR10", "SS01"}

# what an example needs that is not installed leaves its page without output
_missing = [name for name in ("torch", "distributed", "sklearn") if not find_spec(name)]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": _runnable(_missing),
    "within_subsection_order": "gallery_order.place",
    "abort_on_example_error": True,
    "show_memory": False,
    "min_reported_time": 1e9,  # pages do not tell how fast the machine was
    "show_signature": False,
    "download_all_examples": False,
    "backreferences_dir": None,
    "image_scrapers": ("drawings.scrape",),
    "capture_repr": (),
}

html_theme = "pydata_sphinx_theme"
html_title = "calibrant"
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
}
# pages of several versions, such as /calibrant/0.2.0/: the path above them, and their own folder
_sites, _folder = os.environ.get("DOCS_BASE"), os.environ.get("DOCS_VERSION")
if _sites and _folder:
    html_theme_options |= {
        "switcher": {"json_url": f"{_sites}versions.json", "version_match": _folder},
        "check_switcher": False,  # the list is made after the pages
        "show_version_warning_banner": True,
        "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
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


def find_by_last_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.TextElement
) -> nodes.Element | None:
    """Find `Exact` in `calibrant.methods`: docstrings name what they mean without its module."""
    domain, target = env.domains.python_domain, node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target:
        return None
    ending = f".{target}"
    found = [
        name
        for name, entry in domain.objects.items()
        if name.endswith(ending)
        and "._" not in name
        and ("." in target or entry.objtype in ("class", "function"))
    ]
    if len(found) != 1:
        return None
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", found[0], node, contnode)


def name_what_to_install(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write what ``pip install`` takes in place of ``@calibrant@``."""
    source[0] = source[0].replace("@calibrant@", "calibrant" if PUBLISHED else "./calibrant")


def setup(app: Sphinx) -> None:
    """Register the transform, the directives and the search for names."""
    app.connect("source-read", name_what_to_install)
    app.add_transform(AbsoluteValues)
    app.add_directive("measures", MeasureTable)
    app.add_directive("picture", Picture)
    app.connect("missing-reference", find_by_last_name)
