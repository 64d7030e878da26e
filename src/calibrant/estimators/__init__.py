"""Calibration errors: frozen configurations that are callable on data."""

from __future__ import annotations

from calibrant._output import publish
from calibrant.estimators._base import Estimator
from calibrant.estimators._binned import BinnedEstimator
from calibrant.estimators._block_sums import BlockSums, refuse_soft_blocks
from calibrant.estimators._corp import DSC, MCB, UNC, CorpDecomposition, corp_decomposition
from calibrant.estimators._corp_curve import CorpBand, CorpCurve, corp_curve
from calibrant.estimators._cumulative import (
    CumulativeDifferences,
    KolmogorovSmirnov,
    Kuiper,
    cumulative_differences,
)
from calibrant.estimators._ece import ECE
from calibrant.estimators._feature_skce import (
    N_FREQUENCIES,
    feature_class_sums,
    feature_row_sums,
    feature_spread_sums,
    feature_totals,
)
from calibrant.estimators._hosmer_lemeshow import HosmerLemeshow
from calibrant.estimators._ici import ICI
from calibrant.estimators._inside_sums import inside_sums
from calibrant.estimators._kce import KCE
from calibrant.estimators._mce import MCE
from calibrant.estimators._mmce import MMCE
from calibrant.estimators._multi_scale import MultiScale
from calibrant.estimators._of_event import OfEvent
from calibrant.estimators._rps import RPS, ranked_scores
from calibrant.estimators._scorer import Scorer
from calibrant.estimators._skce import SKCE, default_bandwidth, pairs_visited
from calibrant.estimators._skce_label_sets import laplacian_pair_sums
from calibrant.estimators._smooth_ece import SmoothECE
from calibrant.estimators._ucme import UCME

__all__ = [
    "DSC",
    "ECE",
    "ICI",
    "KCE",
    "MCB",
    "MCE",
    "MMCE",
    "RPS",
    "SKCE",
    "UCME",
    "UNC",
    "CorpBand",
    "CorpCurve",
    "CorpDecomposition",
    "CumulativeDifferences",
    "Estimator",
    "HosmerLemeshow",
    "KolmogorovSmirnov",
    "Kuiper",
    "MultiScale",
    "OfEvent",
    "Scorer",
    "SmoothECE",
    "corp_curve",
    "corp_decomposition",
    "cumulative_differences",
]

#: those that the package also exports at the top level
_TOP = {"ECE", "KCE", "MCE", "MMCE", "SKCE", "UCME", "Estimator", "SmoothECE"}
publish("calibrant", globals(), _TOP)
publish(__name__, globals(), set(__all__) - _TOP)
