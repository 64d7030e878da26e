"""Kernels on the probability simplex, their bandwidths and bounds."""

from calibrant._engine import BlockForm, Form, RadialForm, TileForm
from calibrant._output import publish
from calibrant.kernels._bandwidth import (
    BandwidthRule,
    Mean,
    Median,
    mean_bandwidth,
    median_bandwidth,
)
from calibrant.kernels._base import Kernel, ScalarKernel, as_scalar
from calibrant.kernels._bounds import check_orders
from calibrant.kernels._classwise import Classwise
from calibrant.kernels._combine import Scaled, Sum
from calibrant.kernels._function import FunctionKernel, MatrixKernel
from calibrant.kernels._lift import Lifted
from calibrant.kernels._metrics import GEOMETRIES
from calibrant.kernels._radial import (
    Gaussian,
    Laplacian,
    Matern,
    RadialKernel,
    RationalQuadratic,
    bandwidth_of,
    fixed_bandwidth,
)
from calibrant.kernels._typical import Typical

__all__ = [
    "BandwidthRule",
    "BlockForm",
    "Classwise",
    "Form",
    "FunctionKernel",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Lifted",
    "Matern",
    "MatrixKernel",
    "Mean",
    "Median",
    "RadialForm",
    "RadialKernel",
    "RationalQuadratic",
    "ScalarKernel",
    "Scaled",
    "Sum",
    "TileForm",
    "Typical",
    "mean_bandwidth",
    "median_bandwidth",
]

publish(__name__, globals(), __all__)
