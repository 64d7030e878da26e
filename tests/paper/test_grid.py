"""The simulated data sets are those of the paper's models."""

import numpy as np
import pytest

from calibrant.paper._grid import MIXTURES, Mixture, draw
from calibrant.paper._simulation import Batch, work_list


def test_the_grid_of_the_paper():
    assert len(MIXTURES) == 10
    batches = work_list((2, 10, 100, 1000), (0.1, 1.0), 10_000)
    assert len(batches) == 8 * 100
    assert sum(map(len, batches)) == 8 * 10_000
    assert len({batch.part.name for batch in batches}) == 800
    assert batches[0].n_classes == 1000


def test_the_last_batch_holds_the_rest():
    assert [len(batch) for batch in work_list((2,), (1.0,), 250)] == [100, 100, 50]


@pytest.mark.parametrize("alpha", [0.1, 1.0])
@pytest.mark.parametrize("mixture", [Mixture("first", 0.5), Mixture("uniform", 0.75)], ids=str)
def test_labels_follow_the_calibration_function(alpha, mixture):
    n = 40_000
    data = draw(3, alpha, [mixture], n, np.random.default_rng(0))
    truth = mixture.model(3, alpha).calibration_function(data.y_prob)
    excess = np.eye(3)[data.labels[0]] - truth
    # within 4.5 standard errors, also weighed by the predictions
    for weight in (np.ones(n), data.y_prob[:, 0], data.y_prob[:, 2] ** 2):
        weighed = excess * weight[:, None]
        assert np.all(np.abs(weighed.sum(axis=0)) < 4.5 * np.sqrt((weighed**2).sum(axis=0)))
    # Dirichlet(α, α, α): each component has the variance (1/3)(2/3)/(3α + 1)
    variance = 2 / 9 / (3 * alpha + 1)
    assert data.y_prob.var(axis=0) == pytest.approx(variance, rel=0.05)


def test_mixtures_share_what_they_can():
    data = draw(4, 1.0, MIXTURES, 500, np.random.default_rng(1))
    labels = dict(zip(MIXTURES, data.labels, strict=True))
    assert np.array_equal(labels[Mixture("first", 0.0)], labels[Mixture("uniform", 0.0)])
    assert not labels[Mixture("first", 1.0)].any()
    kept = labels[Mixture("first", 0.25)] == labels[Mixture("first", 0.0)]
    assert kept.mean() > 0.7


def test_a_data_set_depends_on_its_number_only():
    whole, part = Batch(3, 0.1, 0, 100), Batch(3, 0.1, 7, 9)
    first = [b.generator(5, 7).random(3).tolist() for b in (whole, part)]
    assert first[0] == first[1]
    others = [
        whole.generator(6, 7),
        whole.generator(5, 8),
        whole.generator(5, 7, stream=1),
        Batch(3, 1.0, 0, 100).generator(5, 7),
        Batch(4, 0.1, 0, 100).generator(5, 7),
    ]
    assert len({tuple(rng.random(3)) for rng in others} | {tuple(first[0])}) == 6
