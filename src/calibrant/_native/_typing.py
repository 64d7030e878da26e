"""The array types of the whole library."""

from __future__ import annotations

from typing import Any

import numpy as np

# not `numpy.typing.NDArray`, whose runtime type changes in NumPy 2.5: results are read from JSON
# by these types
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
