"""Imports go one way: what a module may import is fixed by its layer."""

import ast
from pathlib import Path

import pytest

import calibrant

ROOT = Path(calibrant.__file__).parent

#: from the top to the bottom; a part imports from its own layer or below
LAYERS = [
    {"__main__"},
    {"cli"},
    {"paper", "report"},
    {"plots"},
    {"_compare", "_where"},
    {"_calibration_test"},
    {"_cost"},
    {"_streamed_test"},
    {"_document", "_measures", "_result", "streaming"},
    {"effects"},
    {"methods"},
    {"testing", "torch"},
    {"estimators"},
    {"demo", "models", "io"},
    {"kernels"},
    {"_labelings", "_features"},
    {"binning", "_pairs", "_resampling"},
    {"_predictions", "_random"},
    {"_bundles"},
    {"_executors"},
    {"_blas", "_checkpoint", "_sharing", "_threads"},
    {"_duration", "_native", "_to_frame", "_typing", "_value_rules", "_version"},
]
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}


def modules():
    """Every module but the package itself, which shows what all parts hold."""
    return sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def part_of(path):
    """The folder or the file right below the package."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_parts(path):
    """The parts of calibrant that a module imports, anywhere in its text."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they go"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, *rest = name.split(".")
            if package == "calibrant" and rest:
                yield rest[0]


def edges():
    return {
        (part_of(path), part)
        for path in modules()
        for part in imported_parts(path)
        if part != part_of(path)
    }


def test_every_part_has_a_layer():
    assert {part_of(path) for path in modules()} <= set(RANK)


@pytest.mark.parametrize(("importer", "imported"), sorted(edges()))
def test_imports_go_down(importer, imported):
    assert imported in RANK, f"{importer} imports {imported}, which is no part of the package"
    assert RANK[importer] <= RANK[imported], f"{importer} must not import {imported}"


def test_no_two_parts_import_each_other():
    pairs = edges()
    assert not [(a, b) for a, b in pairs if (b, a) in pairs]


def test_the_engine_knows_neither_classes_nor_labels():
    below = {imported for importer, imported in edges() if importer == "_pairs"}
    assert below <= {"_bundles", "_executors", "_native", "_typing"}
