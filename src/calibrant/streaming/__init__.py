"""Calibration errors for rows that arrive in parts: one pass, bounded memory, mergeable.

Every accumulator has `update` for some rows, `merge` for what another one saw (on another day,
in another process), and `result`. They can be pickled.
"""

from calibrant._output import publish
from calibrant._predictions import RowSource
from calibrant.streaming._base import Accumulator
from calibrant.streaming._ece import StreamingClasswiseECE, StreamingECE
from calibrant.streaming._scores import Scores, StreamingScores
from calibrant.streaming._skce import StreamingBlockSKCE, StreamingSKCE

__all__ = [
    "Accumulator",
    "RowSource",
    "Scores",
    "StreamingBlockSKCE",
    "StreamingClasswiseECE",
    "StreamingECE",
    "StreamingSKCE",
    "StreamingScores",
]

publish(__name__, globals(), __all__)
