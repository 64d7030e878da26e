import numpy as np
import pytest
from scipy.spatial.distance import cdist
from tests._engine.full_matrix import cauchy, kernel, rows

from calibrant._engine._forms import BlockForm, RadialForm, TileForm
from calibrant._engine._tiles import (
    distances,
    kernel_values,
    many_sums,
    restrict,
    tile_row_sums,
    tile_sum,
)

METRICS = ["cityblock", "euclidean"]
#: rows around the widths of registers, panels, buffers and tiles
SIZES = [1, 2, 3, 15, 16, 17, 33, 255, 256, 257, 1025]
#: columns of points and of vectors around the block of 256 classes
COLUMNS = [(1, 1), (2, 2), (3, 1), (1, 3), (255, 255), (256, 256), (257, 257), (600, 600)]
COLUMNS += [(3, 600), (600, 3), (256, 257), (257, 255)]


def assert_sums(form, h, rtol=1e-12):
    """Triangle: sum and row sums of h above the diagonal."""
    upper = np.triu(h, 1)
    scale = np.abs(upper).sum()
    assert tile_sum(form, None) == pytest.approx(upper.sum(), rel=rtol, abs=1e-14 * scale)
    for sums, axis in zip(tile_row_sums(form, None), (1, 0), strict=True):
        np.testing.assert_allclose(sums, upper.sum(axis=axis), rtol=rtol, atol=1e-14 * scale)


def assert_rectangle(left, right, h, rtol=1e-12):
    scale = np.abs(h).sum()
    assert tile_sum(left, right) == pytest.approx(h.sum(), rel=rtol, abs=1e-14 * scale)
    for sums, axis in zip(tile_row_sums(left, right), (1, 0), strict=True):
        np.testing.assert_allclose(sums, h.sum(axis=axis), rtol=rtol, atol=1e-14 * scale)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("profile", ["laplacian", "gaussian", cauchy])
@pytest.mark.parametrize("n", SIZES)
def test_triangles_of_every_height(core, n, profile, metric):
    x, v = rows(n, n, 3, 2)
    form = RadialForm(x, v, metric, profile, 1.7, 0.5)
    assert_sums(form, 0.5 * kernel(x, x, metric, profile, 1.7) * (v @ v.T))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("profile", ["laplacian", "gaussian"])
@pytest.mark.parametrize(("m", "d"), COLUMNS)
def test_triangles_and_rectangles_of_every_width(core, m, d, profile, metric):
    x, v = rows(m + d, 37, m, d)
    form = RadialForm(x, v, metric, profile, 1.7)
    h = kernel(x, x, metric, profile, 1.7) * (v @ v.T)
    assert_sums(form, h)
    assert_rectangle(restrict(form, slice(0, 19)), restrict(form, slice(19, 37)), h[:19, 19:])


@pytest.mark.parametrize("a", [1, 2, 7, 8, 9, 31, 32, 33, 65])
@pytest.mark.parametrize("b", [1, 15, 16, 17, 40])
def test_rectangles_of_every_shape(core, a, b):
    x, v = rows(a * b, a + b, 5, 4)
    form = RadialForm(x, v, "cityblock", "laplacian", 1.7)
    h = kernel(x, x, "cityblock", "laplacian", 1.7) * (v @ v.T)
    assert_rectangle(restrict(form, slice(0, a)), restrict(form, slice(a, a + b)), h[:a, a:])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (17, 2), (33, 257), (65, 600), (257, 3)])
def test_distances_and_kernel_values(core, n, m, metric):
    x, v = rows(n, n, m, 1)
    z, _ = rows(n + 1, 19, m, 1)
    np.testing.assert_allclose(distances(x, z, metric), cdist(x, z, metric), rtol=1e-13)
    for profile in ("laplacian", "gaussian", cauchy):
        form = RadialForm(x, v, metric, profile, 1.7, 3.0)
        expected = 3.0 * kernel(x, z, metric, profile, 1.7)
        np.testing.assert_allclose(kernel_values(form, z), expected, rtol=1e-13)


def test_equal_rows_have_distance_zero_and_value_one(core):
    x, v = rows(0, 20, 600, 1)
    for metric in METRICS:
        assert np.all(np.diag(distances(x, x, metric)) == 0.0)
        values = kernel_values(RadialForm(x, v, metric, "gaussian", 1e3), x)
        assert np.all(np.diag(values) == 1.0)


def test_functions_on_tiles_and_on_blocks(core):
    x, v = rows(0, 21, 3, 3)
    scalar = TileForm(x, v, lambda s, t: (s @ t.T) ** 2)
    assert_sums(scalar, (x @ x.T) ** 2 * (v @ v.T))
    blocks = BlockForm(x, v, lambda s, t: s[:, None, :, None] * t[None, :, None, :])
    outer = np.sum(x * v, axis=1)
    assert_sums(blocks, np.outer(outer, outer))
    half = slice(0, 8), slice(8, 21)
    assert_rectangle(
        restrict(blocks, half[0]), restrict(blocks, half[1]), np.outer(outer, outer)[:8, 8:]
    )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("profile", ["laplacian", "gaussian", cauchy])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 17, 40])
@pytest.mark.parametrize(("m", "d"), [(1, 1), (3, 2), (17, 40)])
def test_many_data_sets_with_their_own_rates(core, n, m, d, profile, metric):
    x, v = (a.reshape(5, n, -1) for a in rows(n, 5 * n, m, d))
    rates = np.linspace(0.5, 3.0, 5)
    sums = many_sums(RadialForm(x, v, metric, profile, np.nan, 2.0), rates)
    expected = [
        2.0 * np.triu(kernel(a, a, metric, profile, rate) * (b @ b.T), 1).sum()
        for a, b, rate in zip(x, v, rates, strict=True)
    ]
    np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (5, 3, 2), (33, 257, 9), (70, 4, 257)])
def test_native_matrix_times_vectors_adds_to_its_output(native, n, m, d):
    (x, v), (points, _) = rows(n, n, m, d), rows(n + 1, 19, m, 1)
    out = np.full((19, d), 0.25)
    native.apply(points, x, v, 0, 1, 1.7, out)
    expected = kernel(points, x, "cityblock", "laplacian", 1.7) @ v
    np.testing.assert_allclose(out - 0.25, expected, rtol=1e-11, atol=1e-13)


def test_native_routines_read_strided_arrays(native):
    x, v = rows(0, 10, 6, 2)
    strided, plain = x[::2, ::3], np.ascontiguousarray(x[::2, ::3])
    assert native.pair_sum(strided, v[:5], strided, v[:5], 0, 1, 1.0, True) == native.pair_sum(
        plain, v[:5], plain, v[:5], 0, 1, 1.0, True
    )
