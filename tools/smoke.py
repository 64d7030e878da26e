"""A quick check that an installed wheel works, with the native core and its NumPy twin.

Run it as ``python tools/smoke.py``.
"""

from __future__ import annotations

import math

import calibrant as cal
from calibrant import _native


def main() -> None:
    """Raise an error if a number is wrong."""
    info = cal.core_info()
    assert info["core"] == "native", f"the wheel has no native core: {info}"
    y_true, y_prob = cal.models.TemperatureModel(0.5, 4, temperature=2.0).sample(300, rng=0)
    values = []
    for core in ("native", "numpy"):
        with _native.using(core):
            # two certain and wrong rows with similarity e⁻¹: a closed form of the biased estimator
            biased = cal.SKCE(cal.kernels.Gaussian(1.0), unbiased=False)
            assert math.isclose(biased([1, 0], [[1.0, 0.0], [0.0, 1.0]]), 1.0 - math.exp(-1.0))
            errors = (cal.SKCE(), cal.SKCE(block_size=2), cal.ECE(), cal.MMCE())
            values.append([error(y_true, y_prob) for error in errors])
            assert cal.calibration_test(y_true, y_prob, rng=0).pvalue == 0.001
    assert all(math.isclose(*pair, rel_tol=1e-10) for pair in zip(*values, strict=True)), values
    print("calibrant works:", info)


if __name__ == "__main__":
    main()
