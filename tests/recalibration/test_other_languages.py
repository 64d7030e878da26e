"""The lines that the documentation shows for other languages give the same numbers."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from calibrant.models import TemperatureModel
from calibrant.recalibration import Calibrator, VectorScaling

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "repair.rst"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.skipif(not PAGE.exists(), reason="a source distribution may come without docs")
def test_javascript():
    code = re.search(r"\.\. code-block:: javascript\n\n((?:   .*\n|\n)+)", PAGE.read_text("utf-8"))[
        1
    ]
    y, p = TemperatureModel(0.5, 4, temperature=2.0).sample(100, rng=0)
    calibrator = Calibrator(VectorScaling().fit(p, y), "vector scaling", tuple("abcd"))
    call = f"const f = {calibrator.to_json()}; const p = {json.dumps(p.tolist())};"
    show = "console.log(JSON.stringify(p.map((row) => apply(f, row))));"
    done = subprocess.run(
        ["node", "-"], input=f"{code}\n{call}\n{show}", capture_output=True, text=True, check=True
    )
    np.testing.assert_allclose(json.loads(done.stdout), calibrator.apply(p), rtol=1e-13)
