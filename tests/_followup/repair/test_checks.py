"""The tests after a repair use only unseen, independent rows."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from calibrant import Predictions
from calibrant._followup.repair._checks import Checker, with_probabilities
from calibrant.models import M1, TemperatureModel
from calibrant.recalibration import ClassPrior, Temperature, VectorScaling, cross_fit


class Witness:
    """A map in the style of scikit-learn that writes down what it was shown."""

    shown: ClassVar = []

    def fit(self, P, y):
        self.seen = P[:, 0].tolist()
        return self

    def predict_proba(self, P):
        Witness.shown.append((self.seen, P[:, 0].tolist()))
        return P


@pytest.fixture
def witness():
    Witness.shown = []
    return Witness()


def checker(n_resamples=19, clusters=None, seed=0):
    return Checker(clusters, n_resamples, np.random.default_rng(seed), 1)


def test_the_split_tests_rows_that_the_map_has_not_seen(witness):
    predictions = Predictions(*M1(3).sample(61, rng=0))
    found = checker().check_split(witness, predictions, seed=0)
    ((seen, tested),) = Witness.shown
    assert sorted(seen + tested) == sorted(predictions.y_prob[:, 0].tolist())
    assert found.n_samples == len(tested)


def test_clusters_stay_on_one_side_and_send_all_their_rows(witness):
    clusters = np.arange(60) // 3
    predictions = Predictions(*M1(3).sample(60, rng=0), clusters=clusters)
    found = checker(clusters=clusters).check_split(witness, predictions, seed=0)
    cluster_of = dict(zip(predictions.y_prob[:, 0].tolist(), clusters.tolist(), strict=True))
    ((seen, tested),) = Witness.shown
    assert not {cluster_of[p] for p in seen} & {cluster_of[p] for p in tested}
    there = {cluster_of[p] for p in tested}
    assert len(tested) == 3 * len(there)
    assert found.n_samples == len(tested)


def test_many_rows_are_drawn_at_random():
    predictions = Predictions(*M1(3).sample(100, rng=0))
    found = replace(checker(), most_rows=40).check(
        "the model as it is", predictions, np.arange(100)
    )
    assert found.n_samples == 40


def test_a_direction_is_not_told_where_a_class_is_biased_more_clearly():
    rng = np.random.default_rng(0)
    q = rng.uniform(0.25, 0.95, 2000)
    low = Predictions((rng.random(2000) < q).astype(int), q - 0.2)
    found = checker().check("the model as it is", low, np.arange(2000))
    assert found.pvalue <= 0.05
    assert found.direction is None
    hot = Predictions(*TemperatureModel(0.5, 2, temperature=2.0).sample(2000, rng=0))
    found = checker().check("the model as it is", hot, np.arange(2000))
    assert found.direction == "over-confident"


@pytest.mark.slow
@pytest.mark.parametrize("family", [Temperature(), VectorScaling()])
def test_what_is_left_beyond_a_family_is_conservative_where_nothing_is(family):
    rejections = 0
    for seed in range(60):
        y, p = TemperatureModel(0.5, 3, temperature=1.6).sample(200, rng=seed)
        predictions = Predictions(y, p)
        repaired = with_probabilities(predictions, cross_fit(family, predictions))
        check = checker(99, seed=seed).check("left beyond this family", repaired, np.arange(200))
        rejections += check.pvalue <= 0.05
    # the rates are about .03 and .015, so that seven or more of 60 have a probability of .003
    assert rejections < 7


def test_what_is_left_beyond_a_wrong_family_is_seen():
    y, p = TemperatureModel(0.5, 3, temperature=2.0).sample(500, rng=0)
    found = checker(99).check_split(ClassPrior(), Predictions(y, p), seed=0)
    assert found.pvalue <= 0.05
    assert found.direction == "over-confident"
