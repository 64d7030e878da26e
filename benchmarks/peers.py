"""Numbers of other libraries, and the equivalent calls of calibrant.

Run it with the other libraries installed; missing ones are named and skipped::

    pip install torch torchmetrics netcal uncertainty-calibration relplot probmetrics numba mapie
    pip install model-diagnostics mcgrad scoringrules statsmodels
    python -m benchmarks.peers

The page `docs/comparison.rst` states the results. The exit code is 1 if a stated equality does
not hold.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

import calibrant as cal
from benchmarks.event_peers import (
    cumulative_of_mapie,
    mcgrad,
    model_diagnostics,
    scoringrules,
    statsmodels,
)
from benchmarks.same import TOLERANCE, Same, class_mean, top
from calibrant.demo import load_digits_predictions
from calibrant.effects import brier, direction, log_loss, rmsce

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: in single precision a confidence may round to 1, which torchmetrics puts into a separate bin
SINGLE = 1e-3

#: package to install, module to import
PEERS = {
    "scikit-learn": "sklearn",
    "torchmetrics": "torchmetrics",
    "netcal": "netcal",
    "uncertainty-calibration": "calibration",
    "relplot": "relplot",
    "probmetrics": "probmetrics",
    "MAPIE": "mapie",
    "model-diagnostics": "model_diagnostics",
    "mcgrad": "mcgrad",
    "scoringrules": "scoringrules",
    "statsmodels": "statsmodels",
}

__all__ = [
    "TOLERANCE",
    "class_mean",
    "main",
    "mcgrad",
    "model_diagnostics",
    "scoringrules",
    "statsmodels",
]


def scikit_learn() -> Iterator[Same]:
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss, log_loss as sklearn_log_loss

    def largest_gap(y: Any, p: Any) -> float:
        observed, predicted = calibration_curve(y, p[:, 1], n_bins=10)
        return float(np.abs(observed - predicted).max())

    name = "scikit-learn"
    yield Same(
        name, "max |difference| of calibration_curve(y, p, n_bins=10)", "MCE(Uniform(10))",
        "binary", largest_gap, cal.MCE(cal.binning.Uniform(10)),
    )  # fmt: skip
    yield Same(
        name, "brier_score_loss(y, p)", "brier(predictions).estimate / 2", "binary",
        lambda y, p: brier_score_loss(y, p[:, 1]), lambda d: brier(d).estimate / 2,
    )  # fmt: skip
    yield Same(
        name, "brier_score_loss(y, P)", "brier(predictions).estimate", "classes",
        brier_score_loss, lambda d: brier(d).estimate,
    )  # fmt: skip
    for kind in ("binary", "classes"):
        yield Same(
            name, "log_loss(y, P)", "log_loss(predictions).estimate", kind,
            sklearn_log_loss, lambda d: log_loss(d).estimate,
        )  # fmt: skip


def torchmetrics() -> Iterator[Same]:
    import torch
    from torchmetrics.functional.classification import (
        binary_calibration_error,
        multiclass_calibration_error,
    )

    def binary(norm: str) -> Callable[[Any, Any], float]:
        return lambda y, p: float(
            binary_calibration_error(torch.tensor(p[:, 1]), torch.tensor(y), n_bins=10, norm=norm)
        )

    def classes(norm: str) -> Callable[[Any, Any], float]:
        return lambda y, p: float(
            multiclass_calibration_error(
                torch.tensor(p), torch.tensor(y), p.shape[1], n_bins=10, norm=norm
            )
        )

    bins = cal.binning.Uniform(10)
    for norm, text, error in (
        ("l1", "ECE(Uniform(10))", cal.ECE(bins)),
        ("l2", "ECE(Uniform(10), norm=2)", cal.ECE(bins, norm=2)),
        ("max", "MCE(Uniform(10))", cal.MCE(bins)),
    ):
        yield Same(
            "torchmetrics", f"binary_calibration_error(n_bins=10, norm={norm!r})", text,
            "binary", binary(norm), error,
        )  # fmt: skip
        yield Same(
            "torchmetrics", f"multiclass_calibration_error(n_bins=10, norm={norm!r})",
            f"{text}, top_label()", "classes", classes(norm), top(error), SINGLE,
        )  # fmt: skip


def netcal() -> Iterator[Same]:
    from netcal.metrics import ACE, ECE, MCE, MMCE

    bins = cal.binning.Uniform(10)
    yield Same(
        "netcal", "ACE(10).measure(P, y)", "abs(Uniform(10).bins(top_label()).gap).mean()",
        "classes", lambda y, p: ACE(10).measure(p, y),
        lambda d: float(np.abs(bins.bins(d.top_label()).gap[:, 1]).mean()),
    )  # fmt: skip
    yield Same(
        "netcal", "ECE(10).measure(p, y)", "ECE(Uniform(10))", "binary",
        lambda y, p: ECE(10).measure(p[:, 1], y), cal.ECE(bins),
    )  # fmt: skip
    yield Same(
        "netcal", "ECE(10).measure(P, y)", "ECE(Uniform(10)), top_label()", "classes",
        lambda y, p: ECE(10).measure(p, y), top(cal.ECE(bins)),
    )  # fmt: skip
    yield Same(
        "netcal", "MCE(10).measure(P, y)", "MCE(Uniform(10)), top_label()", "classes",
        lambda y, p: MCE(10).measure(p, y), top(cal.MCE(bins)),
    )  # fmt: skip
    yield Same(
        "netcal", "MMCE().measure(P, y)", "MMCE(), top_label()", "classes",
        lambda y, p: MMCE().measure(p, y), top(cal.MMCE()),
    )  # fmt: skip


def uncertainty_calibration() -> Iterator[Same]:
    import calibration

    bins, name = cal.binning.Uniform(15), "uncertainty-calibration"
    yield Same(
        name, "get_ece(p, y)", "ECE(Uniform(15))", "binary",
        lambda y, p: calibration.get_ece(p[:, 1], y), cal.ECE(bins),
    )  # fmt: skip
    yield Same(
        name, "get_ece(P, y)", "ECE(Uniform(15)), top_label()", "classes",
        lambda y, p: calibration.get_ece(p, y), top(cal.ECE(bins)),
    )  # fmt: skip
    yield Same(
        name, 'get_ece(P, y, mode="marginal")', "ECE(Uniform(15)), mean of one_vs_rest(c)",
        "classes",
        lambda y, p: calibration.get_ece(p, y, mode="marginal"), class_mean(cal.ECE(bins)),
    )  # fmt: skip
    yield Same(
        name, "get_top_calibration_error(P, y)", "rmsce(top_label()).estimate", "classes",
        calibration_of_the_top_label, lambda d: rmsce(d.top_label()).estimate,
    )  # fmt: skip


def calibration_of_the_top_label(y: Any, p: Any) -> float:
    import calibration

    return float(calibration.get_top_calibration_error(p, y))


def relplot() -> Iterator[Same]:
    from relplot.metrics import binnedECE

    yield Same(
        "relplot", "binnedECE(p, y, 10)", "ECE(Uniform(10))", "binary",
        lambda y, p: binnedECE(p[:, 1], y, 10), cal.ECE(cal.binning.Uniform(10)),
    )  # fmt: skip


def probmetrics() -> Iterator[Same]:
    import torch
    from probmetrics.metrics import BrierLoss, CalibrationError

    def computed(metric: Any) -> Callable[[Any, Any], float]:
        return lambda y, p: float(
            metric.compute_from_labels_probs(torch.tensor(y), torch.tensor(p))
        )

    bins = cal.binning.Uniform(15)
    yield Same(
        "probmetrics", "ece-15", "ECE(Uniform(15))", "binary",
        computed(CalibrationError(15)), cal.ECE(bins), SINGLE,
    )  # fmt: skip
    yield Same(
        "probmetrics", "ece-15", "ECE(Uniform(15)), top_label()", "classes",
        computed(CalibrationError(15)), top(cal.ECE(bins)), SINGLE,
    )  # fmt: skip
    for kind in ("binary", "classes"):
        yield Same(
            "probmetrics", "brier", "brier(predictions).estimate", kind,
            computed(BrierLoss()), lambda d: brier(d).estimate,
        )  # fmt: skip


def mapie() -> Iterator[Same]:
    from mapie.metrics.calibration import expected_calibration_error, spiegelhalter_statistic

    bins = cal.binning.Uniform(10)
    yield Same(
        "MAPIE", "expected_calibration_error(y, p, num_bins=11)", "ECE(Uniform(10))", "binary",
        lambda y, p: expected_calibration_error(y, p[:, 1], num_bins=11), cal.ECE(bins),
    )  # fmt: skip
    yield Same(
        "MAPIE", "expected_calibration_error(y == argmax, P, num_bins=11)",
        "ECE(Uniform(10)), top_label()", "classes",
        lambda y, p: expected_calibration_error((p.argmax(axis=1) == y) * 1, p, num_bins=11),
        top(cal.ECE(bins)),
    )  # fmt: skip
    yield Same(
        "MAPIE", "expected_calibration_error(classwise=True, num_bins=11)",
        "ECE(Uniform(10)), mean of one_vs_rest(c)", "classes",
        lambda y, p: expected_calibration_error(
            None, p, num_bins=11, classwise=True, class_labels=y
        ),
        class_mean(cal.ECE(bins)),
    )  # fmt: skip
    yield Same(
        "MAPIE", "spiegelhalter_statistic(y, p)", "-direction(predictions).z", "binary",
        lambda y, p: spiegelhalter_statistic(y, p[:, 1]), lambda d: -direction(d).z,
    )  # fmt: skip
    yield from cumulative_of_mapie()


def binned_errors() -> Iterator[tuple[str, Callable[[Any, Any, int], float]]]:
    """Yield for every library its ECE of P(class 1) with a number of bins of equal width."""
    if has("scikit-learn"):
        from sklearn.calibration import calibration_curve

        def of_the_curve(y: Any, p: Any, n: int) -> float:
            # the curve has no counts, which these three data sets do not need
            observed, predicted = calibration_curve(y, p, n_bins=n)
            weight = 1.0 if len(observed) == 1 else 0.5
            return float(weight * np.abs(observed - predicted).sum())

        yield "scikit-learn", of_the_curve
    if has("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_calibration_error

        yield (
            "torchmetrics",
            lambda y, p, n: float(
                binary_calibration_error(torch.tensor(p), torch.tensor(y), n_bins=n)
            ),
        )
    if has("netcal"):
        from netcal.metrics import ECE

        yield "netcal", lambda y, p, n: float(ECE(n).measure(p, y))
    if has("uncertainty-calibration"):
        import calibration

        yield "uncertainty-calibration", lambda y, p, n: calibration.get_ece(p, y, num_bins=n)
    if has("relplot"):
        from relplot.metrics import binnedECE

        yield "relplot", lambda y, p, n: binnedECE(p, y, n)
    if has("MAPIE"):
        from mapie.metrics.calibration import expected_calibration_error

        yield "MAPIE", lambda y, p, n: expected_calibration_error(y, p, num_bins=n + 1)
    yield "calibrant", lambda y, p, n: cal.ECE(cal.binning.Uniform(n))(y, p)


def edges(error: Callable[[Any, Any, int], float]) -> dict[str, str]:
    """Return where a binned error with two bins puts an inner edge, 0 and 1."""
    inner = error(np.array([1, 0]), np.array([0.25, 0.5]), 2)
    ones = error(np.array([1, 0]), np.array([0.75, 1.0]), 2)
    zeros = error(np.array([1, 0]), np.array([0.0, 0.25]), 2)
    return {
        "1/2 of two bins": {0.125: "first", 0.625: "second"}.get(round(inner, 6), f"? {inner}"),
        "1": {0.375: "last bin", 0.625: "apart"}.get(round(ones, 6), f"? {ones}"),
        "0": {0.375: "first bin", 0.625: "apart"}.get(round(zeros, 6), f"? {zeros}"),
    }


def data_sets() -> dict[str, dict[str, cal.Predictions]]:
    """Return data sets by kind: 300 random rows, and the network of the demo."""
    y_true, y_prob = cal.models.TemperatureModel(1.0, 4, temperature=1.5).sample(300, rng=0)
    small, network = cal.Predictions(y_true, y_prob), load_digits_predictions()["neural_network"]
    # single precision leaves row sums of 1.00000003, which scikit-learn refuses
    rows = network.y_prob / network.y_prob.sum(axis=1, keepdims=True)
    # 795 = 15 * 53: if bins cannot be equally full, libraries differ in which are fuller
    digits = cal.Predictions(network.y_true[:795], rows[:795])
    return {
        "classes": {"drawn": small, "digits": digits},
        "binary": {"drawn": small.one_vs_rest(1), "digits": digits.one_vs_rest(8)},
    }


def has(peer: str) -> bool:
    """Return whether a library can be imported."""
    try:
        import_module(PEERS[peer])
    except ImportError:
        return False
    return True


def main() -> int:
    """Print versions, equalities and edges; return 1 if a stated equality does not hold."""
    found = [peer for peer in PEERS if has(peer)]
    print("calibrant", version_of("calibrant"), *(f"· {p} {version_of(p)}" for p in found))
    for peer in PEERS.keys() - set(found):
        print(f"not installed: {peer}")
    failures = 0
    data = data_sets()
    for peer in found:
        for same in globals()[peer.replace("-", "_").lower()]():
            for name, predictions in data[same.kind].items():
                ours = same.translate(predictions)
                # a sum of classes may exceed 1 by rounding, which scikit-learn refuses
                y_prob = np.minimum(predictions.y_prob, 1.0)
                theirs = float(same.compute(predictions.y_true.copy(), y_prob))
                equal = abs(ours - theirs) <= same.tolerance
                failures += not equal
                print(
                    f"{'same ' if equal else 'OTHER'} {same.kind:7} {name:6} {theirs:.12f} "
                    f"{ours:.12f} {abs(ours - theirs):.1e}  {peer}: {same.theirs} = {same.ours}"
                )
    for name, error in binned_errors():
        print(f"{name:24}", *(f"{at}: {where};" for at, where in edges(error).items()))
    return int(failures > 0)


def version_of(package: str) -> str:
    """Return the installed version, or that of the source tree."""
    try:
        return version(package)
    except ImportError:
        return "(source)"


if __name__ == "__main__":
    sys.exit(main())
