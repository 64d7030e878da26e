"""What the pair engine sums: h_ij = k(x_i, x_j)·⟨v_i, v_j⟩, without classes or labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from calibrant._native import FloatArray

Metric = Literal["cityblock", "euclidean"]
Profile = Literal["laplacian", "gaussian"]
#: maps an array of distances to an array of kernel values, elementwise
DistanceFunction = Callable[[FloatArray], FloatArray]
#: maps rows (a, d) and rows (b, d) to kernel values (a, b)
TileFunction = Callable[[FloatArray, FloatArray], FloatArray]
#: maps rows (a, d) and rows (b, d) to matrix-valued kernel blocks (a, b, m, m)
BlockFunction = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class RadialForm:
    """h_ij = scale·φ(rate·‖x_i − x_j‖)·⟨v_i, v_j⟩, the form with a native core.

    ``laplacian``: φ(t) = exp(−t); ``gaussian``: φ(t) = exp(−t²); or any elementwise function
    of t, which must be picklable for process executors. A Laplacian with one column in `x`
    and the cityblock metric is summed exactly in O(n log n).
    """

    x: FloatArray  # (n, d) points
    v: FloatArray  # (n, e) vectors
    metric: Metric
    profile: Profile | DistanceFunction
    rate: float
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class TileForm:
    """h_ij = scale·function(x_i, x_j)·⟨v_i, v_j⟩ for any function on tiles."""

    x: FloatArray
    v: FloatArray
    function: TileFunction
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class BlockForm:
    """h_ij = v_iᵀ function(x_i, x_j) v_j with a matrix-valued function: the slow path."""

    x: FloatArray
    v: FloatArray
    function: BlockFunction


#: a kernel is a sum of forms
Form = RadialForm | TileForm | BlockForm
