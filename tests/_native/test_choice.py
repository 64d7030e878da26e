"""The environment chooses core and instruction set; unknown values are refused."""

import os
import subprocess
import sys

import pytest

P = "np.ones((5, 2))"
ROUTINES = {
    "tiles": "_core.exp(-np.ones(3), np.zeros(3))",
    "sampling": f"_core.resample_labels({P}, np.zeros((3, 5), np.uint8), 1, 2, 3, 4)",
    "consistency": f"_core.consistency_errors({P}, np.zeros(5, int), 1, 2, np.zeros((2, 3)))",
    "core_info": "calibrant.core_info()",
}


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", f"import calibrant, numpy as np\n{code}"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).strip().splitlines()


def run_native(statement, **environment):
    return run(f"from calibrant._native import _core\n{statement}", **environment)


@pytest.mark.parametrize("routine", ROUTINES)
def test_an_unknown_instruction_set_is_refused_wherever_one_is_chosen(native, routine):
    last = run_native(ROUTINES[routine], CALIBRANT_SIMD="sse9", CALIBRANT_CORE="")[-1]
    assert last.endswith(
        "Error: the environment variable CALIBRANT_SIMD must be baseline, avx2 or avx512; "
        "got 'sse9'"
    )


def test_importing_never_fails_for_the_environment():
    assert run("", CALIBRANT_SIMD="sse9", CALIBRANT_CORE="fast") == []


def test_empty_variables_choose_nothing(native):
    statement = "print(calibrant.core_info())"
    assert run(statement, CALIBRANT_SIMD="", CALIBRANT_CORE="") == [
        str({"core": "native", "simd": native.simd()})
    ]


def test_an_unknown_core_is_refused():
    last = run("calibrant.core_info()", CALIBRANT_CORE="fast")[-1]
    assert last == (
        "calibrant.errors.EnvironmentVariableError: the environment variable CALIBRANT_CORE must "
        "be native or numpy; got 'fast'"
    )


@pytest.mark.parametrize("core", ["native", "numpy"])
def test_the_environment_chooses_the_core(native, core):
    assert run("print(calibrant.core_info()['core'])", CALIBRANT_CORE=core) == [core]


def test_a_core_that_is_missing_is_not_replaced():
    code = "from calibrant import _native\n_native._core = None\ncalibrant.core_info()"
    assert run(code, CALIBRANT_CORE="native")[-1].startswith("RuntimeError: the native core is not")
    assert run(code.replace("calibrant.core_info()", "print(_native.active())"), CALIBRANT_CORE="")[
        -1:
    ] == ["None"]
