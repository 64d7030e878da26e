"""Run a test with the native core and with its NumPy twin."""

import pytest

from calibrant import _native

each_core = pytest.mark.parametrize(
    "core",
    [
        "numpy",
        pytest.param(
            "native",
            marks=pytest.mark.skipif(_native._core is None, reason="the native core is not built"),
        ),
    ],
)
