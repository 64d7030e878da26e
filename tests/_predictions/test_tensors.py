import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import softmax
from tests._predictions.protocols import OnlyDLPack

from calibrant._predictions import Predictions
from calibrant._predictions._arrays import read
from calibrant.errors import RowSumWarning

torch = pytest.importorskip("torch")

ROUNDINGS = ["float64", "float32", "float16", "bfloat16"]


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_tensors_give_the_same_bits_as_arrays(n, m, seed):
    rng = np.random.default_rng(seed)
    y_true, y_prob = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    tables = [
        torch.tensor(y_prob),
        torch.tensor(y_prob, requires_grad=True),
        torch.tensor(y_prob.T.copy()).T,
        torch.tensor(y_prob).to_sparse(),
    ]
    for table in tables:
        predictions = Predictions(torch.tensor(y_true), table)
        assert predictions.y_prob.tobytes() == y_prob.tobytes()
        assert predictions.y_true.tobytes() == y_true.tobytes()


@given(st.integers(2, 40), st.integers(0, 2**32), st.sampled_from(ROUNDINGS))
@settings(deadline=None)
def test_rounded_tensors_keep_the_exact_value_of_every_entry(m, seed, dtype):
    exact = np.random.default_rng(seed).dirichlet(np.full(m, 0.5), 5)
    rounded = torch.tensor(exact).to(getattr(torch, dtype))
    assert read(rounded, "y_prob").precision == dtype
    predictions = Predictions(torch.tensor([0, 1, 1, 0, 1]), rounded)
    assert np.array_equal(predictions.y_prob, rounded.double().numpy())


def test_the_row_sum_tolerance_of_bfloat16_is_its_own():
    within = torch.tensor([[0.25, 0.75 - 2**-7]], dtype=torch.bfloat16)
    assert np.array_equal(Predictions([0], within).y_prob, [[0.25, 0.75 - 2**-7]])
    with pytest.warns(RowSumWarning, match="off by at most 0.0098"):
        Predictions([0], torch.tensor([[0.25 - 2**-9, 0.75 - 2**-7]], dtype=torch.bfloat16))


def test_boolean_tensors_are_labels():
    predictions = Predictions(torch.tensor([True, False]), torch.tensor([0.5, 0.25]))
    assert predictions.y_true.tolist() == [1, 0]


def test_bfloat16_logits_are_computed_in_float64():
    z = torch.tensor([[1.0, -2.0, 0.3], [300.0, 299.0, -100.0]], dtype=torch.bfloat16)
    expected = softmax(z.double().numpy(), axis=1)
    np.testing.assert_allclose(Predictions.from_logits([0, 1], z).y_prob, expected, rtol=1e-13)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_contiguous_float64_tensors_are_not_copied(requires_grad):
    table = torch.full((6, 4), 0.25, dtype=torch.float64, requires_grad=requires_grad)
    labels = torch.tensor([0, 1, 2, 3, 0, 1])
    predictions = Predictions(labels, table)
    assert predictions.y_prob.ctypes.data == table.data_ptr()
    assert predictions.y_true.ctypes.data == labels.data_ptr()
    assert not predictions.y_prob.flags.writeable
    assert table.requires_grad == requires_grad


def test_tensors_that_speak_dlpack_are_not_copied():
    values = np.full((6, 4), 0.25)
    predictions = Predictions([0, 1, 2, 3, 0, 1], OnlyDLPack(values))
    assert predictions.y_prob.ctypes.data == values.ctypes.data
