"""Checks for the kernels, calibration errors and binnings of third parties."""

from calibrant._output import publish
from calibrant.testing._binning import check_binning
from calibrant.testing._estimator import check_estimator
from calibrant.testing._kernel import check_kernel

__all__ = ["check_binning", "check_estimator", "check_kernel"]

publish(__name__, globals(), __all__)
