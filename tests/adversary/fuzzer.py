"""A seeded fuzzer: files with a known answer in every shape, and broken ones.

A trial is a function of its seed. `shaped` trials write known predictions in a random but legal
shape: what is read must be the same, or refused. `broken` trials damage a file: the command must
end with 0, 3 or 4, and both CSV readers must agree.
"""

import gzip
import io
import random
import resource
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner
from tests.adversary.commands import calibrators, conditions, facts, plans
from tests.adversary.corpus import HOSTILE
from tests.adversary.records import damaged, nested
from tests.io.legal import LEGAL

from calibrant.cli._main import cli
from calibrant.errors import DataError
from calibrant.io import _csv, read_predictions

NAMES = (
    ["cat", "dog", "eel", "fox", "gnu"],
    ["2", "0", "1", "4", "3"],
    ["a b", "a,b", "ä", "::x", 'x"y'],
    ["yes", "no", "maybe", "-", "0"],
    ["1.5", "-1", "1e3", "True", "None"],
)
NOTES = ["x", "", '12" screen', "a,b", "line\nend", "'", "\ufeff", "0.5", "=1+1"]
COMMANDS = (("check",), ("check", "--json", "-"), ("check", "--normalize"), ("check", "--logits"),
            ("check", "--one-based"), ("check", "--onehot"), ("measure", "-q"))  # fmt: skip
Trials = Sequence[Callable[[Path, random.Random], str]]
#: seconds that a trial may take
PATIENCE = 20


@dataclass
class Tally:
    """What happened in all trials."""

    trials: int = 0
    ends: Counter = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0
    peak: int = 0

    def add(self, other):
        """Join the counts of a batch."""
        self.trials += other.trials
        self.ends += other.ends
        self.failures += other.failures
        self.slowest = max(self.slowest, other.slowest)
        self.peak = max(self.peak, other.peak)

    def __str__(self):
        ends = ", ".join(f"{end}: {times}" for end, times in sorted(self.ends.items()))
        return (
            f"{self.trials} trials ({ends}); {len(self.failures)} failures; slowest "
            f"{self.slowest:.1f} s; peak memory {self.peak >> 20} MB"
        )


def fuzz(first: int, seconds: float, trials: Trials | None = None, batch: int = 100) -> Tally:
    """Run trials from a seed on, in a process of its own that a crash would end."""
    total, end = Tally(), time.monotonic() + seconds
    while time.monotonic() < end:
        with ProcessPoolExecutor(1) as pool:
            try:
                total.add(pool.submit(run_batch, range(first, first + batch), trials).result(
                    batch * PATIENCE))  # fmt: skip
            except (BrokenProcessPool, TimeoutError) as error:
                total.failures.append(f"seeds from {first} on: {error!r}")
        first += batch
    return total


def run_batch(seeds: range, trials: Trials | None = None) -> Tally:
    """Run some trials in this process."""
    tally, trials = Tally(), trials or EVERY
    with TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that are divided by their sums
        for seed in seeds:
            start = time.monotonic()
            trial = trials[seed % len(trials)]
            try:
                end = trial(Path(name), random.Random(seed))
            except Exception as error:
                end = "failed"
                tally.failures.append(f"seed {seed}: {type(error).__name__}: {error}")
            seconds = time.monotonic() - start
            if seconds > PATIENCE:
                tally.failures.append(f"seed {seed}: {seconds:.0f} s")
            tally.trials += 1
            tally.ends[end] += 1
            tally.slowest = max(tally.slowest, seconds)
    tally.peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return tally


def shaped(folder: Path, choose: random.Random) -> str:
    """Write known predictions in a random legal shape and read them."""
    m, n = choose.randint(2, 5), choose.randint(1, 40)
    names = choose.choice(NAMES)[:m]
    rng = np.random.default_rng(choose.getrandbits(32))
    y, p = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    order = choose.sample(range(m), m)
    prefix = choose.choice(["p_", "prob_", "proba_"])
    columns = {f"{prefix}{names[j]}": p[:, j].tolist() for j in order}
    options = {}
    if choose.random() < 0.3:
        ones = choose.sample(range(m), m)
        labels = {f"y_{names[j]}": (y == j).astype(int).tolist() for j in ones}
        options["onehot"] = True
    else:
        labels = {"label": [names[code] for code in y]}
    notes = {"note": [choose.choice(NOTES) for _ in range(n)]}
    parts = [labels, columns, notes]
    choose.shuffle(parts)
    table = {name: values for part in parts for name, values in part.items()}
    path = folder / choose.choice(["a.csv", "a.csv.gz", "a.parquet", "a.arrow", "a.npz"])
    if path.name == "a.npz":
        options = {}
        _write_arrays(path, y, p[:, order], [names[j] for j in order], order, choose)
    else:
        path.write_bytes(_written(path.name, table, choose))
    try:
        found = read_predictions(str(path), **options).predictions
    except DataError:
        return "refused"
    rows = np.arange(n)
    assert len(found) == n, f"{len(found)} of {n} rows"
    assert found.labels.astype(str).tolist() == [names[code] for code in y], "other labels"
    assert np.array_equal(found.y_prob[rows, found.y_true], p[rows, y]), "other probabilities"
    return "right"


def _write_arrays(path: Path, y, p, names: list[str], order, choose: random.Random) -> None:
    """Write arrays: labels by name, as numbers where all names are, or one-hot."""
    places = np.argsort(order)[y]
    labels = np.array(names)[places]
    classes = np.array(names)
    kind = choose.randrange(3)
    if kind == 0:
        labels = np.eye(len(names), dtype=choose.choice(["i1", "f4", "?"]))[places]
    elif kind == 1 and all(name.isdigit() for name in names):
        labels = labels.astype(choose.choice(["i8", "u1", "f8"]))
        classes = classes.astype(choose.choice(["i8", "U9"]))
    save = choose.choice([np.savez, np.savez_compressed])
    save(path, y_true=labels, y_prob=choose.choice([np.asfortranarray, np.array])(p),
         classes=classes, junk=np.arange(3))  # fmt: skip


def _written(name: str, table: dict, choose: random.Random) -> bytes:
    if ".csv" not in name:
        out = io.BytesIO()
        arrow = pa.table(table)
        if name.endswith("parquet"):
            pq.write_table(arrow, out, row_group_size=choose.choice([1, 7, 100]),
                           use_dictionary=choose.random() < 0.5)  # fmt: skip
        else:
            with pa.ipc.new_file(out, arrow.schema) as writer:
                writer.write_table(arrow)
        return out.getvalue()
    end = choose.choice(["\n", "\r\n"])
    rows = [list(table), *map(list, zip(*table.values(), strict=True))]
    text = end.join(",".join(_cell(value, choose) for value in row) for row in rows)
    text += choose.choice(["", end, end + end])
    data = text.encode(choose.choice(["utf-8", "utf-8-sig"]))
    return gzip.compress(data) if name.endswith("gz") else data


def _cell(value, choose: random.Random) -> str:
    text = repr(value) if isinstance(value, float) else str(value)
    needed = any(mark in text for mark in ',"\r\n') or not text
    return '"' + text.replace('"', '""') + '"' if needed or choose.random() < 0.2 else text


def broken(folder: Path, choose: random.Random) -> str:
    """Damage a file and run a command on it."""
    hostile = {one.name: one.data for one in HOSTILE.values() if len(one.data) < 1 << 16}
    files = LEGAL if choose.random() < 0.7 else hostile
    name = choose.choice(sorted(files))
    data = bytearray(files[name])
    for _ in range(choose.choice([0, 1, 1, 2, 5])):
        _damage(data, choose)
    path = folder / f"b{''.join(Path(name).suffixes)}"
    path.write_bytes(bytes(data))
    command, *options = COMMANDS[0] if choose.random() < 0.5 else choose.choice(COMMANDS)
    ended = CliRunner().invoke(cli, [command, str(path), *options])
    assert ended.exit_code in (0, 3, 4), f"{name}, {command} {options}: {ended.output[-300:]}"
    if ".csv" in name or ".tsv" in name:
        _readers_agree(path)
    return f"exit {ended.exit_code}"


def _damage(data: bytearray, choose: random.Random) -> None:
    at = choose.randrange(len(data) + 1) if data else 0
    kind = choose.randrange(6)
    if kind == 0 and at < len(data):
        data[at] ^= 1 << choose.randrange(8)
    elif kind == 1:
        del data[at : at + choose.choice([1, 2, 10, 1000])]
    elif kind == 2:
        data[at:at] = choose.choice([b'"', b",", b"\n", b"\r", b"\0", b"\xff", b'""', b"e", b" "])
    elif kind == 3:
        data[at : at + 4] = choose.randbytes(4)
    elif kind == 4:
        end = min(len(data), at + choose.randrange(1, 60))
        data[at:at] = data[at:end]
    else:
        data[at : at + 8] = choose.choice([b"\xff" * 8, bytes(8), b"\x7f" * 8])


def _readers_agree(path: Path) -> None:
    """Compare the fast reader of CSV with the careful one."""
    fast, keep = _outcome(path), _csv._read_fast
    _csv._read_fast = lambda *_: None
    try:
        careful = _outcome(path)
    finally:
        _csv._read_fast = keep
    assert fast == careful, "the two readers of CSV disagree"


def _outcome(path: Path):
    try:
        found = read_predictions(str(path)).predictions
    except DataError:
        return "refused"  # of two problems, each reader may meet another one first
    except UserWarning as warning:
        return str(warning)
    return found.y_prob.tobytes(), found.labels.tolist(), list(map(str, found.classes))


#: tables and their bytes; documents, and what else commands take
TABLES: Trials = (broken, shaped)
DOCUMENTS: Trials = (nested, damaged, facts, calibrators, conditions, plans)
EVERY: Trials = (*TABLES, *DOCUMENTS)
