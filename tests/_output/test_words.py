"""Numbers in words: the same in pictures, tables, pages and on a terminal."""

import ast
import math
from pathlib import Path

import pytest

import calibrant
from calibrant._output import counted, estimate_text, number, one_line, percent, range_text

ROOT = Path(calibrant.__file__).parent
NAN = math.nan


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.12345, "0.123"),
        (-0.12345, "−0.123"),
        (12345.6, "12300"),
        (-12345.6, "−12300"),
        (1.5e20, "1.5e+20"),
        (0.00001234, "1.23e-05"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (NAN, "–"),
        (None, "–"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_digits_can_be_asked_for():
    assert number(0.123456, 4) == "0.1235"
    assert estimate_text(1.23456, 1.0, 2.34567, 4) == "1.235 [1, 2.346]"
    assert range_text(0.123456, 1.0, 4) == "0.1235 to 1"


def test_what_is_not_known_is_a_dash_or_left_out():
    assert range_text(NAN, NAN) == range_text(None, None) == "–"
    assert estimate_text(0.5, NAN, NAN) == "0.5"


def test_shares_and_counts():
    assert [percent(0.5), percent(0.999), percent(1.0)] == ["50 %", "99.9 %", "100 %"]
    assert [counted(0, "row"), counted(1, "class"), counted(2, "class")] == [
        "0 rows",
        "1 class",
        "2 classes",
    ]


PARSERS = {"split", "splitlines", "partition", "rpartition", "replace", "removeprefix", "index"}
PARSERS |= {"removesuffix", "rstrip", "strip", "find", "startswith", "endswith"}
OWN = {"summary", "describe", "verdict", "highlights", "notes", "description", "text"}


def own_words(node):
    """Whether an expression is what a result, a display or an error says."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
        [of] = node.args or [None]
        return isinstance(of, ast.Name) and of.id == "error"
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and own_words(node.func)
    if isinstance(node, ast.Subscript):
        key = node.slice
        return own_words(node.value) or (isinstance(key, ast.Constant) and key.value in OWN)
    return isinstance(node, ast.Attribute) and node.attr in OWN - {"text"}


def parses(node):
    """Whether a call takes such words apart, by a method of str or a regular expression."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
        return any(map(own_words, node.args))
    return node.func.attr in PARSERS and own_words(node.func.value)


@pytest.mark.parametrize(
    "code",
    [
        "result.summary().splitlines()[0]",
        "result.verdict.rstrip('.')",
        "str(error).partition(':')",
        "figure['description'].split(';')",
        "display.describe().replace('a', 'b')",
        "re.search('row', str(error))",
    ],
)
def test_parsing_of_our_own_words_is_found(code):
    assert any(map(parses, ast.walk(ast.parse(code))))


#: foreign errors that are shortened to their first line
FOREIGN = {"io/_errors.py"}


def test_nothing_parses_our_own_words():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in ROOT.rglob("*.py")
        if str(path.relative_to(ROOT)) not in FOREIGN
        for node in ast.walk(ast.parse(path.read_text()))
        if parses(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cat", "cat"),
        ("naïve – 90 %", "naïve – 90 %"),
        ("a\u00a0b\u3000c", "a b c"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[2J\x9b", r"\x1b[2J\x9b"),
        ("\u202etxt", r"\u202etxt"),
        ("\ud800", r"\ud800"),
        ("::error::x", r"\x3a:error::x"),
        ("  ::error::x", r"  \x3a:error::x"),
        ("std::vector", "std::vector"),
        ("a ##[group]", r"a #\x23[group]"),
    ],
)
def test_text_from_data_is_printed_on_one_line_without_commands(text, shown):
    assert one_line(text) == shown
