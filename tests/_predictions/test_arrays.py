import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array
from tests._predictions.protocols import OnlyDLPack

from calibrant._predictions import Predictions
from calibrant._predictions._arrays import read

P = np.array([[0.5, 0.25, 0.25], [0.125, 0.25, 0.625]])
Y = [0, 2]


class ArrayProtocol:
    """A tensor of another library, read through ``__array__``."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32))
@settings(max_examples=30)
def test_every_kind_of_array_gives_the_same_bits(n, m, seed):
    rng = np.random.default_rng(seed)
    y_true, y_prob = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    expected = Predictions(y_true, y_prob)
    forms = [
        (y_true.tolist(), y_prob.tolist()),
        (tuple(y_true), tuple(map(tuple, y_prob))),
        (list(y_true), list(y_prob)),
        (y_true, np.asfortranarray(y_prob)),
        (y_true, np.repeat(y_prob, 2, axis=1)[:, ::2]),
        (y_true.astype(">i4"), y_prob.astype(">f8")),
        (ArrayProtocol(y_true), ArrayProtocol(y_prob)),
        (OnlyDLPack(y_true), OnlyDLPack(y_prob)),
        (np.ma.masked_array(y_true), np.ma.masked_array(y_prob)),
    ]
    for labels, table in forms:
        predictions = Predictions(labels, table)
        assert predictions.y_prob.tobytes() == expected.y_prob.tobytes()
        assert predictions.y_true.tobytes() == expected.y_true.tobytes()
        assert predictions.y_prob.flags.c_contiguous


def test_bfloat16_arrays_of_ml_dtypes_are_read_exactly():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    rounded = np.array([[0.1, 0.9]]).astype(ml_dtypes.bfloat16)
    source = read(rounded, "y_prob")
    assert source.precision == "bfloat16"
    assert np.array_equal(source.values, rounded.astype(np.float32))


def test_masked_values_are_refused():
    masked = np.ma.masked_array(P, mask=[[False, False, False], [False, True, True]])
    message = (
        "`y_prob` must not have masked values; got 2 masked values, the first at row 1, column 1"
    )
    with pytest.raises(ValueError, match=message):
        Predictions(Y, masked)
    with pytest.raises(
        ValueError, match="`y_true` must not have masked values; got 1 masked value, "
    ):
        Predictions(np.ma.masked_equal(Y, 2), P)


def test_rows_of_different_length_are_refused():
    with pytest.raises(ValueError, match="`y_prob` must be array-like, with rows of equal length"):
        Predictions(Y, [[0.5, 0.5], [1.0]])


def test_a_sparse_matrix_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"got a sparse matrix. Pass `y_prob.toarray\(\)`"):
        Predictions(Y, csr_array(P))


@pytest.mark.parametrize("data", [None, {"a": [0.5]}, {0.5}, (p for p in [0.5]), object()])
def test_what_is_no_array_is_refused(data):
    with pytest.raises(ValueError, match=f"`y_prob` must be array-like; got {type(data).__name__}"):
        Predictions(Y, data)


def test_a_tensor_that_numpy_cannot_read_is_refused():
    class Elsewhere:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("move it to the host first")

    with pytest.raises(
        ValueError, match="got Elsewhere, which NumPy could not read: move it to the host first"
    ):
        Predictions(Y, Elsewhere())


def test_arrays_and_lists_load_no_other_library():
    code = (
        "import sys; from calibrant._predictions import Predictions;"
        "Predictions(['a', 'b'], [[.5, .5], [.5, .5]], classes=['a', 'b']).top_label();"
        "heavy = {'narwhals', 'pandas', 'polars', 'pyarrow', 'torch', 'scipy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
