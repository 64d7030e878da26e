"""Tails of the default test's statistics, by component and by family, and the family weights."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibrant._engine import two_sided_tail
from calibrant._native import FloatArray
from calibrant.methods._combination import harmonic_mean, pooled_tails, reference_tails
from calibrant.methods._components import Components
from calibrant.methods._families import Families
from calibrant.methods._scales import FRACTIONS, WIDTHS

#: weights of the families in the combination, chosen with `benchmarks.regret`
WEIGHTS = {
    "kernel": 1.0,
    "classwise": 1.0,
    "brier": 1.0,
    "log": 10.0,
    "confidence": 6.0,
    "scaling": 3.0,
    "bias": 8.0,
    "ranked": 10.0,
    "grades": 6.0,
    "reach": 1.0,
}
#: weights of 3, 6 and 12 waves within the confidence family
WAVE_WEIGHTS = (2.0, 1.0, 1.0)
#: families standardized by the other label sets
_POOLED = ("kernel", "classwise", "confidence", "scaling", "bias", "reach", "grades")
#: those among them whose mean is not 0
_NOT_CENTERED = ("bias", "grades")
#: the components for probabilities with all their digits
ALL = Components()


def component_tails(
    families: Families, reference: int = 0, components: Components = ALL
) -> dict[str, FloatArray]:
    """Return the tails of all components, (n_components, B + 1), by family.

    Label sets 1, …, `reference` only supply the moments for all others, and are left out. Without
    a reference, every label set is compared with all others.
    """
    others = np.r_[0, reference + 1 : families.kernel.shape[1]]
    pooled = {name: getattr(families, name) for name in _POOLED} | {
        "kernel": families.kernel[[f in components.fractions for f in FRACTIONS]],
        "classwise": families.classwise[[w in components.widths for w in WIDTHS]],
        "reach": families.reach[[w in components.reach for w in WIDTHS]]
        if len(families.reach)
        else families.reach,
    }
    return {
        name: reference_tails(
            one[:, others], one[:, 1 : reference + 1], centered=name not in _NOT_CENTERED
        )
        if reference
        else pooled_tails(one, centered=name not in _NOT_CENTERED)
        for name, one in pooled.items()
        if len(one)
    } | {name: two_sided_tail(z[others])[None] for name, z in families.directions.items()}


def family_tails(components: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the tails of every family, one for each label set, as `combine` expects."""
    found = {name: harmonic_mean(tails) for name, tails in components.items()}
    if "confidence" in components:
        tails = components["confidence"]
        # two classes have two events
        weights = np.tile(WAVE_WEIGHTS, len(tails) // len(WAVE_WEIGHTS))
        found["confidence"] = harmonic_mean(tails, weights)
    return found
