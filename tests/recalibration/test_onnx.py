"""ONNX models of plain operators give what `apply` gives, in the reference and in a runtime."""

import json

import numpy as np
import pytest
from tests.recalibration.maps import MAPS

import calibrant as cal
from calibrant.models import TemperatureModel
from calibrant.recalibration import (
    BetaScaling,
    Calibrator,
    Isotonic,
    Temperature,
    VectorScaling,
)

onnx = pytest.importorskip("onnx")
CASES = [(f, m) for f in MAPS for m in (2, 3, 10)] + [(BetaScaling(), 2), (Isotonic(False), 3)]


def calibrator(family, m):
    y, p = TemperatureModel(0.3, m, temperature=1.7).sample(500, rng=m)
    names = tuple(f"class {c}" for c in range(m))
    new = TemperatureModel(0.3, m).sample(300, rng=99)[1]
    new[:3] = np.eye(m)[[0, 1, m - 1]]  # zeros, which the floor stands for
    return Calibrator(family.fit(p, y), family.name, names, "0f"), new


def by_reference(model, name, table):
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(model).run(None, {name: table})[0]


def by_runtime(model, name, table):
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(["recalibrated"], {name: table})[0]


@pytest.mark.parametrize("run", [by_reference, by_runtime])
@pytest.mark.parametrize(("family", "m"), CASES)
def test_a_model_equals_apply(family, m, run):
    ours, p = calibrator(family, m)
    found = run(ours.to_onnx(), "probabilities", p)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, ours.apply(p), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("run", [by_reference, by_runtime])
@pytest.mark.parametrize(("family", "m"), CASES)
def test_single_precision_and_logits(family, m, run):
    ours, _ = calibrator(family, m)
    logits = np.random.default_rng(0).normal(scale=3.0, size=(200, m)).astype(np.float32)
    wanted = ours.apply(cal.Predictions.from_logits(np.zeros(200, int), logits).y_prob)
    found = run(ours.to_onnx(takes="logits", precision="float32"), "logits", logits)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, atol=2e-6)


def test_the_operators_are_plain_and_the_classes_are_there(tmp_path):
    ours, p = calibrator(VectorScaling(), 3)
    model = ours.to_onnx(tmp_path / "calibrator.onnx")
    assert [node.op_type for node in model.graph.node] == [
        "Max",
        "Log",
        "Mul",
        "Add",
        "Softmax",
        "Cast",
    ]
    assert all(node.domain == "" for node in model.graph.node)
    about = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(about["classes"]) == ["class 0", "class 1", "class 2"]
    assert about["fingerprint"] == "0f"
    written = onnx.load(tmp_path / "calibrator.onnx")
    np.testing.assert_array_equal(
        by_reference(written, "probabilities", p), by_reference(model, "probabilities", p)
    )


def test_a_result_of_repair_becomes_a_model():
    y, p = TemperatureModel(0.5, 3, temperature=2.0).sample(500, rng=0)
    result = cal.repair(y, p, n_resamples=19, rng=0)
    found = by_reference(result.to_onnx(), "probabilities", p)
    np.testing.assert_allclose(found, result.apply(p), rtol=1e-12)


def test_what_cannot_be_exported_is_refused(tmp_path):
    ours, _ = calibrator(Temperature(), 3)
    with pytest.raises(ValueError, match="`takes` must be 'probabilities' or 'logits'"):
        ours.to_onnx(takes="scores")
    with pytest.raises(ValueError, match="`precision` must be 'float64' or 'float32'"):
        ours.to_onnx(precision="float16")

    class Foreign:
        n_classes = 3

    foreign = Calibrator(Foreign(), "foreign", ("a", "b", "c"))
    with pytest.raises(TypeError, match="a Foreign cannot become an ONNX model"):
        foreign.to_onnx(tmp_path / "x.onnx")
    assert not list(tmp_path.iterdir())


def test_without_onnx_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"calibrant\[onnx\]"):
        calibrator(Temperature(), 3)[0].to_onnx()
