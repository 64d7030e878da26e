"""Tell whether a probabilistic classifier can be trusted."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from calibrant import binning, kernels
from calibrant._native import core_info
from calibrant._predictions import Predictions
from calibrant.estimators import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator

if TYPE_CHECKING:
    from calibrant import methods, models
    from calibrant._calibration_test import calibration_test
    from calibrant._result import CalibrationTestResult
    from calibrant._where import WhereResult, where

__all__ = [
    "ECE",
    "KCE",
    "MCE",
    "MMCE",
    "SKCE",
    "UCME",
    "CalibrationTestResult",
    "Estimator",
    "Predictions",
    "WhereResult",
    "binning",
    "calibration_test",
    "core_info",
    "kernels",
    "methods",
    "models",
    "where",
]

#: loaded when first asked for: not every program pays for them
_LAZY = {
    "CalibrationTestResult": "calibrant._result",
    "WhereResult": "calibrant._where",
    "calibration_test": "calibrant._calibration_test",
    "methods": "calibrant",
    "models": "calibrant",
    "where": "calibrant._where",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _LAZY[name]
    value = (
        import_module(f"{home}.{name}")
        if home == __name__
        else getattr(import_module(home), name)
    )
    globals()[name] = value  # the next look finds it without asking
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
