"""`import calibrant` is light: it loads no heavy library, whatever name is asked for.

How long it takes beside `import numpy` is a row of ``python -m benchmarks``.
"""

import subprocess
import sys

import pytest

HEAVY = "scipy narwhals click rich jinja2 matplotlib pandas polars pyarrow dask torch sklearn"


@pytest.mark.parametrize("statement", ["import calibrant", "from calibrant import *"])
def test_no_heavy_library_is_loaded(statement):
    code = f"{statement}\nimport sys\nprint([m for m in {HEAVY.split()} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_names_are_loaded_when_asked_for():
    code = (
        "import sys, calibrant\n"
        "before = 'calibrant.estimators' in sys.modules\n"
        "calibrant.SKCE\n"
        "print(before, 'calibrant.estimators' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
