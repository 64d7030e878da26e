"""check_binning passes our binnings and catches every broken rule."""

from dataclasses import dataclass

import numpy as np
import pytest

from calibrant.binning import Binning, MedianVariance, Quantile, Uniform
from calibrant.testing import check_binning


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize(
    "binning",
    [Uniform(1), Uniform(10), MedianVariance(5), MedianVariance(5, 3)],
    ids=repr,
)
def test_our_binnings_pass(core, binning, n_classes):
    check_binning(binning, n_classes=n_classes)


def test_quantiles_of_two_classes_pass(core):
    check_binning(Quantile(5))


@dataclass(frozen=True)
class Halves(Binning):
    def assign(self, y_prob):
        return np.unique(y_prob[:, -1] > 0.5, return_inverse=True)[1]


def test_a_good_binning_of_a_third_party_passes():
    check_binning(Halves())


class Gaps(Halves):
    def assign(self, y_prob):
        return 3 * super().assign(y_prob)


class ByPlace(Halves):
    def assign(self, y_prob):
        return np.arange(len(y_prob)) // 30


class Restless(Halves):
    def assign(self, y_prob):
        self.__dict__["calls"] = self.__dict__.get("calls", 0) + 1
        limit = 0.3 + 0.4 * (self.__dict__["calls"] % 2)
        return np.unique(y_prob[:, 0] > limit, return_inverse=True)[1]


class Ties(Halves):
    def assign(self, y_prob):
        order = np.lexsort(y_prob.T)  # by value, so that ties are parted
        ids = np.empty(len(order), dtype=np.int64)
        ids[order] = np.arange(len(order)) // 30
        return ids


class Edges(Halves):
    def edges(self, y_prob, ids):
        ends = np.linspace(0.0, 0.5, ids.max() + 2)
        return ends[:-1], ends[1:]


class Batch(Halves):
    def assign_many(self, y_prob):
        return 1 - super().assign_many(y_prob)


class Writing(Halves):
    def assign(self, y_prob):
        y_prob.flags.writeable = True
        y_prob[:, 0] = 1.0 - y_prob[:, 1] + 1e-9
        return super().assign(y_prob)


@pytest.mark.parametrize(
    ("binning", "message"),
    [
        (Gaps(), r"without gaps; got the numbers \[0, 3\] for random predictions"),
        (ByPlace(), "must not depend on their order"),
        (Restless(), "must be deterministic"),
        (Ties(), "(equal predictions must be in one bin|must not depend on their order)"),
        (Edges(), "must lie between the edges of its bin"),
        (Batch(), "`assign_many` and `assign` must agree"),
        (Writing(), "(must not modify its arguments|read-only|WRITEABLE)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_broken_rules_are_caught(binning, message):
    with pytest.raises(ValueError, match=message):
        check_binning(binning)


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="`binning` must be a Binning; got 3"):
        check_binning(3)
