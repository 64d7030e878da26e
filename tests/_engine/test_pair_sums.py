from dataclasses import replace

import numpy as np
import pytest
from tests._engine.full_matrix import cauchy, pairs, rows

from calibrant._engine._forms import BlockForm, RadialForm, TileForm
from calibrant._engine._pair_sums import (
    as_batches,
    block_sums,
    is_line,
    line_apply,
    many_pair_sums,
    pair_sum,
    row_sums,
    tile_rows,
    triangle_tiles,
)
from calibrant._engine._tiles import is_radial
from calibrant._execution._parallel import Parallel


def radial(n, m=3, d=3, profile="laplacian", metric="cityblock"):
    return RadialForm(*rows(n, n, m, d), metric, profile, 1.7)


def square(s, t):
    return (s @ t.T) ** 2


def outer(s, t):
    return s[:, None, :, None] * t[None, :, None, :]


def off_diagonal(h):
    return h - np.diag(np.diag(h))


@pytest.mark.parametrize("profile", ["laplacian", "gaussian", cauchy])
@pytest.mark.parametrize(
    ("n", "tile"),
    [(n, tile) for n in (1, 2, 3, 17, 257, 1025) for tile in (None, 16, 100)] + [(2, 1), (17, 1)],
)
def test_sums_are_those_of_the_full_matrix(core, n, profile, tile):
    form = radial(n, profile=profile)
    h = off_diagonal(pairs(form))
    scale = np.abs(h).sum()
    total = pair_sum([form], Parallel(tile=tile))
    assert total == pytest.approx(h.sum() / 2, rel=1e-12, abs=1e-14 * scale)
    each = row_sums([form], Parallel(tile=tile))
    np.testing.assert_allclose(each, h.sum(axis=1), rtol=1e-12, atol=1e-14 * scale)


def test_forms_add_up(core):
    x, v = rows(0, 40, 3, 3)
    forms = [
        radial(40),
        RadialForm(*rows(1, 40, 1, 2), "cityblock", "laplacian", 2.0, 0.5),
        TileForm(x, v, square),
        BlockForm(x, v, outer),
    ]
    products = np.sum(x * v, axis=1)
    h = pairs(forms[0]) + pairs(forms[1])
    h += square(x, x) * (v @ v.T) + np.outer(products, products)
    h = off_diagonal(h)
    for tile in (None, 7):
        parallel = Parallel(tile=tile)
        assert pair_sum(forms, parallel) == pytest.approx(h.sum() / 2, rel=1e-12)
        np.testing.assert_allclose(row_sums(forms, parallel), h.sum(axis=1), rtol=1e-11, atol=1e-13)
        blocks = [h[b : b + 6, b : b + 6].sum() / 2 for b in range(0, 36, 6)]
        np.testing.assert_allclose(block_sums(forms, 6, parallel), blocks, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 63, 64, 65, 129, 1025])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_points_on_a_line_are_summed_by_sorting(core, n, d):
    x, v = rows(n, n, 2, d)
    x = np.ascontiguousarray(np.round(x[:, :1], 2))  # with ties
    form = RadialForm(x, v, "cityblock", "laplacian", 4.0, 0.5)
    assert is_line(form)
    h = off_diagonal(pairs(form))
    scale = np.abs(h).sum()
    assert pair_sum([form]) == pytest.approx(h.sum() / 2, rel=1e-12, abs=1e-14 * scale)
    np.testing.assert_allclose(row_sums([form]), h.sum(axis=1), rtol=1e-11, atol=1e-14 * scale)
    K = off_diagonal(0.5 * np.exp(-4.0 * np.abs(x - x.T)))
    np.testing.assert_allclose(line_apply(form), K @ v, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("rate", [1e-9, 1.0, 1e6])
def test_lines_of_any_rate(core, rate):
    x, v = rows(0, 300, 1, 2)
    x = np.random.default_rng(0).random((300, 1))
    form = RadialForm(x, v, "cityblock", "laplacian", rate)
    assert pair_sum([form]) == pytest.approx(np.triu(pairs(form), 1).sum(), rel=1e-11, abs=1e-13)


def test_only_a_laplacian_of_one_number_is_a_line():
    assert is_line(radial(5, m=1))
    assert is_line(radial(5, m=1, metric="euclidean"))
    assert not is_line(radial(5, m=2))
    assert not is_line(radial(5, m=1, profile="gaussian"))
    assert not is_line(radial(5, m=1, profile=cauchy))
    assert not is_line(TileForm(*rows(0, 5, 1, 1), square))
    assert is_radial(radial(5))
    assert not is_radial(radial(5, profile=cauchy))
    assert not is_radial(BlockForm(*rows(0, 5, 2, 2), outer))


@pytest.mark.parametrize("size", [2, 3, 8, 9, 20, 41])
@pytest.mark.parametrize("profile", ["laplacian", "gaussian", cauchy])
def test_blocks_hold_the_pairs_of_consecutive_rows(core, size, profile):
    form = radial(41, profile=profile)
    h = off_diagonal(pairs(form))
    starts = range(0, 41 - size + 1, size)
    expected = [h[b : b + size, b : b + size].sum() / 2 for b in starts]
    np.testing.assert_allclose(block_sums([form], size), expected, rtol=1e-12, atol=1e-13)


def test_batches_are_views_of_consecutive_rows():
    form = radial(11, d=2)
    batches = as_batches(form, 3)
    assert batches.x.shape == (3, 3, 3)
    assert batches.v.shape == (3, 3, 2)
    assert np.shares_memory(batches.x, form.x)
    np.testing.assert_array_equal(batches.v[1], form.v[3:6])


def test_many_data_sets_share_one_rate_or_have_their_own(core):
    batches = as_batches(radial(60), 10)
    batch = batches.x, batches.v
    single = [pair_sum([replace(batches, x=x, v=v)]) for x, v in zip(*batch, strict=True)]
    np.testing.assert_allclose(many_pair_sums(batches, 1.7), single, rtol=1e-12)
    rates = np.arange(1.0, 7.0)
    single = [
        pair_sum([replace(batches, x=x, v=v, rate=rate)])
        for x, v, rate in zip(*batch, rates, strict=True)
    ]
    np.testing.assert_allclose(many_pair_sums(batches, rates), single, rtol=1e-12)


def test_tiles_cover_every_pair_once():
    seen = np.zeros((23, 23), dtype=int)
    for i, j in triangle_tiles(radial(23), Parallel(tile=5)):
        if j is None:
            seen[i, i] += np.triu(np.ones((23, 23), dtype=int), 1)[i, i]
        else:
            seen[i, j] += 1
    np.testing.assert_array_equal(seen, np.triu(np.ones((23, 23), dtype=int), 1))


def test_tile_size_is_a_choice_of_the_shape_only():
    assert tile_rows(radial(100)) == tile_rows(radial(2048)) == 256
    assert tile_rows(radial(2049)) == 1024
    assert tile_rows(radial(3000, m=200, d=200)) == 256
    assert tile_rows(BlockForm(*rows(0, 5, 2, 2), outer)) == 64


def test_inputs_are_left_as_they_are(core):
    form = radial(50)
    before = form.x.copy(), form.v.copy()
    pair_sum([form]), row_sums([form]), block_sums([form], 4)
    np.testing.assert_array_equal(form.x, before[0])
    np.testing.assert_array_equal(form.v, before[1])


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True, "2"])
def test_a_wrong_number_of_threads_is_refused(n_jobs):
    with pytest.raises(ValueError, match="`n_jobs` must be a positive integer, or None"):
        Parallel(n_jobs)


def test_progress_counts_tiles_in_order(core):
    calls = []
    form = radial(40)
    pair_sum([form], Parallel(tile=10, progress=lambda *done: calls.append(done)))
    assert calls == [(k, 10) for k in range(1, 11)]
