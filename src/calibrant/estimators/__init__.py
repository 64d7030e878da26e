"""Calibration errors: frozen configurations that are callable on data."""

from __future__ import annotations

from calibrant._output import publish
from calibrant.estimators._base import Estimator
from calibrant.estimators._binned import BinnedEstimator
from calibrant.estimators._block_sums import BlockSums
from calibrant.estimators._corp import MCB, CorpDecomposition, corp_decomposition
from calibrant.estimators._corp_curve import CorpBand, CorpCurve, corp_curve
from calibrant.estimators._ece import ECE
from calibrant.estimators._feature_skce import N_FREQUENCIES, feature_class_sums, feature_row_sums
from calibrant.estimators._kce import KCE
from calibrant.estimators._mce import MCE
from calibrant.estimators._mmce import MMCE
from calibrant.estimators._of_event import OfEvent
from calibrant.estimators._scorer import Scorer
from calibrant.estimators._skce import SKCE, default_bandwidth, pairs_visited
from calibrant.estimators._skce_label_sets import laplacian_pair_sums
from calibrant.estimators._smooth_ece import SmoothECE
from calibrant.estimators._ucme import UCME

__all__ = [
    "ECE",
    "KCE",
    "MCB",
    "MCE",
    "MMCE",
    "SKCE",
    "UCME",
    "CorpBand",
    "CorpCurve",
    "CorpDecomposition",
    "Estimator",
    "OfEvent",
    "Scorer",
    "SmoothECE",
    "corp_curve",
    "corp_decomposition",
]

_HERE = ["MCB", "CorpBand", "CorpCurve", "CorpDecomposition", "OfEvent", "Scorer", "corp_curve",
         "corp_decomposition"]  # fmt: skip
publish("calibrant", globals(), set(__all__) - set(_HERE))
publish(__name__, globals(), _HERE)
