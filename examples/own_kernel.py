"""
Your own kernel
===============

Classes often have a meaning: grades, ages, stages. Two predictions with the same expected grade may
then count as similar. A kernel that says so asks "given the expected grade, are the predictions
right?", and ignores everything else.
"""

from dataclasses import dataclass

import numpy as np

import calibrant as cal
from calibrant.testing import check_kernel


@dataclass(frozen=True)
class ExpectedGrade(cal.kernels.ScalarKernel):
    """k(p, q) = exp(−|E_p − E_q|/h) with the expected grades E_p = Σ_c c·p_c."""

    bandwidth: float = 0.5

    def tile(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Return the values for rows s (a, m) and t (b, m) as an array (a, b)."""
        grades = np.arange(s.shape[1])
        # sums along a row, so that a value does not depend on the rows beside it
        expected, others = (s * grades).sum(axis=1), (t * grades).sum(axis=1)
        return np.exp(-np.abs(expected[:, None] - others) / self.bandwidth)

    @property
    def sup(self) -> float:
        """The largest value, which makes the bounds of the paper available."""
        return 1.0


@dataclass(frozen=True)
class NoKernel(ExpectedGrade):
    """Decreases with the distance of the grades as well, but is not a kernel."""

    def tile(self, s: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Return 1 − |E_p − E_q|, which is not positive semi-definite."""
        grades = np.arange(s.shape[1])
        return 1.0 - np.abs((s * grades).sum(axis=1)[:, None] - (t * grades).sum(axis=1))


# %%
# ``check_kernel`` distinguishes a kernel from a function that only looks like one.

check_kernel(ExpectedGrade(), n_classes=5)
print("ExpectedGrade obeys the rules of a kernel.")
try:
    check_kernel(NoKernel(), n_classes=5)
except ValueError as error:
    print(f"NoKernel does not: {error}")

# %%
# Estimate and test with it. In this model high grades are more frequent than predicted.

shifted = cal.models.LogitShift(np.linspace(0.0, 1.0, 5))
y_true, y_prob = cal.models.Distorted(1.0, 5, truth=shifted).sample(400, rng=0)
skce = cal.SKCE(ExpectedGrade(0.5))
print(f"SKCE = {skce(y_true, y_prob):.4f}")
result = cal.calibration_test(y_true, y_prob, estimator=skce, rng=0)
print(result.verdict)
cal.plots.NullDistributionDisplay.from_result(result).plot()
