"""Tables and sections as text: aligned, wrapped for a terminal, escaped for a notebook."""

import re

import pytest

from calibrant._output import Section, Table, facts, join_sections, wrap_lines

FACTS = facts(
    [
        ("ece", "0.0901; a calibrated model would show 0.0511 here"),
        ("rmsce", "0.0738 [0, 0.125], typical distance of confidence and accuracy"),
    ]
)
TABLE = Table(
    (("benign", "400", "0.302", "0.333", "56 %", "over-confident against the rest"),),
    ("name", "rows", "predicted", "observed", "share", "direction"),
    frozenset(range(1, 5)),
)
SECTIONS = (
    Section(sentences=("a sentence about the data in quite a few words, to be wrapped",)),
    Section(table=FACTS),
    Section("Heading:", table=TABLE),
)


def test_columns_are_as_wide_as_their_widest_cell_and_numbers_end_in_line():
    table = Table((("a", "1"), ("long", "22")), ("x", "rows"), frozenset({1}), indent="  ")
    assert table.lines() == ["  x     rows", "  a        1", "  long    22"]


def test_facts_have_no_header():
    assert FACTS.lines()[0] == "  ece    0.0901; a calibrated model would show 0.0511 here"


def test_rows_that_are_left_out_are_counted():
    table = Table(tuple((str(k),) for k in range(9)), ("k",))
    assert table.cut(9) is table
    assert table.cut(2).lines() == ["k", "0", "1", "… and 7 more"]
    assert "… and 7 more" in table.cut(2).html()


def test_sections_are_apart_but_sentences_follow_the_verdict():
    text = join_sections((Section(sentences=("one",)), Section("Two:", ("three",))))
    assert text == "\n  one\n\nTwo:\n  three"
    assert join_sections((Section("Two:", ("three",)),)) == "\n\nTwo:\n  three"
    assert join_sections(()) == ""


@pytest.mark.parametrize("width", [40, 60, 70])
def test_no_line_is_longer_than_the_terminal_and_no_word_is_lost(width):
    text = join_sections(SECTIONS, width)
    assert max(map(len, text.splitlines())) <= width
    assert text.split() == join_sections(SECTIONS).split()


def test_facts_go_on_in_their_column():
    assert FACTS.lines(40)[:2] == [
        "  ece    0.0901; a calibrated model",
        "         would show 0.0511 here",
    ]


def test_rows_of_a_table_go_on_below_their_first_cell():
    assert TABLE.lines(60)[-1] == "    against the rest"


def test_sentences_go_on_with_an_indent():
    section = Section(sentences=("one finding, told in words",))
    assert section.lines(20) == ["  one finding, told", "      in words"]


def test_a_word_longer_than_the_terminal_is_not_cut():
    assert wrap_lines(["a " + "x" * 50], 40) == ["a", "    " + "x" * 50]


def test_names_of_facts_and_headings_are_painted():
    painted = join_sections(SECTIONS, 200, "<{}>".format, "[{}]".format)
    assert "\n  <ece>    0.0901" in painted
    assert "\n[Heading:]\nname " in painted  # only facts have names


def test_html_is_escaped():
    html = Section("<a>", ("<b>",), Table((("<c>",),), ("<d>",))).html()
    assert re.sub(' style="[^"]*"', "", html) == (
        "<p>&lt;a&gt;</p><ul><li>&lt;b&gt;</li></ul><table><thead><tr><th>&lt;d&gt;</th></tr>"
        "</thead><tbody><tr><td>&lt;c&gt;</td></tr></tbody></table>"
    )


def test_numbers_end_in_line_in_a_notebook():
    html = Table((("cat", "9"),), ("class", "rows"), frozenset({1})).html()
    assert re.search('text-align:left">cat<.*text-align:right">9<', html)
