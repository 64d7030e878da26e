"""The paper's own p-values of four networks (CalibrationPaper, commit a164e8b)."""

import csv
from pathlib import Path

import numpy as np
import pytest

from calibrant import SKCE, Predictions
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Laplacian, median_bandwidth
from calibrant.methods._asymptotic_block import AsymptoticBlock
from calibrant.methods._base import Setting
from calibrant.methods._distribution_free import DistributionFree

CIFAR = Path(__file__).parents[3] / "shared" / "paper" / "cifar10"
SETTING = Setting(np.random.default_rng(0), Parallel())


@pytest.fixture(scope="module", params=["densenet121", "googlenet", "resnet18", "vgg16_bn"])
def network(request):
    if not CIFAR.is_dir():
        pytest.skip(f"the published predictions are not at {CIFAR}")
    y_true = np.loadtxt(CIFAR / "labels.csv.gz", dtype=np.int64) - 1
    predictions = Predictions(y_true, np.loadtxt(CIFAR / f"{request.param}.csv.gz", delimiter=","))
    with (CIFAR / "published_pvalues.csv").open() as file:
        published = next(row for row in csv.DictReader(file) if row["model"] == request.param)
    kernel = Laplacian(median_bandwidth(predictions.y_prob, diagonal=True))
    return predictions, kernel, published


@pytest.mark.slow
def test_distribution_free_pvalues_of_the_biased_and_the_unbiased_estimator(network):
    predictions, kernel, published = network
    for unbiased, name in ((False, "SKCEb"), (True, "SKCEuq")):
        evidence = DistributionFree().test(predictions, SKCE(kernel, unbiased), SETTING)
        expected = float(published[f"{name}_median_distribution_free"])
        assert evidence.pvalue == pytest.approx(expected, rel=1e-9)


def test_distribution_free_pvalue_of_the_linear_estimator(network):
    predictions, kernel, published = network
    evidence = DistributionFree().test(predictions, SKCE(kernel, block_size=2), SETTING)
    expected = float(published["SKCEul_median_distribution_free"])
    # The published bound squares negative estimates too; a bound for large values says 1 there.
    if evidence.estimate < 0:
        assert published["model"] in ("densenet121", "googlenet")
        assert np.exp(-5000 * evidence.estimate**2 / 8) == pytest.approx(expected, rel=1e-9)
        assert evidence.pvalue == 1
    else:
        assert evidence.pvalue == pytest.approx(expected, rel=1e-9)


def test_asymptotic_pvalue_of_the_linear_estimator(network):
    predictions, kernel, published = network
    evidence = AsymptoticBlock(ddof=0).test(predictions, SKCE(kernel, block_size=2), SETTING)
    expected = float(published["SKCEul_median_asymptotic"])
    assert evidence.pvalue == pytest.approx(expected, rel=1e-9)
