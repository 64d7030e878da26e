"""Sums over rows and pairs of rows: tiles, label sets, random features, resampling."""

from calibrant._engine import sizes
from calibrant._engine._class_tables import (
    bucket_sums,
    cell_pair_sums,
    own_cell_sums,
    squared_deviations,
)
from calibrant._engine._coupled_sets import (
    CoupledResampler,
    couple,
    coupling_of_rows,
    resampler_for,
)
from calibrant._engine._coupling import (
    FEWEST_CLUSTERS,
    Coupling,
    cluster_sample,
    coupling_of,
    estimate_coupling,
    sample_limit,
    sample_rows,
    shared_agreement,
)
from calibrant._engine._covariances import covariance_products
from calibrant._engine._directions import (
    CLEAR,
    CONFLICTS,
    LOG_FLOOR,
    Conflict,
    Verdict,
    agreed_direction,
    center_scores,
    direction_terms,
    floored_log,
    name_direction,
    standardize,
)
from calibrant._engine._distance_order import collect_distances, count_distances
from calibrant._engine._features import FourierFeatures
from calibrant._engine._forms import (
    BlockForm,
    BlockFunction,
    DistanceFunction,
    Form,
    Metric,
    Profile,
    RadialForm,
    TileForm,
    TileFunction,
)
from calibrant._engine._grids import RandomGrids
from calibrant._engine._isotonic import pool_adjacent
from calibrant._engine._label_set_pairs import lifted_pair_sums, residual_pair_sums
from calibrant._engine._label_set_sums import (
    binned,
    cell_sums,
    class_score_sums,
    feature_sums,
    few_class_sums,
    line_sums,
    score_sums,
)
from calibrant._engine._label_sets import BATCH, LabelSets, residual_values
from calibrant._engine._pair_sums import (
    Tile,
    as_batches,
    block_sums,
    is_line,
    line_apply,
    many_pair_sums,
    on_tile,
    pair_sum,
    row_sums,
    tile_pairs,
    tile_rows,
    triangle,
)
from calibrant._engine._products import kernel_products
from calibrant._engine._random import RandomSource, as_generator
from calibrant._engine._resampling import (
    LabelResampler,
    label_type,
    labels_below,
    philox4x32,
    unit_interval,
)
from calibrant._engine._tails import SMALLEST, normal_tail, two_sided_tail
from calibrant._engine._tempered import (
    TemperedMoments,
    label_logs,
    odds_scores,
    odds_sums,
    shifted_moments,
    shifted_odds,
    tempered_moments,
)
from calibrant._engine._tiles import (
    block_residual_sums,
    distances,
    is_radial,
    kernel_values,
    pair_products,
    radial_gram,
    restrict,
    tile_sum,
)
from calibrant._engine._twin import scan
