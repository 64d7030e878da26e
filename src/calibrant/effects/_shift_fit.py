"""The shift of a class's log-odds that makes it as likely as it is frequent."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.effects._robust import Spread
from calibrant.effects._root import find_root
from calibrant.effects._rows import effective_size
from calibrant.effects._tempering import Block, blocks

#: a step this small is the last: the next error is its square
_LAST_STEP = 1e-7
_LARGEST_STEP = 2.0
_MAX_STEPS = 100
#: rows on which the search starts
_START_ROWS = 10_000
#: odds beyond these are 0 or infinite
_ODDS = 1e-30, 1e30


@dataclass(frozen=True, eq=False)
class ShiftProblem:
    """Rows, and the classes whose odds against all others are shifted."""

    rows: Predictions
    floor: float
    columns: IntArray

    def fit(self) -> FloatArray:
        """Return the shift a with Σ w(1[y = c] − q_c(a)) = 0, for every class; maybe infinite."""
        labels = np.bincount(self.rows.y_true, None, self.rows.n_classes)[self.columns]
        never, always = labels == 0, labels == len(self.rows)
        finite = ~(never | always)
        step = -(-len(self.rows) // _START_ROWS)
        shift = np.zeros(len(self.columns))
        if step > 1:  # every k-th row tells nearly all of it
            shift = self._newton(shift, finite, step)
        shift = self._newton(shift, finite, 1)
        return np.where(never, -math.inf, np.where(always, math.inf, shift))

    def spreads(self, shift: FloatArray) -> list[Spread]:
        """Return the spread of every finite shift."""
        if self.rows.clusters is not None:
            return self._clustered_spreads(shift)
        sums = np.zeros((4, len(self.columns)))
        for odds, hit, w in self._blocks(1):
            q = _shifted(odds, shift)
            scores = (w * (hit - q)) ** 2
            sums += [
                (w * q * (1.0 - q)).sum(axis=1),
                (w * w * q * (1.0 - q)).sum(axis=1),
                scores.sum(axis=1),
                np.einsum("ci,ci->c", scores, scores),
            ]
        return [
            Spread(len(self.rows), squares / j**2, fourths / j**4, model / j**2)
            if j > 0.0
            else Spread(0, 0.0, 0.0)
            for j, model, squares, fourths in sums.T.tolist()
        ]

    def _clustered_spreads(self, shift: FloatArray) -> list[Spread]:
        index = self.rows.cluster_index
        assert index is not None
        scores, information, models = [], np.zeros(len(shift)), np.zeros(len(shift))
        for odds, hit, w in self._blocks(1):
            q = _shifted(odds, shift)
            scores.append(w * (hit - q))
            information += (w * q * (1.0 - q)).sum(axis=1)
            models += (w * w * q * (1.0 - q)).sum(axis=1)
        return [
            Spread.of(score / j, model / j**2, index) if j > 0.0 else Spread(0, 0.0, 0.0)
            for score, j, model in zip(
                np.concatenate(scores, axis=1), information, models.tolist(), strict=True
            )
        ]

    def open_end(self, k: int, expected: float) -> float:
        """Return the shift that expects so many labels of a class that never occurred."""
        one = ShiftProblem(self.rows, self.floor, self.columns[k : k + 1])

        def excess(factor: float) -> tuple[float, float]:
            score, information = one._derivatives(np.array([math.log(factor)]), 1)
            return -float(score[0]) - expected, float(information[0]) / factor

        root = find_root(excess, 1.0, *_ODDS)
        return math.inf if root.at_bound else math.log(root.x)

    def _newton(self, shift: FloatArray, finite: IntArray, step: int) -> FloatArray:
        for _ in range(_MAX_STEPS):
            score, information = self._derivatives(shift, step)
            # rows of the search for a start may have no label of the class: it never runs away
            change = np.clip(score / np.maximum(information, 1e-300), -_LARGEST_STEP, _LARGEST_STEP)
            shift = np.clip(shift + np.where(finite, change, 0.0), -60.0, 60.0)
            if np.abs(change[finite]).max(initial=0.0) <= _LAST_STEP:
                break
        return shift

    def _derivatives(self, shift: FloatArray, step: int) -> tuple[FloatArray, FloatArray]:
        """Return score and information of every class."""
        score, information = np.zeros((2, len(self.columns)))
        for odds, hit, w in self._blocks(step):
            q = _shifted(odds, shift)
            score += (w * (hit - q)).sum(axis=1)
            information += (w * q * (1.0 - q)).sum(axis=1)
        return score, information

    def _blocks(self, step: int) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
        """Yield log-odds and hits (classes, rows), and weights that sum to Kish's number."""
        scale = effective_size(self.rows) / float(self.rows.weights.sum())
        for block in blocks(self.rows, self.floor, step):
            hit = (block.labels == self.columns[:, None]).astype(np.float64)
            yield _log_odds(block)[self.columns], hit, scale * block.weight


def _log_odds(block: Block) -> FloatArray:
    """Return the log-odds of every class against all others; the largest logit is 0."""
    e = np.exp(block.logits)
    top, here = block.logits.argmax(axis=0), np.arange(e.shape[1])
    e[top, here] = 0.0
    rest = e.sum(axis=0)  # without the 1 of the top class, beside which it would lose digits
    others = 1.0 + rest - e
    others[top, here] = rest
    return np.asarray(block.logits - np.log(others))


def _shifted(odds: FloatArray, shift: FloatArray) -> FloatArray:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * (odds + shift[:, None])))
