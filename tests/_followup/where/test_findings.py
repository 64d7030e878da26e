"""Contributions add up to the calibration error."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions, kernels
from calibrant._execution._parallel import Parallel
from calibrant._followup.where._findings import Shares, contributions
from calibrant._followup.where._groups import Group, Partition
from calibrant._followup.where._label_sets import View

WIDE = kernels.Laplacian(1e7)


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Laplacian(0.3),
        kernels.Gaussian(0.3),
        kernels.RationalQuadratic(0.3),
        kernels.Laplacian(0.3) + 2.0 * kernels.Gaussian(0.5),
    ],
    ids=str,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_add_up_to_the_skce(ternary, kernel, weighted, core):
    weights = ternary.w if weighted else None
    predictions = Predictions(ternary.y, ternary.P, sample_weight=weights)
    parts = contributions(predictions, kernel, Parallel(1))
    expected = cal.SKCE(kernel).estimate(predictions)
    np.testing.assert_allclose(parts.sum(), expected, rtol=1e-12)


def test_two_classes_have_equal_parts(binary):
    predictions = Predictions(binary.y, binary.P)
    by_class = contributions(predictions, kernels.Laplacian(0.3), Parallel(1)).sum(axis=0)
    np.testing.assert_allclose(by_class[0], by_class[1], rtol=1e-12)
    np.testing.assert_allclose(
        by_class.sum(), cal.SKCE(kernels.Laplacian(0.3)).estimate(predictions), rtol=1e-12
    )


def test_large_data_are_approximated(limit):
    model = cal.models.TemperatureModel(0.5, 4, temperature=3.0)
    predictions = Predictions(*model.sample(1500, rng=0))
    kernel = kernels.Laplacian(0.5)
    exact = contributions(predictions, kernel, Parallel(1)).sum(axis=0)
    limit(exact_rows=100)
    close = contributions(predictions, kernel, Parallel(1)).sum(axis=0)
    assert not np.array_equal(close, exact)
    np.testing.assert_allclose(close, exact, atol=0.1 * exact.sum())


def test_parts_of_large_data_are_approximated_by_the_size_of_both(ternary, limit):
    predictions, kernel = Predictions(ternary.y, ternary.P), kernels.Laplacian(0.3)
    exact = contributions(predictions, kernel, Parallel(1))
    limit(exact_rows=30)

    def is_exact(n_total):
        return np.array_equal(contributions(predictions, kernel, Parallel(1), n_total), exact)

    assert is_exact(23)
    assert is_exact(39)  # 23·39 ≤ 30²
    assert not is_exact(40)


def test_the_approximation_leaves_out_the_diagonal(ternary, limit):
    # so wide a kernel is 1 for every pair, which features represent without error
    predictions, kernel = Predictions(ternary.y, ternary.P, sample_weight=ternary.w), WIDE
    exact = contributions(predictions, kernel, Parallel(1))
    limit(exact_rows=10)
    np.testing.assert_allclose(contributions(predictions, kernel, Parallel(1)), exact, atol=1e-6)


@pytest.mark.parametrize("rows_at_most", [10, 1000])
def test_shares_are_the_sums_of_contributions(ternary, limit, rows_at_most):
    predictions = Predictions(ternary.y, ternary.P, sample_weight=ternary.w)
    parts = [[0, 2, 4, 6, 8], [k for k in range(23) if k not in (0, 2, 4, 6, 8)]], [[1, 2]]
    partitions = [
        Partition("group", "g", tuple(Group(k, np.array(rows)) for k, rows in enumerate(part)))
        for part in parts
    ]
    limit(exact_rows=rows_at_most)
    kernel = kernels.Laplacian(0.3)
    shares = Shares.of(View.make(predictions, kernel, partitions), Parallel(1))
    every = contributions(predictions, kernel, Parallel(1))
    np.testing.assert_allclose(shares.by_class, every.sum(axis=0), rtol=1e-9, atol=1e-12)
    groups = [rows for part in parts for rows in part]
    expected = [every[rows].sum() for rows in groups]
    np.testing.assert_allclose(shares.by_group, expected, rtol=1e-9, atol=1e-12)
    alone = [contributions(predictions.take(np.array(rows)), kernel, Parallel(1), 23).sum()
             for rows in groups]  # fmt: skip
    np.testing.assert_allclose(shares.within, alone, rtol=1e-9, atol=1e-12)
