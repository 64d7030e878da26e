"""What all tests share: both cores, read-only data, the folder of published values."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from calibrant import _native


class Sample(NamedTuple):
    """Labels, predictions and weights; read-only, so that no test can disturb another."""

    y: np.ndarray
    P: np.ndarray
    w: np.ndarray


def make_sample(seed, n, m, alpha=0.7):
    rng = np.random.default_rng(seed)
    sample = Sample(rng.integers(m, size=n), rng.dirichlet(np.full(m, alpha), n), rng.random(n))
    for array in sample:
        array.flags.writeable = False
    return sample


@pytest.fixture(params=["native", "numpy"])
def core(request):
    """Run the test with the native core and with its NumPy twin."""
    if request.param == "native" and _native._core is None:
        pytest.skip("the native core is not built")
    with _native.using(request.param):
        yield request.param


@pytest.fixture(scope="session")
def native():
    """The native module."""
    if _native._core is None:
        pytest.skip("the native core is not built")
    return _native._core


@pytest.fixture(scope="session")
def binary():
    return make_sample(2, 23, 2)


@pytest.fixture(scope="session")
def ternary():
    return make_sample(3, 23, 3)


@pytest.fixture(scope="session")
def shared():
    """The folder with the paper's data, beside the repository."""
    path = Path(__file__).parents[2] / "shared"
    if not path.is_dir():
        pytest.skip(f"the folder of published values is not at {path}")
    return path
