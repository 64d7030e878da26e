"""Imports go one way: parts of the package sit in layers, and show each other only their faces."""

import ast
import subprocess
import sys

import pytest
from tools.layers import LAYERS, PICTURE, ROOT, draw, edges, imports, modules, part_of

RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}


def parts():
    return {part_of(path) for path in modules()}


def test_the_picture_in_the_docs_is_current():
    assert PICTURE.read_text("utf-8") == draw(), "run python tools/layers.py"


@pytest.mark.slow
def test_an_outdated_picture_is_noticed(tmp_path):
    code = (
        "import sys; sys.argv.append('--check')\n"
        "from pathlib import Path\n"
        "from tools import layers\n"
        f"layers.PICTURE = Path({str(tmp_path / 'old.svg')!r})\n"
        "layers.PICTURE.write_text('old')\n"
        "sys.exit(layers.main())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT.parents[1], check=False)
    assert done.returncode == 1


def test_imports_are_absolute():
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            assert not (isinstance(node, ast.ImportFrom) and node.level), path


def test_every_part_has_a_layer():
    assert parts() == set(RANK)


def test_a_newcomer_can_hold_the_list_in_mind():
    # parts are what stands right below the package; its `__init__`, which only lists public names,
    # is the package itself, and `__main__` the command line under another name
    assert len(LAYERS) <= 10
    assert len(parts() - {"__main__"}) <= 25


@pytest.mark.parametrize(("importer", "imported"), sorted(edges()))
def test_imports_go_down(importer, imported):
    assert imported in RANK, f"{importer} imports {imported}, which is not a part of the package"
    assert RANK[importer] <= RANK[imported], f"{importer} must not import {imported}"


def test_no_two_parts_import_each_other():
    pairs = edges()
    assert not [(a, b) for a, b in pairs if (b, a) in pairs]


def test_parts_show_each_other_only_their_faces():
    hidden = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules()
        for name in imports(path)
        if name.split(".")[1] != part_of(path)
        and any(word[0] == "_" != word[1] for word in name.split(".")[2:])
    ]
    assert hidden == []


@pytest.mark.slow
def test_modules_do_not_import_each_other_in_a_circle():
    graph = {_module(path): set(_loaded(path)) for path in modules()}
    assert _circle(graph) is None


def test_the_engine_knows_neither_kernels_nor_estimators():
    below = {imported for importer, imported in edges() if importer == "_engine"}
    assert below <= {"_execution", "_native", "_predictions"}


def _module(path):
    words = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(words[:-1] if words[-1] == "__init__" else words)


def _loaded(path):
    """The modules that the top level of a module loads, itself and its packages left out."""
    known = {_module(other) for other in modules()}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("calibrant."):
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & known
            yield from inside or {node.module}


def _circle(graph):
    """One circle of modules, or None."""
    done, trail = set(), []

    def visit(module):
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module in done or module not in graph:
            return None
        trail.append(module)
        found = next(filter(None, map(visit, sorted(graph[module]))), None)
        trail.pop()
        done.add(module)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)
