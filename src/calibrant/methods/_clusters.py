"""How a test of clustered rows describes its null hypothesis."""

from __future__ import annotations

import math
from typing import Any

from calibrant._engine import FEWEST_CLUSTERS, Coupling
from calibrant.errors import DataError, Problem

#: a cluster with more than this share of the rows nearly determines the result
LARGE_SHARE = 0.5


def describe_clusters(coupling: Coupling | None) -> dict[str, Any]:
    """Return the details of a test of clustered rows, or nothing without clusters."""
    if coupling is None:
        return {}
    clusters = {
        "n_clusters": coupling.n_clusters,
        "null": "independent labels" if coupling.used == 0.0 else "coupled labels",
        "reason": coupling.reason,
        "coupling": _known(coupling.estimate),
        "coupling_squared_error": _known(coupling.error),
        "coupling_used": coupling.used,
        "design_effect": _known(coupling.design_effect),
        "largest_share": coupling.largest,
    }
    return {"clusters": clusters}


def require_clusters(coupling: Coupling | None) -> None:
    """Refuse too few clusters to estimate the dependence within them."""
    if coupling is not None and coupling.used > 0.0 and coupling.n_clusters < FEWEST_CLUSTERS:
        raise DataError(
            Problem.CLUSTERS,
            f"a test of clustered rows needs at least {FEWEST_CLUSTERS} clusters",
            got=str(coupling.n_clusters),
            hint="only whole clusters are independent, and so few show neither an error nor how "
            "the rows inside them depend on each other",
            remedy="add clusters; estimates and plots work with any number",
        )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
