"""Calibration tests, which turn an estimate into evidence."""

from calibrant._engine import Coupling
from calibrant._output import publish
from calibrant.methods._aggregated import Aggregated
from calibrant.methods._asymptotic import Asymptotic, resample_counts
from calibrant.methods._asymptotic_block import AsymptoticBlock
from calibrant.methods._auto import Auto, Choice
from calibrant.methods._base import (
    Evidence,
    Method,
    Rates,
    Setting,
    check_resamples,
    monte_carlo_pvalue,
)
from calibrant.methods._between_clusters import BetweenClusters
from calibrant.methods._clusters import LARGE_SHARE, describe_clusters, require_clusters
from calibrant.methods._cme import CME
from calibrant.methods._combination import combine, pooled_tails
from calibrant.methods._components import Components
from calibrant.methods._consistency import Consistency, ConsistencyResampler
from calibrant.methods._distribution_free import DistributionFree
from calibrant.methods._exact import Exact
from calibrant.methods._families import Families, full_families
from calibrant.methods._family_tails import WEIGHTS, component_tails, family_tails
from calibrant.methods._family_words import family_names
from calibrant.methods._linear_chunk import LinearChunk
from calibrant.methods._linear_families import segments_of
from calibrant.methods._linear_plan import LinearPlan
from calibrant.methods._linear_state import LinearState
from calibrant.methods._local_errors import LocalErrors
from calibrant.methods._moments import Moments
from calibrant.methods._pair_matrix import NUMPY_COST
from calibrant.methods._power import simulate_pvalues
from calibrant.methods._quadratic_forms import line_weighted_sums
from calibrant.methods._scales import FRACTIONS

__all__ = [
    "CME",
    "Aggregated",
    "Asymptotic",
    "AsymptoticBlock",
    "Auto",
    "BetweenClusters",
    "Choice",
    "Consistency",
    "ConsistencyResampler",
    "Coupling",
    "DistributionFree",
    "Evidence",
    "Exact",
    "Method",
    "Moments",
    "Rates",
    "Setting",
]

#: methods that need no further choices; the command line knows them by name
NAMED = (
    Aggregated,
    Exact,
    Moments,
    Asymptotic,
    AsymptoticBlock,
    DistributionFree,
    Consistency,
    BetweenClusters,
)

publish(__name__, globals(), __all__)
