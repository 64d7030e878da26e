"""Tell whether a probabilistic classifier can be trusted."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from calibrant import binning, kernels
from calibrant._native import core_info
from calibrant._predictions import Predictions
from calibrant.estimators import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator

if TYPE_CHECKING:
    from calibrant import models

__all__ = [
    "ECE",
    "KCE",
    "MCE",
    "MMCE",
    "SKCE",
    "UCME",
    "Estimator",
    "Predictions",
    "binning",
    "core_info",
    "kernels",
    "models",
]

#: loaded when first asked for: not every program pays for them
_LAZY = {"models": "calibrant.models"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return import_module(_LAZY[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
