"""Regions of a probability: about equal sizes, and disjoint, readable limits."""

import itertools
import re

import numpy as np
import pytest

from calibrant._followup.where._regions import probability_regions


def limits(name):
    """Return the printed limits of a region, and whether the lower one belongs to it."""
    if found := re.fullmatch(r"([\[(])(.+), (.+)\]", name):
        return float(found[2]), float(found[3]), found[1] == "["
    return float(name), float(name), True


def holds(name, value):
    low, high, closed = limits(name)
    return (low <= value if closed else low < value) and value <= high


SHAPES = {
    "uniform": lambda rng, n: rng.random(n),
    "nearly 1": lambda rng, n: 1.0 - rng.beta(0.3, 200.0, n),
    "nearly 0": lambda rng, n: rng.beta(0.3, 2000.0, n),
    "few values": lambda rng, n: rng.integers(1, 8, n) / 8.0,
    "two decimals": lambda rng, n: rng.beta(5.0, 1.0, n).round(2),
    "many ones": lambda rng, n: np.where(rng.random(n) < 0.5, 1.0, rng.random(n)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [45, 101, 5000])
def test_every_row_lies_within_the_printed_limits_of_its_region_only(shape, n):
    values = SHAPES[shape](np.random.default_rng(n), n)
    regions = probability_regions(values, 5, 20).groups
    assert sorted(np.concatenate([region.rows for region in regions])) == list(range(n))
    for region in regions:
        rows = set(region.rows.tolist())
        assert {i for i in range(n) if holds(region.name, values[i])} == rows
    assert len({region.name for region in regions}) == len(regions)


def test_limits_are_short_and_regions_about_equally_large():
    values = np.random.default_rng(0).random(10_000)
    regions = probability_regions(values, 5, 20).groups
    assert [r.name for r in regions] == [
        "[0, 0.2]", "(0.2, 0.4]", "(0.4, 0.6]", "(0.6, 0.8]", "(0.8, 1]"
    ]  # fmt: skip
    assert all(abs(len(region.rows) - 2000) <= 400 for region in regions)


def test_limits_are_not_moved_where_a_region_would_become_too_small():
    confidence = np.random.default_rng(0).permutation(np.linspace(0.5, 1.0, 100))
    partition = probability_regions(confidence, 5, 20)
    assert [len(group.rows) for group in partition.groups] == [20] * 5
    ends = [confidence[group.rows] for group in partition.groups]
    assert all(a.max() < b.min() for a, b in itertools.pairwise(ends))


def test_equal_values_stay_together():
    confidence = np.r_[np.full(70, 0.6), np.full(30, 0.9)]
    partition = probability_regions(confidence, 5, 10)
    assert [(group.name, len(group.rows)) for group in partition.groups] == [
        ("0.6", 70),
        ("0.9", 30),
    ]


def test_ties_go_where_their_middle_is():
    confidence = np.repeat([0.6, 0.7, 0.8], [44, 12, 44])
    partition = probability_regions(confidence, 2, 10)
    assert [len(group.rows) for group in partition.groups] == [44, 56]


def test_small_data_have_fewer_regions():
    confidence = np.linspace(0.5, 1.0, 45)
    assert len(probability_regions(confidence, 5, 20).groups) == 2
    (only,) = probability_regions(confidence[:10], 5, 20).groups
    assert not only.tested
    assert only.note == "not tested: 10 rows, fewer than 20"


def test_regions_of_nearly_sure_predictions_have_enough_digits():
    top = np.array([0.6] * 20 + [0.99991] * 20 + [0.99992] * 20 + [0.999931, 0.999932] * 10)
    names = [group.name for group in probability_regions(top, 4, 20).groups]
    assert names == ["0.6", "0.99991", "0.99992", "(0.99992, 1]"]


@pytest.mark.parametrize("percent", range(2, 99))
def test_limits_in_hundredths_have_no_further_digits(percent):
    limit = percent / 100.0
    below, above = np.linspace(limit - 0.01, limit, 50), np.linspace(limit + 0.009, 1.0, 50)
    names = [group.name for group in probability_regions(np.r_[below, above], 2, 50).groups]
    assert names[0].endswith(f", {limit!r}]")
    assert names[1].startswith(f"({limit!r}, ")
