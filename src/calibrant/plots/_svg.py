"""Reproducible SVG of plots, ready to embed in a page."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from calibrant.plots._style import INK, STYLE, pristine

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from calibrant.plots._display import Drawing

_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}
_SETTINGS: Any = {"svg.hashsalt": "calibrant", "svg.fonttype": "none"}
_REFERENCE = re.compile(r"#([A-Za-z_][\w.-]*)")
_DECIMALS = re.compile(r"\d+\.\d{3,}")
#: the font shorthand of older matplotlib, which is not a valid attribute: size and family
_FONT = re.compile(r"([\d.]+px) (.+)$")
#: attributes that a mark may inherit from its group
_INHERITED = ("fill", "stroke", "clip-path")
#: attributes of matplotlib's style sheet, which elements inherit from the root
_ROOT = {"stroke-linejoin": "round", "stroke-linecap": "butt"}


class Picture(Protocol):
    """An object that `to_svg` accepts: a `Display`, or any drawing with a title and a description.

    Examples
    --------
    >>> import calibrant as cal
    >>> display = cal.plots.DetectableDisplay.from_predictions(*cal.models.M1(3).sample(50, rng=0))
    >>> picture: cal.plots.Picture = display
    >>> cal.plots.to_svg(picture).startswith("<svg")
    True
    """

    @property
    def title(self) -> str:
        """The title, in one line."""

    def describe(self) -> str:
        """Describe what is shown."""

    def readings(self) -> dict[str, list[str]]:
        """Return descriptions of single marks, by the name of their artist."""

    def plot(self) -> Drawing:
        """Draw the plot."""


def to_svg(display: Picture, *, prefix: str | None = None, inherit_colors: bool = False) -> str:
    """Return a display as one ``<svg>`` element, with the same bytes for the same plot.

    The element has real text, and a title and description for screen readers; single marks also
    have titles, which browsers show on hover. It has no ``style`` attribute or element, no script
    and no external reference, so it is compatible with a strict content security policy. Parts of
    the plot have the names of ``Drawing.artists`` in ``data-part``.

    Parameters
    ----------
    display : Display
        The display.
    prefix : str, optional
        Prefix of every id, so that a page can contain several plots; by default derived from the
        plot.
    inherit_colors : bool, default False
        Omit the background and draw text and axes in ``currentColor``, for dark pages.

    Returns
    -------
    str

    Examples
    --------
    >>> from calibrant.plots import ReliabilityDisplay, to_svg
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1], [0.2, 0.6, 0.9], rng=0)
    >>> to_svg(display) == to_svg(display), "style=" in to_svg(display)
    (True, False)
    """
    with pristine(**STYLE, **_SETTINGS):
        drawing = display.plot()
        raw = _saved(drawing.figure, transparent=inherit_colors)
    root = ElementTree.fromstring(raw)
    _without_namespaces(root)
    _without_styles(root)
    name = prefix or "c" + hashlib.sha256(raw.encode()).hexdigest()[:8]
    _rename(root, name, drawing.artists)
    _label_marks(root, display.readings())
    _without_idle_groups(root)
    _without_repetition(root)
    _describe(root, name, display)
    text = ElementTree.tostring(root, encoding="unicode")
    return text.replace(f'"{INK}"', '"currentColor"') if inherit_colors else text


def figure_svg(figure: Figure) -> str:
    """Return a figure as matplotlib's SVG, with the same bytes for the same figure."""
    from matplotlib import rc_context

    with rc_context(_SETTINGS):
        return _saved(figure, transparent=False)


def _saved(figure: Figure, *, transparent: bool) -> str:
    buffer = io.StringIO()
    with warnings.catch_warnings():
        # the reader's fonts draw the text, so fonts of this machine may lack glyphs
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(buffer, format="svg", metadata=_METADATA, transparent=transparent)
    return buffer.getvalue()


def _without_namespaces(root: Element) -> None:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        for name in [name for name in element.attrib if name.startswith("{")]:
            element.set(name.rpartition("}")[2], element.attrib.pop(name))
        # remove matplotlib's invisible indents and line breaks
        element.tail = None
        if element.tag not in ("text", "tspan"):
            element.text = None
    root.set("xmlns", "http://www.w3.org/2000/svg")


def _without_styles(root: Element) -> None:
    """Convert styles to attributes, because a strict policy forbids styles."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("style", "metadata"):
                parent.remove(child)
        for rule in parent.attrib.pop("style", "").split(";"):
            name, _, value = (part.strip() for part in rule.partition(":"))
            if name == "font" and (match := _FONT.search(value)):
                parent.set("font-size", match[1])
                parent.set("font-family", match[2])
            elif name:
                parent.set(name, value)
    for name, value in _ROOT.items():
        root.set(name, value)


def _label_marks(root: Element, texts: dict[str, list[str]]) -> None:
    """Add titles to single marks."""
    for part, sentences in texts.items():
        groups = [e for e in root.iter() if e.get("data-part") == part]
        marks = [mark for group in groups for mark in group.iter("use")]
        for mark, sentence in zip(marks, sentences, strict=True):
            ElementTree.SubElement(mark, "title").text = sentence


def _without_idle_groups(root: Element) -> None:
    """Move the children of groups without attributes to the parent element."""
    for parent in list(root.iter())[::-1]:
        kept: list[Element] = []
        for child in parent:
            kept.extend(child if child.tag == "g" and not child.attrib else [child])
        parent[:] = kept


def _without_repetition(root: Element) -> None:
    """Move attributes that all marks of a group share to the group, and round coordinates."""
    families = [e.attrib.pop("font-family") for e in root.iter() if "font-family" in e.attrib]
    if families:
        root.set("font-family", families[0])
    for element in root.iter():
        if element.get("transform", "").startswith("rotate(-0 "):
            del element.attrib["transform"]
        for name in ("d", "x", "y", "width", "height", "points", "transform"):
            if name in element.attrib:
                numbers = _DECIMALS.sub(lambda m: f"{float(m[0]):.2f}", element.attrib[name])
                element.set(name, " ".join(numbers.split()))
        marks = [child for child in element if child.tag not in ("defs", "title", "desc")]
        if element is root or len(marks) < 2 or len({mark.tag for mark in marks}) > 1:
            continue
        shared = set.intersection(*(set(mark.attrib.items()) for mark in marks))
        for name, value in sorted(shared):
            if name.startswith(_INHERITED) and name not in element.attrib:
                element.set(name, value)
                for mark in marks:
                    del mark.attrib[name]


def _rename(root: Element, prefix: str, parts: Iterable[str]) -> None:
    """Keep referenced ids, with the prefix, and mark the named parts."""
    used = {
        found
        for element in root.iter()
        for name, value in element.attrib.items()
        if name == "href" or value.startswith("url(#")
        for found in _REFERENCE.findall(value)
    }
    named = set(parts)
    for element in root.iter():
        identity = element.attrib.pop("id", None)
        if identity in named:
            element.set("data-part", str(identity))
        for name, value in list(element.attrib.items()):
            if name == "href" or value.startswith("url(#"):
                element.set(name, _REFERENCE.sub(rf"#{prefix}-\1", value))
        if identity in used:
            element.set("id", f"{prefix}-{identity}")


def _describe(root: Element, prefix: str, display: Picture) -> None:
    for tag, text in (("desc", display.describe()), ("title", display.title)):
        element = ElementTree.Element(tag, id=f"{prefix}-{tag}")
        element.text = text
        root.insert(0, element)
    root.set("role", "img")
    root.set("aria-labelledby", f"{prefix}-title")
    root.set("aria-describedby", f"{prefix}-desc")
