"""The calibration loss of very many streamed rows, in two passes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, assemble
from calibrant.effects._calibration_loss import gain_effect
from calibrant.effects._interval import Effect
from calibrant.effects._repair_gain import (
    GainMoments,
    Learned,
    RepairMaps,
    assign_halves,
    learn,
    training_rows,
)
from calibrant.effects._robust import Spread
from calibrant.effects._row_sums import RowSums


def streamed_calibration_loss(source: RowSums) -> Effect:
    """Return the `calibration_loss` effect of more than 50,000 rows, as if all were in memory.

    The two halves, and the 25,000 training rows of each, depend only on the number of rows. One
    pass gathers the training rows, another adds up the gains. Memory: the 50,000 rows, and one bit
    for every row.
    """
    side = assign_halves(source.n_rows)
    numbers = [training_rows(side, k) for k in (0, 1)]
    halves = np.packbits(side)
    del side
    gathered = source.gather(rows_of, np.union1d(*numbers), numbered=True)
    learned = tuple(learn(assemble_rows(gathered, some, source)) for some in numbers)
    del gathered
    maps = RepairMaps.describe(learned)
    sums = source.add(_gain_sums, halves, learned, 1.0 / source.weight, numbered=True)
    moments = [_moments(one, source.n_rows) for one in sums]
    return gain_effect(source, maps, moments, 0.95)


def rows_of(rows: Predictions, first_row: int, numbers: IntArray) -> FloatArray:
    """Return the rows with these numbers as number, label, weight and probabilities."""
    inside = numbers[np.searchsorted(numbers, first_row) :]
    inside = inside[: np.searchsorted(inside, first_row + len(rows))]
    some = rows.take(inside - first_row) if len(inside) else None
    if some is None:
        return np.empty((0, 3 + rows.n_classes))
    return np.column_stack([inside, some.y_true, some.weights, some.y_prob])


def assemble_rows(gathered: FloatArray, numbers: IntArray, source: RowSums) -> Predictions:
    """Return the gathered rows with these numbers."""
    table = gathered[np.searchsorted(gathered[:, 0], numbers)]
    labels, weights = table[:, 1].astype(np.int64), np.ascontiguousarray(table[:, 2])
    p = np.ascontiguousarray(table[:, 3:])
    return assemble(labels, p, weights, source.classes, ranked=source.ranked)


def _gain_sums(
    rows: Predictions,
    first_row: int,
    halves: npt.NDArray[np.uint8],
    learned: tuple[Learned, ...],
    scale: float,
) -> FloatArray:
    """Return the sums of three gains; see `_moments`."""
    bits = np.unpackbits(halves[first_row // 8 : (first_row + len(rows)) // 8 + 1])
    side = bits[first_row % 8 :][: len(rows)]
    sums = np.zeros((3, 10))
    for k, maps in enumerate(learned):
        some = np.flatnonzero(side == k)
        if not len(some):
            continue
        part = rows.take(some)
        chosen, tempered = maps.gains(part)
        w = scale * part.weights
        for gain, values in enumerate((chosen[0], tempered[0], chosen[1])):
            powers = values ** np.arange(5)[:, None]
            sums[gain, :2] += powers[1:3] @ w
            sums[gain, 2:5] += powers[:3] @ w**2
            sums[gain, 5:] += powers @ w**4
    return sums


def _moments(sums: FloatArray, n_rows: int) -> GainMoments:
    """Return the moments from Σwg, Σwg², Σw²gʲ (j ≤ 2) and Σw⁴gʲ (j ≤ 4), with Σw = 1."""
    d, square = sums[:2].tolist()
    squares = float(sums[2:5] @ [d**2, -2.0 * d, 1.0])
    fourths = float(sums[5:] @ [d**4, -4.0 * d**3, 6.0 * d**2, -4.0 * d, 1.0])
    return GainMoments(d, square, Spread(n_rows, max(squares, 0.0), max(fourths, 0.0)))
