"""Detection of labels that start at 1, from the predictions, if no label is 0."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant.errors import Argument, DataError, Problem

#: labels are refused if their log-likelihood is larger by this when read from 1; for a calibrated
#: model and labels from 0, the probability of this is at most 1e-6 (Markov's inequality)
CERTAIN_GAIN = math.log(1e6)
#: the predictions must expect this many labels 0, so that their absence is strange
_EXPECTED = 20.0
_FLOOR = 1e-12
#: largest log-likelihood ratio of a single row
_MOST = math.log(100.0)


def refuse_counting_from_one(codes: IntArray, table: FloatArray) -> None:
    """Refuse positions 1..m−1 that are far more likely when read from 1, with one class absent.

    A single distinct label says nothing. O(n), and O(1) memory beyond the rows' probabilities.
    """
    if codes.min() == 0 or codes.min() == codes.max() or table[:, 0].sum() < _EXPECTED:
        return
    rows = np.arange(len(codes))
    here, before = (np.maximum(table[rows, codes - shift], _FLOOR) for shift in (0, 1))
    # a capped ratio still has a mean of at most 1, and the cap keeps a few labels whose probability
    #     # was rounded to 0 from dominating
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
