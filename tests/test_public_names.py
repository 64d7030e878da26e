"""The public names: exported, in order, documented with an example."""

import dataclasses
import doctest
import inspect
import pickle
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from typing import get_args, get_type_hints

import pytest

import calibrant

MODULES = [
    "binning",
    "demo",
    "effects",
    "errors",
    "estimators",
    "io",
    "kernels",
    "methods",
    "models",
    "plots",
    "recalibration",
    "report",
    "streaming",
    "testing",
] + ["torch"] * bool(find_spec("torch"))
NAMESPACES = [calibrant, *(import_module(f"calibrant.{name}") for name in MODULES)]
OBJECTS = {
    f"{space.__name__}.{name}": getattr(space, name)
    for space in NAMESPACES
    for name in space.__all__
    if callable(getattr(space, name))
}
CLASSES = {name: thing for name, thing in OBJECTS.items() if inspect.isclass(thing)}
FUNCTIONS = {name: thing for name, thing in OBJECTS.items() if name not in CLASSES}
#: types of signatures that no user makes: parts of a text or picture, what functions fill in
PRIVATE = {"Checkpoint", "Columns", "ReadOptions", "ReportOptions", "Section", "Square",
           "WitnessSource"}  # fmt: skip
#: what only type checkers import
HEAVY = dict.fromkeys(("Axes", "Executor", "Figure", "Tensor"), object)
each_class = pytest.mark.parametrize("thing", CLASSES.values(), ids=CLASSES)
each_function = pytest.mark.parametrize("thing", FUNCTIONS.values(), ids=FUNCTIONS)
each_object = pytest.mark.parametrize("thing", OBJECTS.values(), ids=OBJECTS)
each_space = pytest.mark.parametrize("space", NAMESPACES, ids=lambda space: space.__name__)


def rank(name):
    """Abbreviations, then classes, then functions and modules; each in order (ruff's RUF022)."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2


@each_space
def test_names_are_there_and_in_order(space):
    if space is not calibrant:  # whose names lazy_loader puts in order
        assert space.__all__ == sorted(space.__all__, key=lambda name: (rank(name), name))
    assert len(set(space.__all__)) == len(space.__all__)
    assert all(hasattr(space, name) for name in space.__all__)


@each_space
def test_completion_lists_public_names_only(space):
    if space.__name__ not in ("calibrant", "calibrant.report"):  # lazy; reached as `Report`
        assert [name for name in dir(space) if name not in space.__all__] == []
    assert set(space.__all__) <= set(dir(space))


@pytest.mark.slow
def test_every_documented_namespace_is_there_from_the_start():
    shown = [name for name in MODULES if name != "report"]
    code = f"import calibrant\nfor name in {shown}:\n    getattr(calibrant, name).__all__"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_dir_shows_nothing_but_public_names():
    assert set(dir(calibrant)) == {*calibrant.__all__, "torch"}


@pytest.mark.parametrize("name", OBJECTS)
def test_things_say_their_public_path(name):
    thing, short = OBJECTS[name], name.rpartition(".")[2]
    top = short in calibrant.__all__
    home = "calibrant.errors" if short == "InputError" else name.rpartition(".")[0]
    assert thing.__module__ == ("calibrant" if top else home)


@each_class
def test_classes_are_pickled_by_their_public_path(thing):
    assert pickle.loads(pickle.dumps(thing)) is thing


@each_space
def test_namespaces_say_what_they_are_for(space):
    assert space.__doc__
    assert space.__doc__.strip().splitlines()[0].endswith(".")


@each_object
def test_docstring_begins_with_a_sentence_and_has_an_example(thing):
    doc = inspect.getdoc(thing)
    assert doc.split("\n\n")[0].rstrip().endswith(".")
    assert "\nExamples\n--------\n" in doc
    assert ">>> " in doc.split("\nExamples\n--------\n")[1]


@pytest.mark.slow
@each_class
def test_examples_of_classes_run(thing):
    # pytest looks for the examples of a class in the file its `__module__` names
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for test in doctest.DocTestFinder(exclude_empty=True).find(thing, thing.__name__, module=False):
        assert runner.run(test).failed == 0, test.name


@each_function
def test_functions_say_what_they_take_and_return(thing):
    doc, names = inspect.getdoc(thing), inspect.signature(thing).parameters
    assert [name for name in names if name not in doc] == []
    if names:
        assert "\nParameters\n----------\n" in doc
        assert "\nReturns\n-------\n" in doc or "\nRaises\n------\n" in doc


@each_class
def test_classes_describe_their_fields_and_methods(thing):
    fields = dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ()
    doc = inspect.getdoc(thing)
    assert [field.name for field in fields if field.init and field.name not in doc] == []
    for name, method in inspect.getmembers(thing, inspect.isroutine):
        ours = str(getattr(method, "__module__", "")).startswith("calibrant")
        assert name.startswith("_") or not ours or inspect.getdoc(method), name


def types_within(hint):
    """Yield the classes that a type hint is made of."""
    if inspect.isclass(hint):
        yield hint
    for part in get_args(hint):
        yield from types_within(part)


def signatures(thing):
    """Yield the type hints of a function, or of the public methods and fields of a class."""
    members = [thing] if inspect.isfunction(thing) else []
    for name, member in inspect.getmembers_static(thing):
        if not name.startswith("_") or name in ("__call__", "__init__"):
            members.append(getattr(member, "fget", getattr(member, "__func__", member)))
    public = {name.rpartition(".")[2]: thing for name, thing in OBJECTS.items()}
    for function in filter(inspect.isfunction, members):
        known = HEAVY | public | inspect.unwrap(function).__globals__
        yield from get_type_hints(function, known).values()


@pytest.mark.parametrize("name", OBJECTS)
def test_signatures_name_public_types(name):
    known = {id(thing) for thing in OBJECTS.values()}
    private = {
        found.__name__
        for hint in signatures(OBJECTS[name])
        for found in types_within(hint)
        if found.__module__.startswith("calibrant") and id(found) not in known
    }
    assert private <= PRIVATE


def test_nothing_would_be_collected_by_pytest():
    assert not [name for name in OBJECTS if name.rpartition(".")[2].lower().startswith("test")]


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="calibrant attribute scke"):
        calibrant.scke  # noqa: B018


def test_heavy_namespaces_are_loaded_when_asked_for():
    code = (
        "import sys, calibrant\n"
        "assert 'calibrant.models' not in sys.modules\n"
        "assert 'models' in dir(calibrant)\n"
        "assert calibrant.models is sys.modules['calibrant.models']"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
