"""Small documents that could take much memory or time, as programs that fail if they do."""

import gzip
import json
import struct
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.adversary.faults import command, fault
from tests.adversary.process import GIGABYTE, peak, run

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


@fault("A21", "a limit of memory ends a command with 1, or it waits forever")
def _(folder):
    (folder / "a.csv").write_text("label,p_a,p_b\n" + "a,0.75,0.25\nb,0.5,0.5\n" * 50)
    gate = ("gate", folder / "a.csv", "--fail-if", "ece>0.99", "-q")
    for megabytes in (250, 450, 700, 1000):
        ended = run(*gate, address_space=megabytes << 20)
        assert ended.code == 4, ended
        assert b"not enough memory" in ended.stderr
        assert ended.seconds < 10
    assert run(*gate, address_space=GIGABYTE).code == 0
    assert run("--help", address_space=250 << 20).code == 0


@fault("A22", "every further column makes all others slower")
def _(folder):
    names = [f"x{number}" for number in range(20_000)]
    text = f"label,p_a,p_b,{','.join(names)}\n" + f"a,0.5,0.5{',1' * len(names)}\n" * 3
    (folder / "a.csv").write_text(text)
    row = {"label": "a", "p_a": 0.5, "p_b": 0.5} | dict.fromkeys(names, 1)
    (folder / "a.json").write_text(json.dumps([row] * 3))
    pq.write_table(pa.Table.from_pylist([row] * 3), folder / "a.parquet")
    for name in ("a.csv", "a.json", "a.parquet"):
        start = time.process_time()
        assert command("check", folder / name).exit_code == 0
        assert time.process_time() - start < 20, name


@fault("A23", "a page of a million classes takes gigabytes")
def _(folder):
    m = 1_000_000
    np.savez(folder / "a.npz", y_true=np.arange(3), y_prob=np.full((3, m), 1 / m))
    assert peak(["check", str(folder / "a.npz")]) < GIGABYTE


@fault("A24", "few bytes of Parquet that say very many rows")
def _(folder):
    table = pa.table({"label": ["a", "b"] * 50, "p_a": [0.5] * 100, "p_b": [0.5] * 100})
    pq.write_table(table, folder / "a.parquet")
    data = (folder / "a.parquet").read_bytes()
    (length,) = struct.unpack("<I", data[-8:-4])
    body, footer = data[: -8 - length], data[-8 - length : -8]
    for rows in (2 * 10**8, 10**15, 2**62):
        forged = footer.replace(_varint(100), _varint(rows))
        end = struct.pack("<I", len(forged)) + b"PAR1"
        (folder / "b.parquet").write_bytes(body + forged + end)
        found = command("check", folder / "b.parquet")
        assert found.exit_code == 3, found.output
    equal = pa.table({"label": np.zeros(1 << 20, "i1"), "p_0": np.ones(1 << 20, "f4")})
    with pq.ParquetWriter(folder / "c.parquet", equal.schema) as writer:
        for _ in range(20):
            writer.write_table(equal)
    found = command("check", folder / "c.parquet")
    assert found.exit_code == 3
    assert "100-fold" in found.output


def _varint(number):
    """Return a signed integer as the footer of Parquet writes it."""
    rest, out = 2 * number, b""
    while rest >= 128:
        out += bytes([rest & 127 | 128])
        rest >>= 7
    return out + bytes([rest])
