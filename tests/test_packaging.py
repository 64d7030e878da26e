"""Other packaging files agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import calibrant

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
RECIPE = (ROOT / "packaging" / "conda" / "meta.yaml").read_text("utf-8")


def requirements(section):
    lines = re.search(rf"^  {section}:\n((?:    - .*\n)+)", RECIPE, re.M).group(1).splitlines()
    return {line.removeprefix("    - ").replace(" ", "") for line in lines}


def conda_names(wanted):
    renamed = {"lazy_loader": "lazy-loader", "matplotlib": "matplotlib-base"}
    pairs = [re.fullmatch(r"([\w-]+)(>=.+)", entry).groups() for entry in wanted]
    return {renamed.get(name, name) + lowest for name, lowest in pairs}


def test_the_conda_recipe_needs_what_the_project_needs():
    project = PROJECT["project"]
    python = f"python{project['requires-python']}"
    assert requirements("run") == {python} | conda_names(project["dependencies"])
    build = conda_names(PROJECT["build-system"]["requires"])
    assert requirements("host") == {"python", "pip"} | build


def test_every_place_has_the_same_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {calibrant.__version__}\n" in citation
    assert f'version = "{calibrant.__version__}"' in RECIPE
