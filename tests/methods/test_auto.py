"""The automatic choices: of n, m and what was given, with the reason in words."""

import inspect

import pytest

import calibrant as cal
from calibrant._engine import sizes
from calibrant.methods import Aggregated, Asymptotic, Auto, Exact, Moments
from calibrant.methods._variants import variant_for


@pytest.mark.parametrize(
    ("n", "m", "variant"),
    [
        (2, 3, "full"),
        (sizes.full_rows(3), 3, "full"),
        (sizes.full_rows(3) + 1, 3, "features"),
        (sizes.full_rows(3) + 1, 100, "full"),
        (sizes.full_rows(100) + 1, 100, "features"),
        (10, 2, "lines"),
        (10**6, 2, "lines"),
        (10**6, 1000, "features"),
    ],
)
def test_variant_depends_on_rows_and_classes(n, m, variant):
    assert variant_for(n, m) == variant
    choice = Auto().select(n, m)
    assert choice.method == Aggregated()
    assert choice.variant == variant
    assert "no estimator given: the aggregated test" in choice.reason


def test_an_estimator_alone_gets_the_exact_test():
    choice = Auto().select(100, 3, estimator=cal.ECE())
    assert choice.method == Exact()
    assert choice.variant is None
    assert "exact" in choice.reason


@pytest.mark.parametrize("method", [Moments(), Exact(9), Asymptotic()])
def test_a_given_method_is_kept(method):
    choice = Auto().select(100, 3, method=method)
    assert choice.method is method
    assert choice.variant is None
    assert choice.reason == "you chose this method"


def test_a_given_aggregated_test_still_has_a_variant():
    method = Aggregated(19, log_score=True)
    choice = Auto().select(5000, 3, method=method)
    assert choice.method is method
    assert choice.variant == "features"
    assert choice.reason.startswith("the aggregated test; above 2,030 rows")


def test_only_the_data_and_what_was_given_decide():
    names = list(inspect.signature(Auto.select).parameters)
    assert names == ["self", "n_samples", "n_classes", "estimator", "method"]
