"""Plots of calibration, drawn with matplotlib."""

from __future__ import annotations

from calibrant._output import publish
from calibrant.plots._class_contribution import ClassContributionDisplay
from calibrant.plots._classwise_reliability import ClasswiseReliabilityDisplay
from calibrant.plots._comparison import ComparedPair, ComparisonDisplay
from calibrant.plots._cumulative import CumulativeDisplay
from calibrant.plots._detectable import DetectableDisplay
from calibrant.plots._display import Display, Drawing
from calibrant.plots._null_distribution import NullDistributionDisplay
from calibrant.plots._panels import legend_entries
from calibrant.plots._reliability import ReliabilityDisplay
from calibrant.plots._reliability_comparison import ReliabilityComparisonDisplay
from calibrant.plots._simplex import SimplexDisplay
from calibrant.plots._style import BLUE, GRAY, GREEN, INK, STYLE, VERMILLION, pristine
from calibrant.plots._svg import Picture, to_svg

__all__ = [
    "ClassContributionDisplay",
    "ClasswiseReliabilityDisplay",
    "ComparedPair",
    "ComparisonDisplay",
    "CumulativeDisplay",
    "DetectableDisplay",
    "Display",
    "Drawing",
    "NullDistributionDisplay",
    "Picture",
    "ReliabilityComparisonDisplay",
    "ReliabilityDisplay",
    "SimplexDisplay",
    "to_svg",
]

publish(__name__, globals(), __all__)
