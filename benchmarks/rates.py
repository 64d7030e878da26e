"""Elementary rates of one thread in processor time, for planning with large data."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.data import BANDWIDTH, dirichlet
from benchmarks.table import Row, seconds
from calibrant import SKCE, Parallel, Predictions
from calibrant._engine._resampling import LabelResampler
from calibrant._execution._blas import single_threaded_blas
from calibrant.kernels import Laplacian
from calibrant.methods import Components, LinearChunk, LinearPlan, LinearState
from calibrant.streaming import StreamingSKCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: label sets side by side
SETS = 100


def rows(quick: bool) -> Iterator[Row]:
    """Yield pairs, label sets, features and Parquet rows per second of one thread."""
    n = 10_000 if quick else 20_000
    for m in (3, 10, 100):
        data = Predictions(*dirichlet(n, m))
        time = _least(
            lambda data=data: SKCE(Laplacian(BANDWIDTH)).estimate(data, Parallel(n_jobs=1))
        )
        yield _row(f"pairs of rows, m={m}", n * (n - 1) / 2, time)
    for m in (3, 10, 100):
        data = Predictions(*dirichlet(4096, m))
        yield _row(f"rows in a label set, m={m}", 4096 * SETS, _least(_label_sets(data)))
    data = Predictions(*dirichlet(n, 10))
    yield _row("rows through 512 random frequencies, m=10", n, _least(lambda: _features(data)))
    yield _parquet(10 * n)


def _label_sets(data: Predictions) -> Callable[[], Any]:
    plan = LinearPlan.make(data.n_classes, BANDWIDTH, Components(), LabelResampler(0))
    parts = [range(SETS)[i : i + plan.sets_at_once] for i in range(0, SETS, plan.sets_at_once)]

    def run() -> None:
        for part in parts:
            LinearState(plan, part).update(LinearChunk.prepare(plan, data, 0))

    return run


def _features(data: Predictions) -> None:
    StreamingSKCE(BANDWIDTH).update(data)


def _parquet(n: int) -> Row:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from calibrant.io import scan_predictions

    with tempfile.TemporaryDirectory(prefix="calibrant-benchmark-") as folder:
        y_true, y_prob = dirichlet(n, 10)
        columns = {f"p_{c}": np.ascontiguousarray(y_prob[:, c]) for c in range(10)}
        path = Path(folder) / "rows.parquet"
        pq.write_table(pa.table({"label": y_true, **columns}), path, use_dictionary=False)
        scan = scan_predictions(str(path))
        time = _least(lambda: list(scan.blocks(range(n), 4096)))
    return _row("rows of Parquet, read and checked, m=10", n, time)


def _least(call: Callable[[], Any]) -> float:
    times = []
    with single_threaded_blas():
        for _ in range(4):
            start = process_time()
            call()
            times.append(process_time() - start)
    return min(times)


def _row(what: str, count: float, time: float) -> Row:
    return Row(f"{what}, one thread, processor time", seconds(time), "-", f"{count / time:.3g}/s")
