"""The list of versions that the switcher of the documentation reads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "tools" / "list_versions.py"


@pytest.mark.parametrize(
    ("folders", "listed", "stable"),
    [
        (["dev", "v0.9.0", "v0.10.0"], ["v0.10.0", "v0.9.0", "dev"], "v0.10.0"),
        (["dev"], ["dev"], None),
    ],
)
def test_versions_are_listed_with_the_latest_release_first(tmp_path, folders, listed, stable):
    for folder in folders:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.html").write_text("")
    (tmp_path / "pictures").mkdir()
    subprocess.run([sys.executable, SCRIPT, tmp_path, "--base", "/calibrant/"], check=True)
    found = json.loads((tmp_path / "versions.json").read_text())
    assert [one["version"] for one in found] == listed
    assert [one["url"] for one in found] == [f"/calibrant/{name}/" for name in listed]
    assert [one["version"] for one in found if one["preferred"]] == ([stable] if stable else [])
    assert f"url={listed[0]}/" in (tmp_path / "index.html").read_text()
