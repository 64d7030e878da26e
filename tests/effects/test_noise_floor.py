import json
import math

import numpy as np
import pytest

from calibrant.effects import NoiseFloor


def test_floor_is_mean_sd_and_quantiles():
    floor = NoiseFloor.of(np.arange(101) / 100)
    assert floor.mean == pytest.approx(0.5)
    assert floor.sd == pytest.approx(np.std(np.arange(101) / 100, ddof=1))
    assert floor.quantiles == pytest.approx({0.05: 0.05, 0.5: 0.5, 0.95: 0.95})
    assert floor.n_resamples == 101
    assert floor.excess(0.75) == pytest.approx(0.25)
    assert floor.excess(0.25) == pytest.approx(-0.25)
    assert floor.size(0.75) == pytest.approx(math.sqrt(0.75**2 - 0.5**2))
    assert floor.size(0.25) == 0.0


def test_estimates_that_are_not_finite_do_not_count():
    floor = NoiseFloor.of([1.0, math.nan, 3.0, math.inf])
    assert (floor.mean, floor.n_resamples) == (2.0, 2)


@pytest.mark.parametrize("estimates", [[], [math.nan], [1.0]])
def test_few_estimates_leave_unknowns_without_a_warning(estimates):
    floor = NoiseFloor.of(estimates)
    assert math.isnan(floor.sd)
    assert math.isnan(floor.excess(1.0)) == (estimates != [1.0])


def test_floor_survives_strict_json():
    floor = NoiseFloor.of([0.25, 0.5])
    text = json.dumps(floor.to_dict(), allow_nan=False)
    assert NoiseFloor.from_dict(json.loads(text)) == floor
    empty = json.dumps(NoiseFloor.of([]).to_dict(), allow_nan=False)
    assert math.isnan(NoiseFloor.from_dict(json.loads(empty)).mean)
