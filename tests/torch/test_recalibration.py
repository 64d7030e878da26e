"""The modules compute what the maps of the library do."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from calibrant import recalibration, repair  # noqa: E402
from calibrant.models import TemperatureModel  # noqa: E402
from calibrant.torch import Temperature, VectorScaling  # noqa: E402


def logits_and_labels(n=500):
    y, p = TemperatureModel(0.5, 3, temperature=2.0).sample(n, rng=0)
    shift = np.random.default_rng(0).normal(size=(n, 1))
    return torch.from_numpy(np.log(np.maximum(p, 1e-300)) + shift), p, y


def test_temperature_is_the_map():
    logits, p, y = logits_and_labels()
    fitted = recalibration.Temperature().fit(p, y)
    module = Temperature.of(fitted)
    expected = fitted.predict_proba(p)
    np.testing.assert_allclose(module(logits).softmax(dim=1).numpy(), expected, atol=1e-6)


def test_vector_scaling_is_the_map():
    logits, p, y = logits_and_labels()
    for family in (recalibration.VectorScaling(), recalibration.ClassPrior()):
        fitted = family.fit(p, y)
        found = VectorScaling.of(fitted)(logits).softmax(dim=1).numpy()
        np.testing.assert_allclose(found, fitted.predict_proba(p), rtol=1e-9)


def test_a_result_of_repair_becomes_a_module():
    _, p, y = logits_and_labels()
    result = repair(y, p, rng=0, n_resamples=19)
    assert Temperature.of(result).temperature.item() == pytest.approx(result.map.temperature)


def test_modules_are_saved_with_a_network_and_not_trained():
    network = torch.nn.Sequential(torch.nn.Linear(2, 3), Temperature(2.0))
    assert "1.temperature" in network.state_dict()
    assert len(list(network.parameters())) == 2
    network(torch.ones(1, 2)).sum().backward()
    other = torch.nn.Sequential(torch.nn.Linear(2, 3), Temperature(1.0))
    other.load_state_dict(network.state_dict())
    assert torch.equal(other(torch.ones(1, 2)), network(torch.ones(1, 2)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_type_of_the_logits_stays(dtype):
    logits = torch.zeros(2, 3, dtype=dtype)
    assert Temperature(2.0)(logits).dtype == dtype
    assert VectorScaling([1.0] * 3, [0.0] * 3)(logits).dtype == dtype


def test_modules_can_be_scripted_and_printed():
    assert repr(Temperature(1.96)) == "Temperature(1.96)"
    assert repr(VectorScaling([1, 1], [0, 0])) == "VectorScaling(n_classes=2)"


def test_other_maps_and_values_are_refused():
    _, p, y = logits_and_labels()
    full = recalibration.DirichletScaling().fit(p, y)
    with pytest.raises(TypeError, match="must be a fitted temperature"):
        Temperature.of(full)
    with pytest.raises(TypeError, match="one slope per class"):
        VectorScaling.of(full)
    with pytest.raises(ValueError, match="must be a positive number"):
        Temperature(0.0)
    with pytest.raises(ValueError, match="one finite number per class"):
        VectorScaling([1.0, np.nan], [0.0, 0.0])
    with pytest.raises(ValueError, match="`floor` must be in"):
        VectorScaling([1.0], [0.0], floor=0.0)
