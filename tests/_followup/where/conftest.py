"""Three sites, one of which is worse, for the tests of localization."""

import numpy as np
import pytest

from calibrant.models import TemperatureModel


@pytest.fixture(scope="module")
def sites():
    """Three sites, the last of them over-confident."""
    y, P = TemperatureModel(0.3, 4).sample(400, rng=0)
    bad_y, bad_P = TemperatureModel(0.3, 4, temperature=2.0).sample(150, rng=1)
    return np.r_[y, bad_y], np.r_[P, bad_P], np.repeat(["A", "B", "C"], [200, 200, 150])
