import numpy as np
import pytest
from hypothesis import given, strategies as st

from calibrant._predictions import Predictions, as_predictions, divide_rounded_rows
from calibrant.errors import RowSumWarning

P = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625]])
Y = [0, 1, 2]


def changed(row, column, value):
    table = P.copy()
    table[row, column] = value
    return table


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_values_are_refused(value):
    with pytest.raises(
        ValueError, match=r"must be finite; got 1 value .* \(-?(nan|inf)\) at row 2, "
    ):
        Predictions(Y, changed(2, 1, value))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_normalize_does_not_excuse_non_finite_values(value):
    with pytest.raises(ValueError, match="must be finite; got 1 value"):
        Predictions(Y, changed(1, 0, value), normalize=True)


def test_non_finite_values_in_one_column_are_refused():
    with pytest.raises(
        ValueError, match=r"got 2 values NaN or infinite, the first \(nan\) at row 1\."
    ):
        Predictions([0, 1, 1], [0.5, np.nan, np.inf])


@pytest.mark.parametrize(
    ("y_prob", "looks"),
    [
        (np.log(P), r"look like log-probabilities: pass `np.exp\(y_prob\)"),
        (np.log(P[:, 0]), "look like log-probabilities"),
        (100 * P, "look like percentages: pass `y_prob / 100`"),
        (100 * P[:, 0], "look like percentages"),
        (np.array([[30, 70], [50, 50], [99, 1]]), "look like percentages"),
        (
            [[2.0, -1.0], [0.5, 3.0], [1, 0]],
            r"look like logits: use `Predictions.from_logits\(y_tr",
        ),
        ([2.0, -1.0, 0.5], "look like logits: use"),
        ([[3, 1], [0, 2], [5, 5]], "look like counts, scores or .* `normalize=True` .*from_logits"),
    ],
)
def test_values_outside_the_unit_interval_are_named_for_what_they_look_like(y_prob, looks):
    with pytest.raises(
        ValueError, match=r"`y_prob` must be in \[0, 1\]; got \d values? outside"
    ) as e:
        Predictions([0, 1, 1], y_prob)
    assert e.match(looks)


def test_the_first_value_outside_is_located():
    with pytest.raises(
        ValueError, match=r"got 1 value outside, the first \(-0.25\) at row 1, colum"
    ):
        Predictions(Y, changed(1, 2, -0.25))


@pytest.mark.parametrize("noise", [-1e-17, -1e-9])
def test_rounding_noise_below_zero_is_refused_with_the_remedy(noise):
    table = changed(0, 0, noise)
    with pytest.raises(
        ValueError, match=r"rounding noise: pass `np.clip\(y_prob, 0, 1\)` with `norma"
    ):
        Predictions(Y, table)
    remedied = Predictions(Y, np.clip(table, 0, 1), normalize=True)
    assert np.array_equal(remedied.y_prob[0], [0, 0.5, 0.5])


def test_rounding_noise_above_one_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"\(1\) at row 0\. This looks like rounding noise"):
        Predictions([1], [1 + 1e-12])


def test_rows_far_from_one_are_refused():
    table = P * np.array([[1.0], [0.5], [0.9]])
    message = (
        "got 2 rows of 3 with sums from 0.5 to 0.9, the first at row 1. "
        "Pass `normalize=True` .*from_logits"
    )
    with pytest.raises(ValueError, match=message):
        Predictions(Y, table)


def test_rows_a_little_off_are_divided_with_a_warning():
    table = P * np.array([[1.0], [0.995], [1 + 1e-7]])
    with pytest.warns(
        RowSumWarning, match=r"divided 1 row of 3 by the row sum, off by at most 0.005"
    ):
        predictions = Predictions(Y, table)
    assert np.array_equal(predictions.y_prob[[0, 2]], table[[0, 2]])
    np.testing.assert_allclose(predictions.y_prob[1], P[1], rtol=1e-15)
    assert table[1].sum() == 0.995


@pytest.mark.parametrize("function", [Predictions, as_predictions])
def test_the_warning_points_at_the_user(function):
    with pytest.warns(RowSumWarning) as record:
        function(Y, P * 0.995)
    assert record[0].filename == __file__


TOLERANCES = [("float64", 1e-6), ("float32", 1e-5), ("float16", 2e-3)]


@pytest.mark.parametrize(("dtype", "tolerance"), TOLERANCES)
def test_the_row_sum_tolerance_follows_the_type(dtype, tolerance):
    within = np.array([[0.25, 0.75 - 0.7 * tolerance]]).astype(dtype)
    assert np.array_equal(Predictions([0], within).y_prob, within.astype(np.float64))
    with pytest.warns(RowSumWarning, match="divided 1 row of 1"):
        Predictions([0], np.array([[0.25, 0.75 - 1.5 * tolerance]]).astype(dtype))


@given(st.integers(2, 40), st.integers(0, 2**32), st.sampled_from(TOLERANCES))
def test_rounded_predictions_keep_the_exact_value_of_every_entry(m, seed, rounding):
    rounded = np.random.default_rng(seed).dirichlet(np.full(m, 0.5), 5).astype(rounding[0])
    predictions = Predictions([0, 1, 1, 0, 1], rounded)
    assert predictions.y_prob.dtype == np.float64
    assert np.array_equal(predictions.y_prob, rounded.astype(np.float64))


def test_normalize_divides_every_row_by_its_sum():
    counts = np.array([[1, 3], [10, 0], [2, 2]])
    expected = [[0.25, 0.75], [1, 0], [0.5, 0.5]]
    assert np.array_equal(Predictions([0, 0, 1], counts, normalize=True).y_prob, expected)


def test_normalize_refuses_negative_values():
    with pytest.raises(ValueError, match="must be non-negative; got 1 value outside"):
        Predictions([0], [[-1.0, 3.0]], normalize=True)


def test_normalize_does_not_excuse_one_column_above_one():
    with pytest.raises(ValueError, match=r"must be in \[0, 1\]"):
        Predictions([0], [3.0], normalize=True)


@pytest.mark.parametrize("row", [[0.0, 0.0], [1.7e308, 1.7e308]])
def test_normalize_refuses_rows_without_a_usable_sum(row):
    with pytest.raises(
        ValueError,
        match=r"positive finite sum .* got 1 row without, the first \((0|inf)\) at row 1",
    ):
        Predictions([0, 1], [[0.5, 0.5], row], normalize=True)


def test_rows_of_zeros_are_refused():
    with pytest.raises(
        ValueError, match=r"with sum 0, the first at row 1. Rows of zeros are not pre"
    ):
        Predictions([0, 1], [[0.5, 0.5], [0, 0]])


@pytest.mark.parametrize("dtype", [int, bool, np.uint8, np.float16, np.longdouble])
def test_certain_predictions_of_any_numeric_type_are_accepted(dtype):
    assert np.array_equal(Predictions([0, 1], np.eye(2, dtype=dtype)).y_prob, np.eye(2))


def test_one_column_becomes_two():
    p = np.array([0.1, 0.7, 1.0])
    assert np.array_equal(Predictions([0, 1, 1], p).y_prob, np.column_stack([1 - p, p]))


def test_one_column_of_float32_is_completed_in_float64():
    p = np.array([0.1, 0.7], dtype=np.float32)
    assert np.array_equal(Predictions([0, 1], p).y_prob[:, 0], 1 - p.astype(np.float64))


def test_complex_numbers_are_refused():
    with pytest.raises(
        ValueError, match=r"`y_prob` must be real; got dtype complex128. Pass `y_prob.r"
    ):
        Predictions([0], [[0.5 + 0j, 0.5]])


@pytest.mark.parametrize("y_prob", [[["0.5", "0.5"]], np.array([["0.5", "0.5"]])])
def test_strings_are_refused(y_prob):
    message = (
        r"must be numbers; got 2 values of another type, the first \('0.5'\) at row 0, column 0"
    )
    with pytest.raises(ValueError, match=message):
        Predictions([0], y_prob)


def test_missing_values_among_objects_are_refused():
    with pytest.raises(
        ValueError, match=r"must be numbers; got 1 value of another type, the first at row 1, co"
    ):
        Predictions([0, 1], [[0.5, 0.5], [0.5, None]])


def test_objects_are_refused_with_the_conversion():
    table = np.array([[0.5, 0.5]], dtype=object)
    with pytest.raises(
        ValueError, match=r"got dtype object. Pass `np.asarray\(y_prob, dtype=float\)`"
    ):
        Predictions([0], table)


def test_one_vector_per_row_is_refused_with_the_remedy():
    rows = np.empty(2, dtype=object)
    rows[:] = [np.array([0.5, 0.5]), np.array([0.5, 0.5])]
    with pytest.raises(ValueError, match=r"one ndarray per row. Pass `np.stack\(y_prob\)`"):
        Predictions([0, 1], rows)


@pytest.mark.parametrize("decimals", range(2, 7))
@pytest.mark.parametrize("n_classes", [3, 10])
def test_rounded_rows_are_divided_by_their_sums(decimals, n_classes):
    p = np.random.default_rng(0).dirichlet(np.ones(n_classes), 500).round(decimals)
    table, found = divide_rounded_rows(p.copy())
    assert found == decimals
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-9)
    off = np.abs(p.sum(axis=1) - 1.0) > 0.5 * 10.0**-decimals
    np.testing.assert_array_equal(table[~off], p[~off])
    np.testing.assert_allclose(table[off], (p / p.sum(axis=1)[:, None])[off], rtol=1e-14)


def test_rows_that_rounding_does_not_explain_stay_as_they_are():
    exact = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    rounded = exact.round(3)
    for p in (exact, exact * 1.003, rounded * 1.0001, rounded + 0.004, rounded[:, :2]):
        table, found = divide_rounded_rows(p)
        assert found is None
        assert table is p


def test_rounded_rows_that_are_read_only_are_copied():
    p = np.array([[0.33, 0.33, 0.33]])
    p.flags.writeable = False
    table, found = divide_rounded_rows(p)
    assert found == 2
    assert p[0, 0] == 0.33
    assert table[0] == pytest.approx([1 / 3] * 3)
