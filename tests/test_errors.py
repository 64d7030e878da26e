"""One tree of exceptions; messages are built from fields, and only the command line has options."""

import ast
import inspect
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import calibrant
import calibrant as cal
from calibrant import errors
from calibrant.cli._main import COMMANDS, cli
from calibrant.cli._remedies import OPTIONS, message_of, spell
from calibrant.errors import Argument, DataError, InputError, Problem
from calibrant.io import read_predictions, write_predictions
from calibrant.paper import check_free

ROOT = Path(calibrant.__file__).parent
P = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]


def predictions(y_true=(0, 1, 2), y_prob=P, **options):
    return cal.Predictions(list(y_true), y_prob, **options)


def probabilities(table):
    return lambda folder: predictions(y_prob=table)


def labels(*values, **options):
    return lambda folder: predictions(values, **options)


def file(text, **options):
    def read(folder):
        path = folder / "x.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        read_predictions(str(path), **options)

    return read


def without_pyarrow(folder):
    path = str(folder / "x.parquet")
    write_predictions(path, predictions())
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pyarrow", None)
        read_predictions(path)


def occupied(folder):
    (folder / "x").touch()
    check_free(folder)


def other_rows(folder):
    return cal.compare({"a": predictions(), "b": predictions([0, 1, 1])})


#: for every problem, data that have it
CASES = {
    Problem.NOT_AN_ARRAY: probabilities(None),
    Problem.SHAPE: probabilities([P]),
    Problem.EMPTY: probabilities([]),
    Problem.TOO_FEW_ROWS: lambda folder: cal.SKCE()([1], [0.5]),
    Problem.CLUSTERS: lambda folder: cal.Predictions([0, 1], [0.5, 0.5], clusters=[7, 7]),
    Problem.LENGTHS: labels(0, 1),
    Problem.OTHER_ROWS: other_rows,
    Problem.TRANSPOSED: lambda folder: predictions([0, 1], np.array(P)[:, :2]),
    Problem.SWAPPED: lambda folder: predictions([0.5, 0.25], [0, 1]),
    Problem.REPEATED: lambda folder: cal.SKCE()(predictions(), normalize=True),
    Problem.MISSING: labels(0, None, 2),
    Problem.NOT_NUMBERS: probabilities([["a", "b", "c"]] * 3),
    Problem.NOT_FINITE: probabilities([P[0], P[1], [0.5, 0.5, np.nan]]),
    Problem.RANGE: labels(0, 1, 2, sample_weight=[1, -1, 1]),
    Problem.ROUNDING: probabilities([P[0], P[1], [-1e-9, 0.5, 0.5]]),
    Problem.LOG_PROBABILITIES: probabilities(np.log(P)),
    Problem.PERCENTAGES: probabilities(100 * np.array(P)),
    Problem.GRADES: lambda folder: predictions([0, 1, 1], [0.0, 7.0, 10.0]),
    Problem.SCORES: probabilities(10 * np.array(P)),
    Problem.LOGITS: probabilities(10 * np.array(P) - 5),
    Problem.ROW_SUMS: probabilities(0.5 * np.array(P)),
    Problem.FRACTIONS: labels(0, 0.5, 2),
    Problem.SOFT: lambda folder: cal.calibration_test(
        cal.Predictions.from_soft_labels([0.5, 0.25], [0.5, 0.3])
    ),
    Problem.ONE_HOT: lambda folder: predictions(P),
    Problem.ONE_BASED: labels(1, 2, 3),
    Problem.LABEL_RANGE: labels(0, 1, 7),
    Problem.UNKNOWN_LABEL: labels("a", "b", "x", classes=["a", "b", "c"]),
    Problem.UNCERTAIN_LABELS: labels(1, 2, 1, classes=["1", "2", "x"]),
    Problem.UNCERTAIN_START: lambda folder: predictions([1, 2] * 40, np.array([P[0], P[1]] * 40)),
    Problem.TOO_MANY_LABELS: lambda folder: predictions([0, 1, 2], [0.5, 0.5, 0.5]),
    Problem.POSITIVE_CLASS: lambda folder: predictions(["no", "yes"], [0.5, 0.5]),
    Problem.CLASSES: labels(0, 1, 2, classes=[0, 1, 1]),
    Problem.LENS: lambda folder: predictions().top_k(3),
    Problem.NO_FILE: lambda folder: read_predictions(str(folder / "nowhere.csv")),
    Problem.FORMAT: file(pickle.dumps({})),
    Problem.BROKEN: file(b"PAR1"),
    Problem.DEPENDENCY: without_pyarrow,
    Problem.TEXT: file("label,p_0,p_1\n0,0.5\n"),
    Problem.HEADER: file("label,p,p\n0,0.5,0.5\n"),
    Problem.COLUMNS: file("label,target,p\n0,0,0.5\n"),
    Problem.IDENTIFIERS: file("label,p\n0,0.5\n0,0.5\n", id="label", labels="x.csv"),
    Problem.OCCUPIED: occupied,
}


def drawn_tree():
    """Return the parent of every name in the drawing of the docstring."""
    parents, above = {}, {}
    for line in errors.__doc__.splitlines():
        found = re.match(r"    (?P<lead>[ │├└─]*)(?P<name>[A-Z]\w+)", line)
        if found:
            depth = len(found["lead"]) // 4
            above[depth] = found["name"]
            parents[found["name"]] = above.get(depth - 1)
    return parents


def test_the_tree_is_drawn_as_it_is():
    drawn = drawn_tree()
    defined = {
        name
        for name, thing in vars(errors).items()
        if inspect.isclass(thing) and issubclass(thing, Exception)
    }
    assert {name for name, parent in drawn.items() if parent} == defined
    for name in defined:
        assert getattr(errors, name).__bases__[0].__name__ == drawn[name]


@pytest.mark.parametrize("problem", Problem)
def test_every_problem_has_data_that_have_it(problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as caught:
        CASES[problem](tmp_path)
    assert caught.value.problem is problem
    text = str(caught.value)
    assert text.endswith(".")
    assert ".." not in text.replace("...", "")
    assert str(pickle.loads(pickle.dumps(caught.value))) == text


def test_fields_say_what_the_message_says():
    with pytest.raises(DataError) as caught:
        predictions(y_prob=[P[0], [0.25, 1.5, 0.25], [2.0, 0.25, 0.5]])
    error = caught.value
    assert (error.argument, error.row, error.column, error.count) == ("y_prob", 1, 1, 2)
    assert error.value == 1.5
    assert "got 2 values outside, the first (1.5) at row 1, column 1. " in str(error)


def test_a_file_has_its_own_words(tmp_path):
    with pytest.raises(InputError) as caught:
        file("label,p_a,p_b\na,0.5,0.5\nb,50,50\n")(tmp_path)
    error = caught.value
    assert (error.source, error.row, error.column) == (str(tmp_path / "x.csv"), 1, "p_a")
    assert "the probabilities must be in [0, 1]; got 2 values outside" in str(error)
    assert "at row 1 (the 2nd row of data), column 'p_a'" in str(error)
    assert "`normalize=True`" in str(error)
    assert "--normalize" in message_of(error)
    with pytest.raises(InputError) as caught:
        file("label,p_a,p_b\na,0.5,x\n")(tmp_path)
    assert (caught.value.line, caught.value.column, caught.value.value) == (2, "p_b", "x")


@pytest.mark.parametrize(
    ("argument", "python", "option"),
    [
        (Argument("normalize", True), "`normalize=True`", "--normalize"),
        (Argument("prob", "a,b"), "`prob='a,b'`", "--prob 'a,b'"),
        (Argument("prob", "a'b"), '`prob="a\'b"`', "--prob 'a'\"'\"'b'"),
        (Argument("delimiter", "\t"), "`delimiter='\\t'`", "--delimiter 'tab'"),
        (Argument("groups"), "`groups`", "--group"),
        (Argument("y_prob"), "`y_prob`", "`y_prob`"),
    ],
)
def test_arguments_are_options_on_the_command_line(argument, python, option):
    assert str(argument) == python
    assert spell(argument) == option


def test_every_option_of_the_table_exists():
    commands = [cli.get_command(None, name) for name in COMMANDS]
    commands += [sub for group in commands for sub in getattr(group, "commands", {}).values()]
    known = {opt for command in commands for param in command.params for opt in param.opts}
    assert {option.split()[0] for option in OPTIONS.values()} <= known


def texts(path):
    """Yield the string constants of a module that are not docstrings."""
    tree = ast.parse(path.read_text())
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def test_only_the_command_line_names_options():
    modules = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "cli"]
    named = [(path.name, text) for path in modules for text in texts(path)]
    assert len(named) > 1000
    assert [pair for pair in named if re.search(r"(?<![-\w])--[a-z]", pair[1])] == []
