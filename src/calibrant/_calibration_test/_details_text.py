"""Details of a test in words: notes below a result, and lines within it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calibrant._calibration_test._rows_needed import rounded_rows
from calibrant._output import counted, factor_text, number, percent
from calibrant.methods import LARGE_SHARE


def impossible_note(details: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a note on the number of labels with probability 0, if any."""
    count = details.get("impossible_labels", 0)
    if not count:
        return ()
    return (
        f"{counted(count, 'label')} had predicted probability exactly 0: impossible under the "
        "model, or the file was rounded",
    )


def null_line(clusters: Mapping[str, Any] | None) -> str:
    """Return how labels were drawn, as the start of a line; only independent rows are exact."""
    if clusters is None or clusters.get("coupling") is None:
        return "exact, "
    if clusters["null"] == "coupled labels":
        return "approximate, coupled inside clusters, "
    return "approximate, independent labels, "


def dependence_line(clusters: Mapping[str, Any]) -> str:
    """Describe how strongly the rows of a cluster depend on each other."""
    coupling = clusters.get("coupling")
    if coupling is None:
        return str(clusters["reason"])
    error = clusters.get("coupling_squared_error")
    known = "" if error is None else f" (λ² ± {number(error)})"
    used = f", used {number(clusters['coupling_used'])}" if clusters["coupling_used"] else ""
    effect = clusters["design_effect"]
    size = "" if effect is None else f"; design effect {number(effect)}"
    return f"dependence λ = {number(coupling)}{known}{used}{size}"


def clusters_note(clusters: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return a note if one cluster dominates the result."""
    share = 0.0 if clusters is None else clusters.get("largest_share", 0.0)
    if share <= LARGE_SHARE:
        return ()
    return (
        f"one cluster has {percent(share)} of the rows: the p-value and the intervals are not "
        "reliable, since only clusters are independent",
    )


def repeated_note(details: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a note on rows with repeated predictions, unless clusters explain them."""
    count = details.get("repeated_rows", 0)
    if not count:
        return ()
    return (
        f"{count:,} rows have exactly the prediction of another row: if rows belong together, "
        "name their clusters; the p-value treats them as independent",
    )


def missing_note(details: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a note on effects that were not computed, if any."""
    missing = details.get("missing_effects")
    if not missing:
        return ()
    return (f"not computed from streamed rows: {', '.join(missing)}; they would need more memory",)


def detectable_line(detectable: Mapping[str, Any]) -> str:
    """Name the temperatures that these rows would reveal."""
    ends = (("above", detectable["over"]), ("below", detectable["under"]))
    known = " or ".join(f"{side} {factor_text(end)}" for side, end in ends if end)
    power = percent(round(detectable["power"], 2))
    return f"temperatures {known} with {power} power" if known else "hardly anything at this size"


def planned_line(planned: Mapping[str, Any] | None) -> str:
    """Describe how many rows would detect a temperature that these rows cannot detect."""
    if not planned:
        return ""
    return f"; {number(planned['temperature'])} takes about {rounded_rows(planned['n_samples'])}"
