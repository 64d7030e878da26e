"""Plots as SVG: reproducible, strict, readable, and safe next to others."""

import re
from xml.etree import ElementTree

import matplotlib
import pytest

from calibrant import plots
from calibrant.plots._style import INK

from .conftest import DISPLAYS, svg_of

NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.slow
def test_the_same_picture_has_the_same_bytes_whatever_the_settings_of_the_user(display, svg):
    mine = {"font.size": 40, "svg.fonttype": "path", "svg.hashsalt": "other", "legend.shadow": True}
    with matplotlib.rc_context({**mine, "xtick.direction": "in", "lines.dashed_pattern": [9, 9]}):
        assert plots.to_svg(display) == svg


def test_the_picture_is_one_strict_element(svg):
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{NAMESPACE}svg"
    for element in root.iter():
        assert element.tag not in {f"{NAMESPACE}{tag}" for tag in ("style", "script", "metadata")}
        for name, value in element.attrib.items():
            assert name != "style"
            assert not name.startswith("on")
            assert not value.startswith(("http", "data:", "javascript"))
            assert "url(" not in value or value.startswith("url(#")
    assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\d{4}-\d\d-\d\dT", svg)


@pytest.mark.slow
def test_what_is_referred_to_is_there_once(display):
    root = ElementTree.fromstring(plots.to_svg(display, prefix="left"))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(set(ids)) == len(ids)
    assert all(name.startswith("left-") for name in ids)
    values = [value for e in root.iter() for value in e.attrib.values()]
    used = {found for value in values for found in re.findall(r"#(left-[\w-]+)", value)}
    named = {root.get("aria-labelledby"), root.get("aria-describedby")}
    assert used | named == set(ids)


def test_pictures_can_stand_in_one_page():
    ids = [identity for name in DISPLAYS for identity in re.findall(r' id="([^"]+)"', svg_of(name))]
    assert len(set(ids)) == len(ids)


def test_title_and_description_are_first(display, svg):
    root = ElementTree.fromstring(svg)
    assert [child.tag for child in root][:2] == [f"{NAMESPACE}title", f"{NAMESPACE}desc"]
    assert [child.text for child in root][:2] == [display.title, display.describe()]
    assert root.get("role") == "img"


def test_text_stays_text(display, svg):
    root = ElementTree.fromstring(svg)
    words = " ".join(e.text or "" for e in root.iter(f"{NAMESPACE}text"))
    assert display.title.split()[0] in words


def test_named_parts_can_be_found(display, svg):
    root = ElementTree.fromstring(svg)
    parts = {e.get("data-part") for e in root.iter() if e.get("data-part")}
    assert parts == set(display.plot().artists)


@pytest.mark.slow
def test_a_dark_page_gives_its_own_color_to_text(display):
    svg = plots.to_svg(display, inherit_colors=True)
    assert INK not in svg
    assert "currentColor" in svg
    root = ElementTree.fromstring(svg)
    size = root.get("viewBox").split()[2:]
    background = [
        path
        for path in root.iter(f"{NAMESPACE}path")
        if f"L {size[0]} {size[1]}" in path.get("d") and path.get("fill") == "#ffffff"
        and float(path.get("fill-opacity", 1)) * float(path.get("opacity", 1)) > 0
    ]  # fmt: skip
    assert not background


def test_pictures_are_small(name, svg):
    limit = {"class-wise": 60_000, "simplex": 60_000}.get(name, 30_000)
    assert len(svg) < limit


def test_marks_carry_what_they_say(display, svg):
    root = ElementTree.fromstring(svg)
    for part, sentences in display.readings().items():
        groups = [e for e in root.iter() if e.get("data-part") == part]
        marks = [mark for group in groups for mark in group.iter(f"{NAMESPACE}use")]
        assert [mark.findtext(f"{NAMESPACE}title") for mark in marks] == sentences


def test_bins_say_what_the_table_says():
    display = DISPLAYS["reliability"]
    sentences = [text for texts in display.readings().values() for text in texts]
    table = display.table()
    assert len(sentences) == len(table["count"])
    rows = sorted(int(text.split()[0]) for text in sentences)
    assert rows == sorted(table["count"])
