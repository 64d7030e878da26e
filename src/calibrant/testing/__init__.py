"""Checks for the kernels, calibration errors and binnings of third parties."""

from calibrant.kernels import check_kernel
from calibrant.testing._binning import check_binning
from calibrant.testing._estimator import check_estimator

__all__ = ["check_binning", "check_estimator", "check_kernel"]
