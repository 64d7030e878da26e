"""Calibration tests: from an estimate to evidence."""

from calibrant.methods._aggregated import Aggregated
from calibrant.methods._auto import Auto, Choice
from calibrant.methods._base import Evidence, Method, Setting
from calibrant.methods._exact import Exact
from calibrant.methods._moments import Moments

__all__ = [
    "Aggregated",
    "Auto",
    "Choice",
    "Evidence",
    "Exact",
    "Method",
    "Moments",
    "Setting",
]
