"""Published and recomputed values of the kernel errors, with where they come from."""

import csv
import math

import numpy as np
import pytest

from calibrant import KCE, MMCE, SKCE, Predictions
from calibrant.kernels import FunctionKernel, Gaussian, Laplacian, median_bandwidth

pytestmark = pytest.mark.slow

#: the paper's bandwidths: medians of the full matrix of total variation distances with its zero
#: diagonal, median_bandwidth(P, diagonal=True); written down because each takes seconds
BANDWIDTHS = {
    "densenet121": 0.997333388885,
    "googlenet": 0.9970541526745,
    "resnet18": 0.9986236334437499,
    "vgg16_bn": 0.99970603001975,
}


@pytest.fixture(scope="module", params=BANDWIDTHS)
def network(request, shared):
    """Predictions of a CIFAR-10 network, its published errors and the paper's kernel."""
    folder = shared / "paper" / "cifar10"
    y = np.loadtxt(folder / "labels.csv.gz", dtype=np.int64) - 1
    P = np.loadtxt(folder / f"{request.param}.csv.gz", delimiter=",")
    with (folder / "published_errors.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["model"] == request.param)
    return Predictions(y, P), row, Laplacian(BANDWIDTHS[request.param])


# CalibrationPaper, commit a164e8b: SKCEb, SKCEuq and SKCEul of networks on CIFAR-10, kernel
# exp(−TV/ν)·I. The file has 16 digits; the sums were taken in another order.
@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("SKCEb_median", {"unbiased": False}),
        ("SKCEuq_median", {}),
        ("SKCEul_median", {"block_size": 2}),
    ],
    ids=["biased", "unbiased", "linear"],
)
def test_errors_of_the_networks(native, network, column, options):
    predictions, row, kernel = network
    value = SKCE(kernel, **options)(predictions)
    assert value == pytest.approx(float(row[column]), rel=1e-11)


def test_linear_error_of_the_networks_on_both_cores(core, network):
    predictions, row, kernel = network
    value = SKCE(kernel, block_size=2)(predictions)
    assert value == pytest.approx(float(row["SKCEul_median"]), rel=1e-12)


def test_bandwidth_of_a_network_is_the_median_with_the_diagonal(shared):
    P = np.loadtxt(shared / "paper" / "cifar10" / "vgg16_bn.csv.gz", delimiter=",")
    assert median_bandwidth(P, diagonal=True) == BANDWIDTHS["vgg16_bn"]


def euclidean_laplacian(rate):
    return Laplacian(1.0 / rate, metric="euclidean")


def dirichlet_data():
    rng = np.random.default_rng(1234)
    return rng.dirichlet((3, 2, 5), 100), rng.integers(low=1, high=4, size=100)


def test_readme_of_pycalibration_binary(core):
    # pycalibration, README: kernel exp(−|p−q|), h = 2(y−p)(y'−p')k.
    rng = np.random.default_rng(1234)
    p, y = rng.random(100), rng.choice([True, False], 100)
    value = SKCE(Laplacian(1.0))(y, p)
    assert value == pytest.approx(0.03320398246523166, rel=1e-13)


def test_readme_of_pycalibration_three_classes(core):
    # pycalibration, README: kernel exp(−‖p−q‖₂); the biased value recomputed with it.
    P, y = dirichlet_data()
    kernel = euclidean_laplacian(1.0)
    names = [1, 2, 3]
    assert SKCE(kernel)(y, P, classes=names) == pytest.approx(0.02015240706950358, rel=1e-13)
    biased = SKCE(kernel, unbiased=False)(y, P, classes=names)
    assert biased == pytest.approx(0.026805515096671922, rel=1e-13)
    assert KCE(kernel)(y, P, classes=names) == pytest.approx(math.sqrt(biased), rel=1e-14)


def test_readme_of_pycalibration_two_samples(core):
    P = [[0.1, 0.8, 0.1], [0.2, 0.5, 0.3]]
    value = SKCE(euclidean_laplacian(1.0))([1, 2], P)
    assert value == pytest.approx(-0.10317943453412069, rel=1e-13)


def test_total_variation_kernel_on_the_same_data(core):
    # Recomputed with CalibrationErrors.jl's definitions: kernel exp(−TV).
    P, y = dirichlet_data()
    unbiased = SKCE(Laplacian(1.0))(y - 1, P)
    biased = SKCE(Laplacian(1.0), unbiased=False)(y - 1, P)
    assert unbiased == pytest.approx(0.02129650889373521, rel=1e-13)
    assert biased == pytest.approx(0.027938175902661185, rel=1e-13)
    assert 100 / 99 * unbiased - biased == pytest.approx(-0.006426550757474104, rel=1e-12)


def test_mmce_on_the_same_data(core):
    # Kernel exp(−2.5|s−t|), top label, root of the biased estimate; recomputed.
    P, y = dirichlet_data()
    assert MMCE()(y - 1, P) == pytest.approx(0.16581586273274082, rel=1e-13)


def test_data_of_the_tests_of_pycalibration(core):
    # pycalibration, test suite: kernel exp(−3‖p−q‖₂) on 500 calibrated binary predictions.
    rng = np.random.default_rng(1234)
    P = rng.dirichlet((1, 1), 500)
    y = (2 - (rng.random(500) < P[:, 0])) - 1
    kernel, predictions = euclidean_laplacian(3.0), Predictions(y, P)
    unbiased = SKCE(kernel)(predictions)
    biased = SKCE(kernel, unbiased=False)(predictions)
    # estimates near 0 are differences of sums a thousand times as large
    assert unbiased == pytest.approx(-0.00036706556809863917, rel=1e-11)
    assert biased == pytest.approx(0.00029913900506092046, rel=1e-11)
    assert 500 / 499 * unbiased - biased == pytest.approx(-0.0006669401755004386, rel=1e-11)


@pytest.mark.parametrize(
    ("size", "mean", "z"),
    [
        (2, -0.01786496888521873, -1.7089859890287749),
        (10, -0.004990515939470188, -2.176525107607391),
    ],
)
def test_block_estimates_of_the_tests_of_pycalibration(core, size, mean, z):
    rng = np.random.default_rng(1234)
    P = rng.dirichlet((1, 1), 500)
    y = (2 - (rng.random(500) < P[:, 0])) - 1
    skce = SKCE(euclidean_laplacian(3.0), block_size=size)
    blocks = skce.block_estimates(Predictions(y, P))
    assert skce(y, P) == pytest.approx(mean, rel=1e-12)
    score = blocks.mean() / blocks.std(ddof=1) * math.sqrt(len(blocks))
    assert score == pytest.approx(z, rel=1e-12)


def test_a_function_gives_the_same_value(core):
    # The README's kernel once more, by the path for functions of the user.
    P, y = dirichlet_data()

    def function(p, q):
        return np.exp(-np.sqrt(((p[:, None] - q[None]) ** 2).sum(axis=2)))

    value = SKCE(FunctionKernel(function))(y - 1, P)
    assert value == pytest.approx(0.02015240706950358, rel=1e-12)


def test_gaussian_of_two_vertices(core):
    # CalibrationErrors.jl: kernel exp(−‖p−q‖²/2), labels swapped: −2/e.
    assert SKCE(Gaussian(1.0))([1, 0], np.eye(2)) == pytest.approx(-2 / math.e, rel=1e-14)
