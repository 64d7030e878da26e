"""Calibration errors of streamed rows: one pass, bounded memory, mergeable.

Every accumulator has `update` to add rows, `merge` to add another accumulator (from another day or
process), and `result`. Accumulators can be pickled.
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
