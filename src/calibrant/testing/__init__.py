"""An assertion for test suites, and checks of custom kernels, estimators and binnings."""

from calibrant._output import publish
from calibrant.testing._assertion import assert_calibrated
from calibrant.testing._binning import check_binning
from calibrant.testing._estimator import check_estimator
from calibrant.testing._kernel import check_kernel

__all__ = ["assert_calibrated", "check_binning", "check_estimator", "check_kernel"]

publish(__name__, globals(), __all__)
