"""Calibration tests: from an estimate to evidence."""

from calibrant.methods._aggregated import Aggregated
from calibrant.methods._asymptotic import Asymptotic
from calibrant.methods._asymptotic_block import AsymptoticBlock
from calibrant.methods._auto import Auto, Choice
from calibrant.methods._base import Evidence, Method, Setting
from calibrant.methods._cme import CME
from calibrant.methods._consistency import Consistency, ConsistencyResampler
from calibrant.methods._distribution_free import DistributionFree
from calibrant.methods._exact import Exact
from calibrant.methods._moments import Moments

__all__ = [
    "CME",
    "Aggregated",
    "Asymptotic",
    "AsymptoticBlock",
    "Auto",
    "Choice",
    "Consistency",
    "ConsistencyResampler",
    "DistributionFree",
    "Evidence",
    "Exact",
    "Method",
    "Moments",
    "Setting",
]
