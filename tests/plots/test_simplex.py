"""The simplex picture: points at their barycentric places, arrows of the witness function."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import SKCE, Predictions
from calibrant.kernels import Laplacian
from calibrant.models import Distorted, LogitShift
from calibrant.plots import SimplexDisplay

from .conftest import sample

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def test_corners_are_the_classes_and_points_lie_between_them():
    P = np.vstack([np.eye(3), np.full((1, 3), 1 / 3)])
    drawing = SimplexDisplay.from_predictions([0, 1, 2, 0], P).plot()
    first, second, third = (drawing.artists[f"class_{c}"].get_xydata() for c in range(3))
    np.testing.assert_allclose(first, [CORNERS[0], CORNERS.mean(axis=0)], atol=1e-15)
    np.testing.assert_allclose([second[0], third[0]], CORNERS[1:], atol=1e-15)


def test_arrows_are_the_witness_function_at_one_scale():
    y, P = sample(3, n=100)
    predictions = Predictions(y, P)
    display = SimplexDisplay.from_predictions(predictions, kernel=Laplacian(0.3), n_steps=5)
    witness = SKCE(Laplacian(0.3)).witness(predictions, display.points)
    np.testing.assert_array_equal(display.witness, witness)
    arrows = display.plot().artists["arrows"]
    np.testing.assert_allclose(arrows.get_offsets(), display.points @ CORNERS, atol=1e-15)
    steps = np.column_stack([arrows.U, arrows.V])
    ratio = steps / (witness @ CORNERS)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-9)
    assert ratio[0, 0] > 0


def test_the_grid_lies_inside_the_simplex():
    y, P = sample(3, n=20)
    points = SimplexDisplay.from_predictions(y, P, n_steps=4).points
    assert len(points) == 10
    assert points.min() > 0
    np.testing.assert_allclose(points.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(points.mean(axis=0), 1 / 3, rtol=1e-15)


def test_arrows_that_leave_the_band_of_where_are_dark():
    model = Distorted(1.0, 3, truth=LogitShift([1.0, 0.0, 0.0]))
    result = cal.where(*model.sample(200, rng=0), n_resamples=299, rng=0)
    display = SimplexDisplay.from_result(result, n_steps=4)
    witness = result.witness(display.points, n_resamples=199)
    np.testing.assert_array_equal(display.witness, witness.values)
    np.testing.assert_array_equal(display.outside, witness.outside.any(axis=1))
    assert display.outside.any()
    colors = display.plot().artists["arrows"].get_facecolor()
    assert len(np.unique(colors[display.outside], axis=0)) == 1
    assert f"does not explain {display.outside.sum()} of 10 arrows" in display.describe()


def test_of_many_rows_evenly_spaced_ones_are_shown():
    y, P = sample(3, n=500)
    display = SimplexDisplay.from_predictions(y, P, max_points=50)
    assert len(display.y_prob) == 50
    np.testing.assert_array_equal(display.y_prob[[0, -1]], P[[0, -1]])


def test_perfect_labels_have_arrows_of_no_length():
    display = SimplexDisplay.from_predictions([0, 1, 2], np.eye(3))
    drawing = display.plot()
    assert not np.any(drawing.artists["arrows"].U)


@pytest.mark.parametrize(("m", "remedy"), [(2, "ReliabilityDisplay"), (10, "merge_classes")])
def test_other_numbers_of_classes_are_refused_with_the_remedy(m, remedy):
    y, P = sample(m, n=20)
    with pytest.raises(ValueError, match=f"needs three classes; got {m}. .*{remedy}"):
        SimplexDisplay.from_predictions(y, P)
    with pytest.raises(ValueError, match=f"got {m}"):
        SimplexDisplay.from_result(cal.where(y, P, n_resamples=19, rng=0))


def test_no_steps_are_refused():
    y, P = sample(3, n=20)
    with pytest.raises(ValueError, match="`n_steps` must be at least 1; got 0"):
        SimplexDisplay.from_predictions(y, P, n_steps=0)
