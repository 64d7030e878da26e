"""Checks of the weights, clusters and order that come with labels and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions._clusters import check_clusters
from calibrant._predictions._weights import check_weights


def check_row_facts(
    sample_weight: Any, clusters: Any, n_samples: int
) -> tuple[FloatArray | None, IntArray | None]:
    """Check and return the weights and clusters of the rows."""
    return (
        None if sample_weight is None else check_weights(sample_weight, n_samples),
        None if clusters is None else check_clusters(clusters, n_samples),
    )


def check_ordered(ordered: Any) -> bool:
    """Return whether classes are ordered; refuse anything but a boolean."""
    if not isinstance(ordered, (bool, np.bool_)):
        raise TypeError(
            f"`ordered` must be True or False; got {ordered!r}. Put the classes in increasing "
            "order with `classes=` and pass `ordered=True`."
        )
    return bool(ordered)
