"""The default test with many classes or rows: ratios of processor time, and memory."""

from __future__ import annotations

from threading import Event, Thread
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

import calibrant as cal
from benchmarks.table import Row, megabytes, seconds, times
from calibrant.methods import Aggregated, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rows(quick: bool) -> Iterator[Row]:
    """Yield the default test of many classes and rows as multiples of smaller ones."""
    large, many = (8_000, 300) if quick else (50_000, 1_000)
    few = sharp(large, 10)
    data = sharp(large, many)
    ten = _least(lambda: _test(few), quick)
    taken, peak = _watched(lambda: _test(data))
    what = f"label sets of {large} x {many} : {large} x 10"
    yield Row(what, seconds(taken), seconds(ten), times(taken / ten))
    room = megabytes(peak)
    yield Row("  memory above the data", room, "", "", "<= 1000 MB", peak <= 1e9)
    for sets in ("stopping early", "all label sets"):
        whole, whole_ten = (_least(lambda d=d: _whole(d), quick) for d in (data, few))
        what = f"calibration_test of {large} x {many} : {large} x 10, {sets}"
        ratio = whole / whole_ten
        yield Row(what, seconds(whole), seconds(whole_ten), times(ratio), "<= 4x", ratio <= 4)
        few, data = overconfident(few), overconfident(data)
    yield from _sizes(quick)
    yield from _stopping(quick)


def _sizes(quick: bool) -> Iterator[Row]:
    pairs = [((10_000, 100), (10_000, 10), 2.0), ((4_000, 10), (10_000, 10), 1.0)]
    for one, other, limit in pairs:
        left, right = sharp(*one), sharp(*other)
        ours, theirs = (_least(lambda d=d: _whole(d), quick) for d in (left, right))
        what = f"calibration_test of {one[0]} x {one[1]} : {other[0]} x {other[1]}"
        ratio = ours / theirs
        yield Row(
            what, seconds(ours), seconds(theirs), times(ratio), f"<= {limit:g}x", ratio <= limit
        )


def _stopping(quick: bool) -> Iterator[Row]:
    n, seed = (200_000, 3) if quick else (1_000_000, 1)  # of data whose p-value is about .5
    data = sharp(n, 10, seed)
    stopped, all_sets = (_least(lambda h=h: _test(data, h), True) for h in (20, 0))
    p = Aggregated(stop_after=20).test(data, cal.SKCE(), _setting()).pvalue
    what = f"stopping after 20 (p = {p:.2f}) : all label sets, {n} x 10"
    ratio = all_sets / stopped
    figures = seconds(stopped), seconds(all_sets), times(ratio)
    yield Row(what, *figures, ">= 8x", ratio >= 8, better="more")


def sharp(n_samples: int, n_classes: int, seed: int = 0) -> cal.Predictions:
    """Return calibrated predictions that are nearly certain, like those of networks."""
    rng = np.random.default_rng(seed)
    y_prob = np.maximum(rng.standard_gamma(min(0.1, 20 / n_classes), (n_samples, n_classes)), 1e-9)
    y_prob /= y_prob.sum(axis=1, keepdims=True)
    clocks = rng.standard_exponential((n_samples, n_classes))
    clocks /= y_prob
    return cal.Predictions(np.argmin(clocks, axis=1), y_prob)


def overconfident(predictions: cal.Predictions) -> cal.Predictions:
    """Return the same labels with predictions that are too sure: a test draws all label sets."""
    p = predictions.y_prob**1.3
    return cal.Predictions(predictions.y_true, p / p.sum(axis=1, keepdims=True))


def _setting() -> Setting:
    return Setting(np.random.default_rng(0))


def _test(data: cal.Predictions, stop_after: int = 0) -> None:
    Aggregated(stop_after=stop_after).test(data, cal.SKCE(), _setting())


def _whole(data: cal.Predictions) -> None:
    cal.calibration_test(data, rng=0)


def _least(call: Callable[[], None], once: bool) -> float:
    """Return the processor time of all threads, the minimum of three calls or of one."""
    found = []
    for _ in range(1 if once else 3):
        start = process_time()
        call()
        found.append(process_time() - start)
    return min(found)


def _watched(call: Callable[[], None]) -> tuple[float, float]:
    """Return the processor time of a call and the growth of resident memory during it."""
    done, before, most = Event(), _resident(), [0]

    def watch() -> None:
        while not done.wait(0.02):
            most[0] = max(most[0], _resident())

    watcher = Thread(target=watch)
    watcher.start()
    start = process_time()
    try:
        call()
        taken = process_time() - start
    finally:
        done.set()
        watcher.join()
    return taken, float(max(most[0] - before, 0))


def _resident() -> int:
    from pathlib import Path
    from resource import getpagesize

    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()
