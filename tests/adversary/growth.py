"""Small documents that would take much memory or time, as programs that fail where they do."""

import gzip
import json

from tests.adversary.faults import command, fault
from tests.adversary.process import GIGABYTE, peak

CELL = {"label": 0, "p_0": 0.5, "p_1": 0.5}


@fault("A19", "compressed JSON that grows without end")
def _(folder):
    start, more = (gzip.compress(data) for data in (b'[{"label":"x', b"x" * (1 << 26)))
    (folder / "a.json.gz").write_bytes(start + more * 20)
    found = command("check", folder / "a.json.gz")
    assert found.exit_code == 3
    assert "grow" in found.output
    assert peak(["check", str(folder / "a.json.gz")]) < GIGABYTE


@fault("A20", "objects of which every one has keys of its own")
def _(folder):
    rows = [CELL | {f"key {number}": 1} for number in range(20_000)]
    (folder / "a.json").write_text(json.dumps(rows))
    found = command("check", folder / "a.json")
    assert found.exit_code == 3
    assert "the same keys" in found.output
