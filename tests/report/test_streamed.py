"""Reports of rows that stream from files."""

import json

import numpy as np
import pytest

import calibrant as cal
from calibrant._engine import sizes
from calibrant.io import scan_predictions
from calibrant.methods import Aggregated
from calibrant.models import TemperatureModel

pytestmark = pytest.mark.slow

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")

FEW = {"n_resamples": 39, "rng": 0}
N = 3 * 1000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    parts = tmp_path_factory.mktemp("parts")
    for k in range(3):
        y, p = TemperatureModel(0.5, 3, temperature=1.5).sample(N // 3, rng=k)
        columns = {f"p_{c}": np.ascontiguousarray(p[:, c]) for c in range(3)}
        weight = np.where(np.arange(len(y)) % 3, 1.0, 2.0)
        pq.write_table(pa.table({"label": y, **columns, "w": weight}), parts / f"{k}.parquet")
    return str(parts)


@pytest.fixture(scope="module", params=[None, "w"])
def scans(request, folder):
    weight = {} if request.param is None else {"weight": request.param}
    return [scan_predictions(folder, in_memory=size, **weight) for size in (0, 1 << 30)]


@pytest.fixture(scope="module")
def reports(scans):
    return [cal.Report(scan, **FEW) for scan in scans]


def test_the_test_and_its_effects_are_those_of_all_streamed_rows(scans, reports):
    model = json.loads(reports[0].json())["models"]["model"]
    test = cal.calibration_test(scans[0], method=Aggregated(39), rng=0)
    assert model["test"] == json.loads(json.dumps(test.to_dict()))
    assert {one["name"] for one in model["measures"]} == set(test.effects)


def test_classes_are_those_of_all_rows(reports):
    found, expected = (json.loads(report.json())["models"]["model"]["data"] for report in reports)
    assert found["n_samples"] == expected["n_samples"] == N
    assert expected["n_sampled"] is None
    assert found["sha256"] is None
    for one, other in zip(found["classes"], expected["classes"], strict=True):
        assert one.pop("name") == other.pop("name")
        assert one == pytest.approx(other, rel=1e-12)


def test_all_else_is_of_evenly_spaced_rows(scans, limit):
    limit(report_rows=500, fewest_report_rows=500)
    streamed, whole = scans
    report = cal.Report(streamed, **FEW)
    rows = whole.read().predictions.take(sizes.evenly_spaced(N, 500))
    assert report.places["model"].to_dict() == cal.where(rows, n_resamples=39, rng=0).to_dict()


def test_page_and_text_say_what_is_of_some_rows(reports):
    for text in (reports[0].html(), reports[0].text()):
        assert "are of all 3,000 rows, which stream from files" in text
        assert "need rows in memory" in text
    assert "stream from files" not in reports[1].text()


def test_enough_rows_are_counted_among_all(reports):
    streamed, whole = (report.answers["model"].rows for report in reports)
    assert streamed == whole


def test_a_scan_comes_alone(scans):
    with pytest.raises(ValueError, match="a PredictionScan comes alone"):
        cal.Report(scans[0], clusters=np.arange(N))
