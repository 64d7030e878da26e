"""The public names of `calibrant.kernels`."""

from __future__ import annotations

import subprocess
import sys

from calibrant import kernels


def test_public_names_are_sorted_and_there():
    assert kernels.__all__ == sorted(kernels.__all__)
    assert all(hasattr(kernels, name) for name in kernels.__all__)


def test_importing_loads_numpy_only():
    code = (
        "import sys, calibrant.kernels\n"
        "print([m for m in ('scipy', 'narwhals', 'pandas', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
