"""Histograms have round edges and hold every value."""

import numpy as np
import pytest

from calibrant.paper._histogram import Histogram, histogram


@pytest.mark.parametrize("scale", [1e-6, 0.37, 1.0, 812.0])
def test_every_value_is_counted(scale):
    values = scale * np.random.default_rng(0).normal(size=1000)
    edges, counts = histogram(values)
    assert counts.sum() == 1000
    assert edges[0] <= values.min() < edges[1]
    assert edges[-2] <= values.max() < edges[-1]
    mantissa = f"{edges[1] - edges[0]:.3e}"[0]
    assert mantissa in "125"
    assert 5 <= len(counts) <= 25


def test_equal_values_have_one_cell():
    edges, counts = histogram(np.full(7, 0.25))
    assert counts.tolist() == [7.0]
    assert edges[0] <= 0.25 < edges[1]


def test_a_density_has_the_area_one():
    h = Histogram(np.array([0.0, 0.5, 1.0]), np.array([3.0, 1.0]))
    assert h.density.tolist() == [1.5, 0.5]
