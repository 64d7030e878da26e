"""The terms that the pair engine sums: h_ij = k(x_i, x_j)·⟨v_i, v_j⟩."""

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
    """Pair terms of a function of a distance: h_ij = scale·φ(rate·‖x_i − x_j‖)·⟨v_i, v_j⟩.

    The native core sums named profiles. A Laplacian with one column in `x` and the cityblock metric
    is summed exactly in O(n log n).

    Parameters
    ----------
    x : ndarray of shape (n_samples, d)
        Points.
    v : ndarray of shape (n_samples, e)
        Vectors.
    metric : {"cityblock", "euclidean"}
        The norm ‖·‖.
    profile : {"laplacian", "gaussian"} or callable
        φ: exp(−t), exp(−t²), or any elementwise function of an array, picklable if processes
        are to share the work.
    rate, scale : float
        Factors of the distance and of the terms.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import Laplacian
    >>> (form,) = Laplacian(0.25).forms(np.eye(3), np.eye(3))
    >>> form.metric, form.profile, form.rate
    ('cityblock', 'laplacian', 2.0)
    """

    x: FloatArray
    v: FloatArray
    metric: Metric
    profile: Profile | DistanceFunction
    rate: float
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class TileForm:
    """Pair terms of any function on tiles: h_ij = scale·function(x_i, x_j)·⟨v_i, v_j⟩.

    Parameters
    ----------
    x : ndarray of shape (n_samples, d)
        Points.
    v : ndarray of shape (n_samples, e)
        Vectors.
    function : callable
        Maps rows (a, d) and rows (b, d) to kernel values (a, b).
    scale : float, default 1.0
        Factor of the terms.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import FunctionKernel
    >>> (form,) = FunctionKernel(lambda p, q: p @ q.T).forms(np.eye(2), np.eye(2))
    >>> form.function(form.x, form.x[:1]).tolist()
    [[1.0], [0.0]]
    """

    x: FloatArray
    v: FloatArray
    function: TileFunction
    scale: float = 1.0


@dataclass(frozen=True, eq=False)
class BlockForm:
    """Pair terms of a matrix-valued function (slow): h_ij = scale·v_iᵀ function(x_i, x_j) v_j.

    Parameters
    ----------
    x : ndarray of shape (n_samples, d)
        Points.
    v : ndarray of shape (n_samples, n_classes)
        Vectors.
    function : callable
        Maps rows (a, d) and rows (b, d) to blocks (a, b, n_classes, n_classes).
    scale : float, default 1.0
        Factor of the terms.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import MatrixKernel
    >>> outer = MatrixKernel(lambda p, q: p[:, None, :, None] * q[None, :, None, :])
    >>> (form,) = outer.forms(np.eye(2), np.eye(2))
    >>> form.function(form.x, form.x).shape
    (2, 2, 2, 2)
    """

    x: FloatArray
    v: FloatArray
    function: BlockFunction
    scale: float = 1.0


#: a kernel is a sum of forms
Form = RadialForm | TileForm | BlockForm
