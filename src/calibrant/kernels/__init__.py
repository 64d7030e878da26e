"""Kernels on the probability simplex, their bandwidths and bounds."""

from calibrant.kernels._bandwidth import (
    BandwidthRule,
    Mean,
    Median,
    mean_bandwidth,
    median_bandwidth,
)
from calibrant.kernels._base import Kernel, ScalarKernel
from calibrant.kernels._check import check_kernel
from calibrant.kernels._classwise import Classwise
from calibrant.kernels._combine import Scaled, Sum
from calibrant.kernels._function import FunctionKernel, MatrixKernel
from calibrant.kernels._lift import Lifted
from calibrant.kernels._radial import Gaussian, Laplacian, RationalQuadratic

__all__ = [
    "BandwidthRule",
    "Classwise",
    "FunctionKernel",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Lifted",
    "MatrixKernel",
    "Mean",
    "Median",
    "RationalQuadratic",
    "ScalarKernel",
    "Scaled",
    "Sum",
    "check_kernel",
    "mean_bandwidth",
    "median_bandwidth",
]
