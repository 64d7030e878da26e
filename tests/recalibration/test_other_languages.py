"""The lines that the documentation shows for other languages give the same numbers."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from calibrant.models import TemperatureModel
from calibrant.recalibration import Calibrator, ConfidenceCurve, VectorScaling

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "repair.rst"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.skipif(not PAGE.exists(), reason="a source distribution may come without docs")
@pytest.mark.parametrize(
    ("family", "function"),
    [
        (VectorScaling(), "apply"),
        (ConfidenceCurve(), "correct"),
        (ConfidenceCurve(VectorScaling()), "correct"),
    ],
)
def test_javascript(family, function):
    page = PAGE.read_text("utf-8")
    code = re.search(r"\.\. code-block:: javascript\n\n((?:   .*\n|\n)+)", page)[1]
    y, p = TemperatureModel(0.5, 4, temperature=2.0).sample(100, rng=0)
    calibrator = Calibrator(family.fit(p[:50], y[:50]), family.name, tuple("abcd"))
    call = f"const f = {calibrator.to_json()}; const p = {json.dumps(p.tolist())};"
    show = f"console.log(JSON.stringify(p.map((row) => {function}(f, row))));"
    done = subprocess.run(
        ["node", "-"], input=f"{code}\n{call}\n{show}", capture_output=True, text=True, check=True
    )
    np.testing.assert_allclose(json.loads(done.stdout), calibrator.apply(p), rtol=1e-12)
