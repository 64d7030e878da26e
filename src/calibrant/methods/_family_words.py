"""How a result describes the families: which one drove the evidence, and in which direction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibrant._engine import CLEAR, agreed_direction, name_direction
from calibrant._native import FloatArray
from calibrant.methods._components import Components
from calibrant.methods._confidence import ORDERS
from calibrant.methods._families import Families
from calibrant.methods._family_tails import WEIGHTS, family_tails
from calibrant.methods._scales import FRACTIONS

#: names of the components for readers
FAMILY_NAMES = {
    "kernel": "any deviation (kernel calibration error)",
    "classwise": "deviations of single classes",
    "brier": "confidence as a whole (Brier direction)",
    "log": "confidence as a whole (log-score direction)",
    "confidence": "confidence of the predicted class, locally",
    "scaling": "class-wise slopes and shifts",
    "bias": "classes predicted too often or too rarely",
    "ranked": "spread along the order of the classes (ranked-probability direction)",
    "grades": "classes at or above a grade predicted too often or too rarely",
    "reach": "the probability of reaching a grade, locally",
}
#: names that differ for two classes
TWO_CLASS_NAMES = FAMILY_NAMES | {
    "confidence": "the probability, in parts of its range",
    "scaling": "slope and shift of the log-odds",
    "bias": "probabilities too high or too low on average",
}
#: directions of confidence, whose signs must agree
_CONFIDENCE = ("brier", "log")
#: the meaning of a direction along the order of the classes
_ORDERED_WORDS = {
    "over-confident": "too narrow",
    "under-confident": "too wide",
    None: None,
}


def family_names(n_classes: int) -> Mapping[str, str]:
    """Return what each family detects, in words."""
    return TWO_CLASS_NAMES if n_classes == 2 else FAMILY_NAMES


def describe_components(components: Components, n_classes: int) -> dict[str, Any]:
    """Return the details about the components in use."""
    details: dict[str, Any] = {"names": family_names(n_classes)}
    if components.is_ordered:
        details["ordered"] = True
    if components.decimals is not None:
        details |= {"decimals": components.decimals, "rounding_note": components.note}
    return details


def _describe_order(directions: Mapping[str, float]) -> dict[str, Any]:
    """Return whether predictions are too narrow or too wide along the order of the classes."""
    if "ranked" not in directions:
        return {}
    return {"ordered_direction": _ORDERED_WORDS[name_direction(directions["ranked"], CLEAR)]}


def describe_families(
    families: Families,
    components: Components,
    tails: Mapping[str, FloatArray],
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the details about the observed labels, added to those already `given`."""
    given = dict(given)
    names = given.pop("names")
    observed = {name: float(tail[0]) for name, tail in family_tails(tails).items()}
    strongest = min(observed, key=lambda name: observed[name] / WEIGHTS[name])
    directions = {name: float(z[0]) for name, z in families.directions.items()}
    bandwidths = zip(FRACTIONS, families.bandwidths, strict=True)
    events = ["confidence"] if names is FAMILY_NAMES else ["positive class", "confidence"]
    labels = {
        "kernel": [
            f"kernel, bandwidth {h:.3g}" for f, h in bandwidths if f in components.fractions
        ],
        "classwise": [f"class-wise, width {width:g}" for width in components.widths],
        "confidence": [f"{event}, {order} waves" for event in events for order in ORDERS],
        "reach": [f"reaching a grade, width {width:g}" for width in components.reach],
    }
    return {
        "component": strongest,
        "component_name": names[strongest],
        "components": observed,
        "approximate_tails": {
            label: float(tail)
            for name, members in labels.items()
            if name in tails
            for label, tail in zip(members, tails[name][:, 0], strict=True)
        },
        **{f"{name}_z": z for name, z in directions.items()},
        "direction": agreed_direction(
            {name: directions[name] for name in _CONFIDENCE if name in directions}
        ),
        **_describe_order(directions),
        **given,
    }
