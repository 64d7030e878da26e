"""Many label sets side by side: their contents and their order."""

import numpy as np
import pytest
from tests.samples import make_sample

from calibrant import Predictions
from calibrant._engine._label_sets import LabelSets, residual_values
from calibrant._engine._resampling import LabelResampler


@pytest.mark.parametrize(
    ("m", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)]
)
def test_labels_take_the_smallest_type_and_come_back(m, dtype):
    labels = np.random.default_rng(0).integers(m, size=(70, 5))
    labels[0, 0] = m - 1
    label_sets = LabelSets.of(labels, m)
    assert label_sets.codes.dtype == dtype
    assert label_sets.codes.shape == (5, 128)
    assert len(label_sets) == 70
    np.testing.assert_array_equal([label_sets.labels(b) for b in range(70)], labels)


def test_rows_are_a_view():
    label_sets = LabelSets.of(np.arange(12).reshape(2, 6) % 3, 3)
    part = label_sets.rows(slice(2, 5))
    assert np.shares_memory(part.codes, label_sets.codes)
    assert len(part) == 2
    np.testing.assert_array_equal(part.labels(1), label_sets.labels(1)[2:5])


@pytest.mark.parametrize("sets", [range(9), range(1, 9), range(4, 9), range(1)])
def test_label_set_zero_is_observed_and_set_b_is_draw_b_minus_one(core, sets):
    y, P, _ = make_sample(0, 11, 3)
    resampler = LabelResampler(7)
    draws = np.concatenate([y[None], resampler.labels(P, range(8))])
    label_sets = LabelSets.label_sets(Predictions(y, P), resampler, sets)
    assert len(label_sets) == len(sets)
    for b, number in enumerate(sets):
        np.testing.assert_array_equal(label_sets.labels(b), draws[number])


def test_label_sets_of_some_rows_are_those_of_the_whole(core):
    y, P, _ = make_sample(0, 11, 300)
    whole = LabelSets.label_sets(Predictions(y, P), LabelResampler(7), range(6))
    part = LabelSets.label_sets(
        Predictions(y, P).take(slice(4, 9)), LabelResampler(7), range(6), first_row=4
    )
    np.testing.assert_array_equal(part.codes[:, :6], whole.codes[4:9, :6])


@pytest.mark.parametrize("weighted", [False, True])
def test_residual_values_are_the_residuals_of_either_case(weighted):
    y, P, w = make_sample(1, 9, 3)
    predictions = Predictions(y, P, sample_weight=w if weighted else None)
    for c in range(3):
        hit, miss = residual_values(predictions, c)
        np.testing.assert_array_equal(
            np.where(y == c, hit, miss), predictions.weighted_residuals[:, c]
        )
