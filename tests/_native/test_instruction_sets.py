"""Every instruction set computes the same results, each in a separate process."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILES = [
    "tests/_native/test_exp.py",
    "tests/_native/test_log.py",
    "tests/_engine/test_tempered.py",
    "tests/_native/test_relabel.py",
    "tests/_engine/test_tiles.py",
]
ISAS = ["baseline", "avx2", "avx512"]

PROBE = """
import json
import numpy as np
from calibrant import SKCE, UCME, core_info
from calibrant._native import _core
from calibrant.kernels import Classwise, Gaussian, Laplacian

values = []
for n, m in [(2, 2), (9, 3), (60, 10), (33, 300), (700, 4)]:
    rng = np.random.default_rng(n)
    y, P = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    for kernel in (Laplacian(0.3), Laplacian(0.3, "euclidean"), Gaussian(0.5), Classwise()):
        values += [SKCE(kernel)(y, P), SKCE(kernel, unbiased=False)(y, P)]
        values += [SKCE(kernel, block_size=2)(y, P), UCME(kernel, [(P[0], 1)])(y, P)]
print(json.dumps([core_info()["simd"], values]))
"""


@cache
def computed(isa):
    """The instruction set that ran and its values."""
    env = os.environ | {"CALIBRANT_SIMD": isa, "CALIBRANT_CORE": "native"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env=env, capture_output=True, text=True, check=True
    )
    ran, values = json.loads(done.stdout)
    return ran, values


def require(isa):
    if computed(isa)[0] != isa:
        pytest.skip(f"this processor has no {isa}")


@pytest.mark.parametrize("isa", ISAS[1:])
def test_instruction_sets_agree(native, isa):
    require(isa)
    assert computed(isa)[1] == pytest.approx(computed("baseline")[1], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("isa", ISAS[:2])
def test_native_routines_pass_their_tests_on_lesser_processors(native, isa):
    require(isa)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", *FILES, "-k", "not numpy"],
        cwd=ROOT,
        env=os.environ | {"CALIBRANT_SIMD": isa},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "skipped" not in done.stdout
