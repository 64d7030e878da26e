"""The one dict that page, JSON and text are made from."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._document import document
from calibrant._native import core_info
from calibrant._predictions._class_rates import class_rates
from calibrant._result import LEVEL
from calibrant._version import installed_version
from calibrant.report._words import verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._predictions import Predictions
    from calibrant.plots import Display
    from calibrant.report._contents import Contents, ModelContents
    from calibrant.report._settings import Settings

#: what numbers and pictures depend on
_LIBRARIES = ("numpy", "scipy", "matplotlib")
CITATION = (
    "D. Widmann, F. Lindsten and D. Zachariah, “Calibration tests in multi-class classification: "
    "a unifying framework”, Advances in Neural Information Processing Systems 32, 2019, "
    "https://arxiv.org/abs/1910.11385"
)


def summarised(
    contents: Contents, settings: Settings, title: str, origin: Mapping[str, Any]
) -> dict[str, Any]:
    """Return everything as plain values; see docs/report.rst for what is where."""
    inputs = origin.get("inputs", {})
    comparison = None
    if contents.comparison is not None and contents.comparison_display is not None:
        comparison = {
            "result": contents.comparison.to_dict(),
            "figure": _figure(contents.comparison_display),
        }
    return document(
        "report",
        {
            "title": title,
            "seed": settings.seed,
            "settings": settings.to_dict(),
            "models": {
                name: _model(model, inputs.get(name)) for name, model in contents.models.items()
            },
            "comparison": comparison,
            "reproduce": {
                "command": origin.get("command"),
                "core": core_info()["core"],
                "versions": {name: installed_version(name) for name in _LIBRARIES},
                "citation": CITATION,
            },
        },
    )


def _model(model: ModelContents, given: Mapping[str, Any] | None) -> dict[str, Any]:
    test = model.test.to_dict()
    return {
        "verdict": verdict(test),
        "against": model.test.pvalue <= LEVEL,
        "input": None if given is None else dict(given),
        "data": {
            "n_samples": model.predictions.n_samples,
            "n_classes": model.predictions.n_classes,
            "weighted": model.predictions.sample_weight is not None,
            "sha256": fingerprint(model.predictions),
            "classes": class_rates(model.predictions),
        },
        "test": test,
        "measures": [effect.to_dict() for effect in model.measures],
        "where": model.where.to_dict(),
        "figures": {
            "reliability": [
                {
                    "label": None if one.label is None else str(one.label),
                    "ece": one.ece,
                    **_figure(one),
                }
                for one in model.reliability
            ],
            "null": _figure(model.null),
            "detectable": _figure(model.detectable),
            "contributions": {
                name: {"title": one.title, "description": one.describe()}
                for name, one in model.contributions.items()
            },
            "simplex": None if model.simplex is None else _figure(model.simplex),
        },
    }


def _figure(display: Display) -> dict[str, Any]:
    return {"title": display.title, "description": display.describe(), "table": display.table()}


def fingerprint(predictions: Predictions) -> str:
    """Return the SHA-256 of labels, probabilities and weights, little-endian, row by row."""
    found = hashlib.sha256()
    found.update(np.ascontiguousarray(predictions.y_true, dtype="<i8").tobytes())
    found.update(np.ascontiguousarray(predictions.y_prob, dtype="<f8").tobytes())
    if predictions.sample_weight is not None:
        found.update(np.ascontiguousarray(predictions.sample_weight, dtype="<f8").tobytes())
    return found.hexdigest()
