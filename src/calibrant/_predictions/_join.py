"""Parts of one data set, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._predictions._predictions import assemble

if TYPE_CHECKING:
    from calibrant._predictions._predictions import Predictions


def join(*parts: Predictions) -> Predictions:
    """Return the rows of all parts, which have the same classes."""
    weighted = any(part.sample_weight is not None for part in parts)
    return assemble(
        np.concatenate([part.y_true for part in parts]),
        np.concatenate([part.y_prob for part in parts]),
        np.concatenate([part.weights for part in parts]) if weighted else None,
        parts[0].classes,
    )
