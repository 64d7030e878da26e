"""Tell whether a probabilistic classifier can be trusted.

Names are loaded when they are first asked for (PEP 562): a program pays for what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calibrant import binning, kernels, methods, models, plots, streaming, testing
    from calibrant._calibration_test import calibration_test
    from calibrant._compare import ComparisonResult, compare
    from calibrant._cost import Cost, estimate_cost
    from calibrant._native import core_info
    from calibrant._predictions import Predictions
    from calibrant._result import CalibrationTestResult
    from calibrant._where import WhereResult, where
    from calibrant.estimators import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator
    from calibrant.report import Report

__all__ = [
    "ECE",
    "KCE",
    "MCE",
    "MMCE",
    "SKCE",
    "UCME",
    "CalibrationTestResult",
    "ComparisonResult",
    "Cost",
    "Estimator",
    "Predictions",
    "Report",
    "WhereResult",
    "binning",
    "calibration_test",
    "compare",
    "core_info",
    "estimate_cost",
    "kernels",
    "methods",
    "models",
    "plots",
    "streaming",
    "testing",
    "where",
]

#: where each name lives; the namespaces are modules of their own
_HOMES = {
    "ECE": "calibrant.estimators",
    "KCE": "calibrant.estimators",
    "MCE": "calibrant.estimators",
    "MMCE": "calibrant.estimators",
    "SKCE": "calibrant.estimators",
    "UCME": "calibrant.estimators",
    "CalibrationTestResult": "calibrant._result",
    "ComparisonResult": "calibrant._compare",
    "Cost": "calibrant._cost",
    "Estimator": "calibrant.estimators",
    "Predictions": "calibrant._predictions",
    "Report": "calibrant.report",
    "WhereResult": "calibrant._where",
    "calibration_test": "calibrant._calibration_test",
    "compare": "calibrant._compare",
    "core_info": "calibrant._native",
    "estimate_cost": "calibrant._cost",
    "where": "calibrant._where",
}
#: "torch" is not among the names of the package, so that a star import does not load PyTorch
_NAMESPACES = {"binning", "kernels", "methods", "models", "plots", "streaming", "testing", "torch"}


def __getattr__(name: str) -> Any:
    if name in _NAMESPACES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value  # the next look finds it without asking
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
