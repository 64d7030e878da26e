"""Wrong exits, messages and use of resources, each as a program that fails if it returns."""

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pandas as pd
from tests.adversary.corpus import (
    HOSTILE,
    P,
    calibrated,
    long_labels,
    zip_bomb,
)
from tests.adversary.faults import command, fault
from tests.adversary.process import GIGABYTE, peak, run

import calibrant as cal
from calibrant.errors import CheckpointError
from calibrant.io import write_predictions


@fault("E1", "closed and full streams change exit codes")
def _(folder):
    y, p = calibrated()
    ok, rounded = folder / "ok.csv", folder / "rounded.csv"
    write_predictions(str(ok), cal.Predictions(y, p))
    pd.DataFrame({"label": y} | {f"p_{j}": p[:, j].round(3) for j in range(3)}).to_csv(
        rounded, index=False
    )
    gate = ("gate", ok, "--resamples", "19", "-q", "--fail-if")
    wanted = [
        ((*gate, "ece>0.99"), 0),
        ((*gate, "ece>0"), 1),
        (("gate", ok, "--fail-if", "nonsense"), 2),
        (("gate", folder / "nowhere.csv", "--fail-if", "p<0.05"), 3),
        (("gate", rounded, "--resamples", "19", "--fail-if", "ece>0.99"), 0),
    ]
    for args, code in wanted:
        for redirect in (">&-", "2>&-", ">/dev/full", "2>/dev/full", "<&- >&- 2>&-",
                         ">/dev/full 2>/dev/full"):  # fmt: skip
            found = run(*args, redirect=redirect)
            assert found.code == code, (args, redirect, found)
            assert b"Traceback" not in found.stderr


@fault("E2", "ordinary conditions are called bugs")
def _(folder):
    y, p = calibrated()
    ok = folder / "ok.csv"
    write_predictions(str(ok), cal.Predictions(y, p))
    foreign = folder / os.fsdecode(b"\xff.csv")
    foreign.write_bytes(ok.read_bytes())
    long, locked = "x" * 300, folder / "report.html"
    locked.write_text("mine")
    cases = [
        (("check", ok), ">/dev/full", 4),
        (("--help",), ">/dev/full", 4),
        (("test", ok, "--checkpoint", folder / "nodir" / "ck"), "", 4),
        (("check", "-"), "<&-", 3),
        (("check", long), "", 3),
        (("check", "y/" * 3000), "", 3),
        (("check", ok, "--json", long), "", 4),
        (("check", foreign, "--json", folder / "o.json"), "", 0),
        (("check", foreign, "--json", "-"), "", 0),
        (("report", ok, "-o", locked), "", 2),
        (("check", "/dev/zero"), "", 3),
    ]
    for args, redirect, code in cases:
        found = run(*args, redirect=redirect)
        assert found.code == code, (args, redirect, found)
        assert b"bug" not in found.stderr
        assert found.stderr or not code
    assert (folder / "o.json").stat().st_size


@fault("E3", "files that end with 70")
def _(folder):
    for name, hostile in HOSTILE.items():
        place = folder / name.replace("/", "-").replace(" ", "-")
        place.mkdir()
        args = hostile.write(place)
        for extra in ((), ("--json", "-")):
            found = command("check", *args, *extra)
            assert found.exit_code == hostile.code, (name, found.output, found.exception)
            assert hostile.says in found.output, (name, found.output)
    odd = cal.Predictions([2**70, 1], P, classes=[1, 2**70])
    assert odd.labels.tolist() == [2**70, 1]


@fault("E4", "writers of one file disturb each other")
def _(folder):
    y, p = calibrated()
    path = folder / "a.csv"
    failed = []

    def write():
        try:
            for _ in range(5):
                write_predictions(str(path), cal.Predictions(y, p))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    path.chmod(0o600)
    write_predictions(str(path), cal.Predictions(y, p))
    assert path.stat().st_mode & 0o777 == 0o600
    (folder / f".a.csv.{os.getpid()}.part").touch()
    write_predictions(str(folder / f"{'n' * 250}.csv"), cal.Predictions(y, p))
    before = path.read_bytes()
    for option in ("--json", "--text"):
        found = command("report", path, option, path, "-o", folder / "page.html")
        assert found.exit_code == 2, found.output
    assert path.read_bytes() == before
    assert not [one for one in folder.iterdir() if "calibrant-" in one.name]


@fault("E5", "small or special files take unbounded resources")
def _(folder):
    files = {
        "bomb.npz": (zip_bomb(), 0),
        "wanted.npz": (zip_bomb("y_prob"), 3),
        "long.parquet": (long_labels(), 3),
        "grows.npz.gz": (HOSTILE["a compressed file that grows without end"].data, 3),
    }
    for name, (data, code) in files.items():
        (folder / name).write_bytes(data)
        found = run("check", folder / name, address_space=3 * GIGABYTE)
        assert found.code == code, (name, found)
        assert peak(["check", str(folder / name)]) < GIGABYTE, name
    for device in ("/dev/zero", "/dev/full", "/dev/null"):
        assert command("check", device).exit_code == 3
    found = run("check", "-", redirect="< /dev/zero")
    assert found.code == 3, found


@fault("E6", "a local Dask cluster listens on all interfaces")
def _(folder):
    from calibrant.cli._engine import Engine

    with Engine("dask", None, None, None).executor(1) as client:
        addresses = {client.scheduler.address, *client.scheduler_info()["workers"]}
        assert all("127.0.0.1" in address for address in addresses), addresses
        listening = _listening_everywhere(os.getpid())
    assert not listening, listening


def _listening_everywhere(pid) -> list[str]:
    """Return the sockets of a process that take connections from anywhere."""
    inodes = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            parts = line.split()
            address, state, inode = parts[1], parts[3], parts[9]
            if state == "0A" and inode in inodes and not int(address.partition(":")[0], 16):
                found.append(address)
    return found


@fault("E7", "names from data reach terminals and CI logs raw")
def _(folder):
    names = ["\x1b[31mred", "::error::x", "##[error]y", "a\n::warning::z"]
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 80)
    y = rng.integers(4, size=80)
    frame = pd.DataFrame({"label": np.array(names)[y]} | {f"p_{n}": p[:, j] for j, n in
                          enumerate(names)})  # fmt: skip
    frame["site"] = np.where(p[:, 0] > 0.3, "::add-mask::a", "\x9b2J")
    path = folder / "a\n::warning::injected.csv"
    frame.to_csv(path, index=False)
    calls = [
        ("check", path),
        ("where", path, "--group", "site", "--resamples", "19", "--min-size", "2", "-q"),
        ("gate", path, "--fail-if", "ece>0", "--resamples", "19", "-q"),
        ("test", path, "--resamples", "19", "-q"),
        ("report", path, "--resamples", "39", "-q", "--text", "-", "-o", folder / "o.html"),
        ("check", folder / "none\n::warning::x.csv"),
        ("check", path, "--label", "nothing\n::warning::x"),
        ("check", path, "--nonsense\n::warning::x"),
    ]
    for args in calls:
        found = command(*args)
        lines = found.output.split("\n")
        commands = [line for line in lines if line.lstrip().startswith("::") or "##[" in line]
        assert not commands, (args, commands)
        shown = set("".join(lines))
        assert all(c.isprintable() for c in shown), (
            args,
            [c for c in shown if not c.isprintable()],
        )


@fault("D1", "bits depend on the number of CPUs")
def _(folder):
    y, p = calibrated()
    path = folder / "a.csv"
    write_predictions(str(path), cal.Predictions(y, p))
    code = textwrap.dedent(f"""
        import hashlib, calibrant as cal
        from calibrant.io import read_predictions
        rows = read_predictions({str(path)!r}).predictions
        halves = cal.Predictions(rows.y_true, (rows.y_prob + 1 / 3) / 2)
        report = cal.Report(None, {{"one": rows, "two": halves}}, n_resamples=39, rng=0)
        moments = cal.calibration_test(rows, method=cal.methods.Moments(), rng=0)
        limit = cal.calibration_test(rows, method=cal.methods.Asymptotic(99), rng=0)
        text = report.html() + report.json() + str(moments.to_dict()) + str(limit.to_dict())
        print(hashlib.sha256(text.encode()).hexdigest())
    """)
    cpus = sorted(os.sched_getaffinity(0))[:2]
    digests = set()
    for some in (cpus[:1], cpus):

        def limit(some=some):
            os.sched_setaffinity(0, some)

        line = [sys.executable, "-c", code]
        done = subprocess.run(line, capture_output=True, check=True, preexec_fn=limit)
        digests.add(done.stdout)
    assert len(digests) == 1


@fault("low", "unknown values of environment variables are ignored")
def _(folder):
    for name in ("CALIBRANT_SIMD", "CALIBRANT_CORE"):
        found = run("info", env=os.environ | {name: "nonsense"})
        assert found.code == 2, found
        assert name.encode() in found.stderr


@fault("low", "records with a right checksum and a wrong content")
def _(folder):
    import sqlite3

    from calibrant._execution._checkpoint import _checksum

    y, p = calibrated()
    path = str(folder / "ck")
    options = {"method": cal.methods.Aggregated(19), "rng": 0, "checkpoint": path}
    cal.calibration_test(y, p, **options)
    for content in (b"", b"\xff" * 40, b"\x02\0\0\0[]", b"\x0c\0\0\0" + b'["list", 3]' + b" ",
                    b"\x10'\0\0" + b"[" * 10_000):  # fmt: skip
        with sqlite3.connect(path) as database:
            keys = database.execute("SELECT key FROM records WHERE key != 'belongs to'").fetchall()
            for (key,) in keys:
                row = content, _checksum(key, content), key
                database.execute("UPDATE records SET content=?, checksum=? WHERE key=?", row)
        try:
            cal.calibration_test(y, p, **options)
        except CheckpointError:
            continue
        raise AssertionError(content[:20])
