"""Results as frames: the same table in every library, with the numbers of the result."""

import math
import subprocess
import sys

import narwhals as nw
import numpy as np
import pytest

import calibrant as cal
from calibrant._output import _frames as _to_frame
from calibrant._output._frames import to_frame

BACKENDS = ["pandas", "polars", "pyarrow"]
each_backend = pytest.mark.parametrize("backend", BACKENDS)


@pytest.fixture(scope="module")
def data():
    return cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(300, rng=0)


def read(frame):
    """Return the columns as lists, and their kinds."""
    table = nw.from_native(frame, eager_only=True)
    return {name: table[name].to_list() for name in table.columns}, dict(table.schema)


def library_of(frame):
    return type(frame).__module__.partition(".")[0]


@each_backend
def test_a_test_is_one_row(data, backend):
    pytest.importorskip(backend)
    result = cal.calibration_test(*data, rng=0)
    frame = result.to_frame(backend)
    assert library_of(frame) == backend
    columns, kinds = read(frame)
    row = {name: column for name, (column,) in columns.items()}
    assert row["pvalue"] == result.pvalue
    assert row["estimate"] == result.estimate
    assert row["noise_floor"] == result.noise_floor.mean
    assert (row["low"], row["high"]) == (
        result.confidence_interval().low,
        result.confidence_interval().high,
    )
    assert row["estimator"] == "SKCE()"
    assert row["direction"] == "over-confident"
    assert row["temperature_low"] == result.effects["temperature"].interval.low
    assert set(result.effects) <= set(row)
    assert kinds["n_samples"] == nw.Int64
    assert kinds["pvalue"] == nw.Float64
    assert kinds["method"] == nw.String


def test_tests_stack(data):
    pandas = pytest.importorskip("pandas")
    results = [
        cal.calibration_test(*data, rng=0),
        cal.calibration_test(*data, estimator=cal.ECE(), rng=0),
        cal.calibration_test(*data, method=cal.methods.DistributionFree(), rng=0),
    ]
    stacked = pandas.concat([result.to_frame("pandas") for result in results])
    assert stacked["pvalue"].to_list() == [result.pvalue for result in results]
    assert stacked["low"].isna().to_list() == [False, True, False]
    without = cal.calibration_test(*data, effects=False, rng=0).to_frame("pandas")
    assert "temperature" not in without.columns


@each_backend
@pytest.mark.parametrize("margin", [None, {"skce": 0.5, "accuracy": 0.5}])
def test_a_comparison_has_a_row_for_each_difference(data, backend, margin):
    pytest.importorskip(backend)
    y, p = data
    models = {"raw": p, "scaled": cal.models.temperature_scale(p, 3.0), "same": p}
    result = cal.compare(y, models, equivalence=margin)
    columns, kinds = read(result.to_frame(backend))
    assert len(columns["first"]) == len(result.differences) == 18
    for k, difference in enumerate(result.differences):
        assert columns["difference"][k] == pytest.approx(
            columns["first_estimate"][k] - columns["second_estimate"][k], abs=1e-12
        )
        assert columns["better"][k] == difference.better or difference.better is None
        assert columns["equivalent"][k] == bool(
            difference.equivalence and difference.equivalence.established
        )
    assert "scaled" in columns["better"]
    assert kinds["equivalent"] == nw.Boolean
    assert any(columns["equivalent"]) == (margin is not None)
    assert all(math.isnan(value) for value in columns["margin"]) == (margin is None)


@each_backend
def test_where_has_a_row_for_each_finding(data, backend):
    pytest.importorskip(backend)
    groups = {"site": np.arange(300) % 3}
    result = cal.where(*data, groups=groups, rng=0)
    columns, kinds = read(result.to_frame(backend))
    findings = [f for table in result.tables.values() for f in table]
    assert columns["name"] == [str(f.name) for f in findings]
    assert columns["direction"] == [f.direction for f in findings]
    np.testing.assert_array_equal(columns["adjusted_pvalue"], [f.adjusted_pvalue for f in findings])
    assert columns["kind"][:3] == ["class"] * 3
    assert columns["grouping"][-3:] == ["site"] * 3
    assert columns["n_samples"][-3:] == [100] * 3
    assert kinds["tested"] == nw.Boolean
    assert kinds["grouping"] == nw.String


@each_backend
def test_reliability_has_a_row_for_each_bin(data, backend):
    pytest.importorskip(backend)
    table = cal.binning.reliability(cal.Predictions(*data).top_label(), rng=0)
    columns, kinds = read(table.to_frame(backend))
    assert columns["count"] == table.bins.count.tolist()
    assert columns["observed"] == table.observed.tolist()
    assert columns["band_high"] == table.band_high.tolist()
    assert columns["outside"] == table.outside.tolist()
    assert list(columns) == list(table.to_dict())
    assert kinds["outside"] == nw.Int64


@each_backend
def test_bins_have_a_row_for_each_bin_and_class(data, backend):
    pytest.importorskip(backend)
    y, p = data
    names = ["cat", "dog", "owl"]
    predictions = cal.Predictions(np.array(names)[y], p, classes=names)
    bins = cal.binning.MedianVariance(min_size=50).bins(predictions)
    columns, kinds = read(bins.to_frame(backend))
    assert columns["class"] == names * len(bins)
    assert columns["bin"] == np.repeat(np.arange(len(bins)), 3).tolist()
    assert columns["label_frequency"] == bins.label_frequency.ravel().tolist()
    assert "lower" not in columns
    assert kinds["class"] == nw.String
    line = cal.binning.Uniform(4).bins(cal.Predictions([0, 1], [0.3, 0.9]))
    columns, kinds = read(line.to_frame(backend))
    assert columns["lower"] == [0.25, 0.25, 0.75, 0.75]
    assert columns["class"] == [0, 1, 0, 1]
    assert kinds["class"] == nw.Int64


def test_the_default_is_what_is_installed(monkeypatch):
    found = _to_frame.find_spec
    for missing, expected in (([], "pandas"), (["pandas"], "polars"), (BACKENDS[:2], "pyarrow")):
        pytest.importorskip(expected)
        monkeypatch.setattr(
            _to_frame, "find_spec", lambda name, gone=missing: None if name in gone else found(name)
        )
        assert library_of(to_frame({"a": [1]}, None)) == expected
        monkeypatch.undo()
    monkeypatch.setattr(_to_frame, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="needs pandas, polars or pyarrow"):
        to_frame({"a": [1]}, None)
    with pytest.raises(ImportError, match="polars is not installed"):
        to_frame({"a": [1]}, "polars")


def test_unknown_backends_are_refused():
    with pytest.raises(ValueError, match=r"`backend` must be one of 'pandas'.*got 'numpy'"):
        to_frame({"a": [1]}, "numpy")


def test_kinds_that_do_not_mix_become_text():
    columns, kinds = read(to_frame({"a": [1, "x"], "b": [1, 2.5], "c": [True, 2]}, None))
    assert columns == {"a": ["1", "x"], "b": [1.0, 2.5], "c": ["True", "2"]}
    assert list(kinds.values()) == [nw.String, nw.Float64, nw.String]


def test_no_library_is_loaded_before_it_is_asked_for():
    code = "import calibrant._calibration_test._result, sys; print('narwhals' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
