"""The order of the gallery: from a first test to what fewer people need."""

from __future__ import annotations

from pathlib import Path

ORDER = (
    "binary_risk_model",
    "many_classes",
    "noise_floor",
    "how_many_rows",
    "groups_and_fairness",
    "compare_models",
    "repair_a_network",
    "recalibrate",
    "gate_in_ci",
    "imbalanced",
    "clusters",
    "llm_evaluation",
    "many_labels",
    "ordered_grades",
    "label_shift",
    "own_kernel",
    "train_with_penalty",
    "dask_cluster",
    "paper_figure",
)


def place(path: str) -> tuple[int, str]:
    """Return the place of an example; those that are not listed come last."""
    name = Path(path).stem
    return ORDER.index(name) if name in ORDER else len(ORDER), name
