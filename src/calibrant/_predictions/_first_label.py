"""Labels without a 0: whether they start at 0 or at 1, where the predictions themselves tell."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant.errors import Argument, DataError, Problem

#: labels whose log-likelihood is larger by this if they start at 1 are refused; where they start
#: at 0 and the model is calibrated, that has probability 1e-6 at most (Markov's inequality)
CERTAIN_GAIN = math.log(1e6)
#: labels 0 that the predictions expect: that there are none must be strange
_EXPECTED = 20.0
_FLOOR = 1e-12
#: what a single row can say, as a logarithm
_MOST = math.log(100.0)


def refuse_counting_from_one(codes: IntArray, table: FloatArray) -> None:
    """Refuse positions 1..m−1 that are far more likely if they start at 1 and one is absent.

    One label alone says nothing. O(n), and O(1) memory beyond the rows' probabilities.
    """
    if codes.min() == 0 or codes.min() == codes.max() or table[:, 0].sum() < _EXPECTED:
        return
    rows = np.arange(len(codes))
    here, before = (np.maximum(table[rows, codes - shift], _FLOOR) for shift in (0, 1))
    # a ratio that is capped has a mean of at most 1 all the same; a few labels of probability 0,
    # which rounding makes, do not decide
    gain = float(np.sum(np.minimum(np.log(before) - np.log(here), _MOST)))
    if gain <= CERTAIN_GAIN:
        return
    m = table.shape[1]
    raise DataError(
        Problem.UNCERTAIN_START,
        "must be certain to start at 0",
        argument="y_true",
        got=f"labels from {codes.min()} to {codes.max()} for {m} classes; the predictions make "
        f"them 10^{gain / math.log(10.0):.0f} times as likely if they start at 1",
        remedy=(
            "if they start at 1, pass ",
            Argument("classes", range(1, m + 1)),
            ", and if they start at 0, ",
            Argument("classes", range(m)),
        ),
    )
