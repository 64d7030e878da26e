"""Shared by all tests: both cores, limits, read-only data, and published values."""

from contextlib import ExitStack
from pathlib import Path

import hypothesis
import pytest
from tests.samples import make_sample

from calibrant import _native
from calibrant._execution import limited

# deadlines are of the wall clock, and the machine may have other work
hypothesis.settings.register_profile("calibrant", deadline=None)
hypothesis.settings.load_profile("calibrant")


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


@pytest.fixture
def limit():
    """Change limits for the rest of a test: ``limit(exact_rows=100)``."""
    with ExitStack() as changes:
        yield lambda **sizes: changes.enter_context(limited(**sizes))
