"""Long lines fit a terminal, and stay what they were otherwise."""

import pytest

from calibrant.cli._wrap import wrapped

PAGE = """A headline that says something about the data in quite a few words.

  ece          0.0901; a calibrated model would show 0.0511 here
  rmsce        0.0738 [0, 0.125]  typical distance of confidence and accuracy
name     rows  predicted  observed  share      p  direction
benign    400      0.302     0.333   56 %  0.001  over-confident against the rest"""


def test_short_lines_stay_as_they_are():
    assert wrapped(PAGE, 100) == PAGE


@pytest.mark.parametrize("width", [40, 60, 70])
def test_no_line_is_longer_than_the_terminal_and_no_word_is_lost(width):
    found = wrapped(PAGE, width)
    assert max(map(len, found.splitlines())) <= width
    assert found.split() == PAGE.split()


def test_lines_go_on_in_their_column():
    assert wrapped("  ece          0.0901; a calibrated model would show 0.0511", 40) == (
        "  ece          0.0901; a calibrated\n               model would show 0.0511"
    )


def test_rows_of_a_table_go_on_below_their_first_cell():
    row = PAGE.splitlines()[-1]
    assert wrapped(row, 70).splitlines()[1] == "    against the rest"


def test_sentences_go_on_with_an_indent():
    assert wrapped("  one finding, told in words", 20) == "  one finding, told\n      in words"


def test_a_word_longer_than_the_terminal_is_not_cut():
    assert "x" * 50 in wrapped("a " + "x" * 50, 40)
