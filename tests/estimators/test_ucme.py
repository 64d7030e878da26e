import math
import pickle

import numpy as np
import pytest
from tests import oracles
from tests.estimators.kernel_pairs import THREE
from tests.samples import make_sample

from calibrant import Predictions
from calibrant.estimators import SKCE, UCME
from calibrant.kernels import Gaussian, Laplacian, MatrixKernel

LOCATIONS = [([1.0, 0.0, 0.0], 0), ([0.2, 0.3, 0.5], 2), ([0.4, 0.4, 0.2], 1), ([0, 0, 1], 1)]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("kernel", "k"), THREE.values(), ids=THREE)
def test_error_is_the_mean_of_the_squared_witness(core, ternary, kernel, k, weighted):
    y, P, w = ternary
    w = w.tolist() if weighted else None
    value = UCME(kernel, LOCATIONS)(y, P, sample_weight=w)
    expected = oracles.ucme(k, LOCATIONS, P.tolist(), y.tolist(), w)
    assert type(value) is float
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, 1], 0.0),
        ([0, 0], (math.exp(-2) + math.exp(-0.5) + 1) / 12),
        ([1, 0], (1 - math.exp(-1)) ** 2 / 6),
    ],
    ids=str,
)
def test_closed_forms_on_two_points(core, labels, expected):
    # CalibrationErrors.jl, test/ucme.jl: kernel exp(−‖p−q‖²/2), predictions at the vertices.
    locations = [([1, 0], 0), ([0.5, 0.5], 0), ([0, 1], 1)]
    assert UCME(Gaussian(1.0), locations)(labels, np.eye(2)) == pytest.approx(
        expected, rel=1e-14, abs=1e-18
    )


@pytest.mark.parametrize(("kernel", "k"), THREE.values(), ids=THREE)
def test_deviations_average_to_the_witness(core, ternary, kernel, k):
    predictions = Predictions(ternary.y, ternary.P)
    deviations = UCME(kernel, LOCATIONS).deviations(predictions)
    witness = SKCE(kernel).witness(predictions, [point for point, _ in LOCATIONS])
    chosen = witness[range(4), [c for _, c in LOCATIONS]]
    assert deviations.shape == (23, 4)
    np.testing.assert_allclose(deviations.mean(axis=0), chosen, rtol=1e-12, atol=1e-15)


def test_rows_of_the_slow_path_are_put_together(core):
    y, P, _ = make_sample(0, 600, 3)
    slow = MatrixKernel(lambda p, q: Laplacian(0.3).blocks(p, q))
    fast = UCME(Laplacian(0.3), LOCATIONS)(y, P)
    assert UCME(slow, LOCATIONS)(y, P) == pytest.approx(fast, rel=1e-12)


@pytest.mark.parametrize(
    "locations",
    [[], None, 3, [([0.5, 0.5], 0), ([1, 0, 0], 0)], [[0.5, 0.5]], [("ab", 0)]],
    ids=str,
)
def test_what_is_no_list_of_locations_is_refused(locations):
    with pytest.raises(ValueError, match="`locations` must be a non-empty sequence"):
        UCME(Gaussian(1.0), locations)


def test_wrong_classes_and_kernels_are_refused(ternary):
    for index in (2, -1):
        with pytest.raises(ValueError, match=rf"must be in \[0, 2\); got {index}"):
            UCME(Gaussian(1.0), [([0.5, 0.5], index)])
    with pytest.raises(ValueError, match="2 components, the predictions have 3 classes"):
        UCME(Gaussian(1.0), [([0.5, 0.5], 0)])(ternary.y, ternary.P)
    with pytest.raises(TypeError, match="`kernel` must be a calibrant kernel"):
        UCME(None, [([0.5, 0.5], 0)])


def test_locations_are_kept_as_a_value():
    given = [(np.array([0.5, 0.5]), np.int64(1))]
    ucme = UCME(Gaussian(1.0), given)
    assert ucme == UCME(Gaussian(1.0), [([0.5, 0.5], 1)])
    assert hash(ucme) == hash(pickle.loads(pickle.dumps(ucme)))
    given[0][0][:] = 0.0
    assert ucme.locations == (((0.5, 0.5), 1),)
