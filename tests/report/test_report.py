"""The content of a report: the library's numbers, in every format."""

import csv
import datetime
import io
import json
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import numpy as np
import pytest
from tests.report.tags import Tags

import calibrant as cal
from calibrant._output import number
from calibrant.cli.commands.info import schema_text
from calibrant.report import _downloads, _figures

from .conftest import FEW, make_report, predictions

pytestmark = pytest.mark.slow


def test_the_numbers_are_those_of_the_library():
    data, report = predictions(10), make_report("10")
    test = cal.calibration_test(data, method=cal.methods.Aggregated(FEW), rng=0)
    places = cal.where(data, n_resamples=FEW, rng=0)
    [model] = report.summary["models"].values()
    assert model["test"] == test.to_dict()
    assert model["where"] == places.to_dict()
    found = {measure["name"]: measure["estimate"] for measure in model["measures"]}
    assert found["kce"] == cal.KCE()(data)
    assert found["mmce"] == cal.MMCE()(data)
    assert found["ece_joint"] == cal.ECE()(data)
    assert found["temperature"] == test.effects["temperature"].estimate
    display = cal.plots.ReliabilityDisplay.from_predictions(data, label=3, n_resamples=FEW, rng=0)
    [shown_class] = [f for f in model["figures"]["reliability"] if f["label"] == "3"]
    assert shown_class["table"] == display.table()
    assert shown_class["numbers"] == display.numbers()


def test_models_are_compared():
    report = make_report("models")
    models = report.models
    assert report.summary["comparison"]["result"] == cal.compare(None, models, rng=0).to_dict()
    assert list(report.tests) == list(report.places) == ["raw", "scaled", "flat"]
    assert report.tests["raw"].pvalue == report.summary["models"]["raw"]["test"]["pvalue"]
    assert make_report("10").comparison is None
    assert make_report("10").summary["comparison"] is None


def test_page_json_and_text_say_the_same(report):
    document = json.loads(report.json())
    assert document == report.summary
    page = Tags(report.html())
    words = " ".join(" ".join(page.texts).split())
    text = " ".join(report.text().split())
    for name, model in document["models"].items():
        assert model["verdict"] in words
        assert model["verdict"] in text
        assert " ".join(name.split()) in words
        for measure in model["measures"]:
            assert number(measure["estimate"]) in words
            assert number(measure["estimate"]) in text
        for figure in model["figures"]["reliability"]:
            assert figure["description"] in words
        for finding in model["where"]["classes"]:
            assert number(finding["adjusted_pvalue"]) in words


def test_one_row_adds_a_picture_to_page_and_json(monkeypatch):
    [first, *_] = _figures.PICTURES
    added = _figures.Picture("added", "where", "cards", lambda s: [next(iter(first.make(s)))])
    monkeypatch.setattr(_figures, "PICTURES", (*_figures.PICTURES, added))
    report = cal.Report(predictions(3), n_resamples=39, rng=0)
    [model] = report.summary["models"].values()
    assert model["figures"]["added"] == model["figures"]["reliability"][:1]
    before, after = report.html().split('id="where"')
    assert 'id="p0-added-0-title"' not in before
    assert 'id="p0-added-0-title"' in after
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(report.summary)


def test_the_json_is_valid_by_the_schema(report):
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator(schema).validate(json.loads(report.json()))


def test_the_same_report_has_the_same_bytes():
    data = predictions(3)
    first, second = (cal.Report(data, rng=0, n_resamples=FEW, n_jobs=j) for j in (1, 2))
    assert first.html() == second.html()
    assert first.json() == second.json()
    with ThreadPoolExecutor(2) as executor:
        third = cal.Report(data, rng=0, n_resamples=FEW, executor=executor)
        assert third.html() == first.html()
    assert first.html() != cal.Report(data, rng=1, n_resamples=FEW).html()


def test_the_csv_holds_measures_and_findings_and_no_formulas():
    report = make_report("hostile")
    rows = list(csv.DictReader(io.StringIO(report.csv())))
    assert {row["kind"] for row in rows} == {"test", "measure", "class", "region", "group"}
    assert not [v for row in rows for v in row.values() if v.startswith(("=", "@", "+"))]
    [kce] = [r for r in rows if r["name"] == "kce" and r["model"] == "a\nb"]
    assert float(kce["estimate"]) == cal.KCE()(report.models["a\nb"])
    negative = cal.Report([-1, 1] * 20, [0.5] * 40, classes=[1, -1], n_resamples=39, rng=0).csv()
    assert "\r\nmodel,class,,-1," in negative


@pytest.mark.parametrize("name", ["=1+1", " =1+1", "\u00a0@x", "\n+1", "\uff1d1", "\tx", "-a"])
def test_names_that_a_spreadsheet_would_compute_get_an_apostrophe(name):
    assert _downloads._safe(name) == f"'{name}"


@pytest.mark.parametrize("name", ["cat", "a=b", "-1", "+2.5", "x @ y"])
def test_other_names_stay_as_they_are(name):
    assert _downloads._safe(name) == name


def test_a_seed_is_drawn_once_and_told():
    data = predictions(3)
    report = cal.Report(data, n_resamples=39)
    assert report.summary["seed"] == report.seed
    again = cal.Report(data, n_resamples=39, rng=report.seed)
    assert again.json() == report.json()
    assert cal.Report(data, rng=np.random.default_rng(0)).seed != cal.Report(data).seed
    assert cal.Report(data, rng=np.int64(3)).seed == 3


def test_what_the_user_says_is_printed_and_nothing_else_changes():
    data, few = predictions(3), {"n_resamples": 39, "rng": 0}
    said = {"dataset": "validation  <2026>", "author": "A. Author"}
    report = cal.Report(data, date=datetime.date(2026, 11, 18), **said, **few)
    assert report.summary["about"] == {
        "dataset": "validation <2026>", "author": "A. Author", "date": "2026-11-18"
    }  # fmt: skip
    words = " ".join(Tags(report.html()).texts)
    assert "Data: validation <2026> · Author: A. Author · Date: 2026-11-18" in words
    assert "author: A. Author" in report.text()
    plain = cal.Report(data, **few)
    assert plain.summary["about"] == {"dataset": None, "author": None, "date": None}
    assert "Author" not in plain.html()
    assert plain.summary["models"] == report.summary["models"]


def test_a_repair_is_looked_for_where_it_is_asked_for():
    report = make_report("repair")
    found = cal.repair(report.models["raw"], n_resamples=FEW, rng=0)
    assert report.repairs["raw"].to_dict() == found.to_dict()
    assert report.answers["raw"].repair == found.verdict
    words = " ".join(" ".join(Tags(report.html()).texts).split())
    assert words.count(found.verdict) == 2  # on the card, and above its evidence
    assert "Change on unseen rows by each map" in words
    assert found.verdict in report.text()
    [figure] = report.summary["models"]["raw"]["figures"]["repair"]
    assert "repaired: " in figure["description"]
    assert make_report("models").repairs == {}
    assert "Change on unseen rows" not in make_report("models").html()


def test_labels_of_one_class_leave_nothing_to_repair():
    report = cal.Report([1] * 30, [0.9] * 30, repair=True, n_resamples=39, rng=0)
    assert report.repairs == {}
    report.html()


def test_a_limit_is_compared_with_the_bound():
    data = predictions(3)
    report = cal.Report(data, limit=0.9, n_resamples=39, rng=0)
    assert report.answers["model"].ship.startswith("Yes: ")
    assert "the limit of 90 percentage points" in report.text()
    assert report.summary["settings"]["limit"] == 0.9


def test_nothing_is_computed_before_it_is_asked_for():
    told = []
    report = cal.Report(
        predictions(3), n_resamples=39, rng=0, progress=lambda done, total: told.append(done)
    )
    repr(report)
    assert told == []
    _ = report.summary
    assert told == sorted(told)
    assert len(told) > 4
    count = len(told)
    report.html()
    report.text()
    assert len(told) == count


def test_progress_ends_with_the_whole():
    told = []
    cal.Report(
        predictions(3), n_resamples=39, rng=0, progress=lambda *step: told.append(step)
    ).json()
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1]
    assert len({total for _, total in told}) == 1


def test_files_are_written_whole(tmp_path):
    path = tmp_path / "page.html"
    report = make_report("2")
    report.write_html(path)
    assert path.read_bytes() == report.html().encode()
    report.write_html(str(path))
    with pytest.raises(OSError, match="No such file"):
        report.write_html(tmp_path / "no" / "page.html")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 20}, r"`n_resamples` of a report must be an integer in \[39, "),
        ({"n_resamples": "many"}, r"`n_resamples` of a report must be an integer in \[39, "),
        ({"alpha": 1.0}, r"`alpha` must be in \(0, 1\)"),
        ({"title": " "}, "`title` must be a non-empty string"),
        ({"author": ""}, "`author` must be a non-empty string"),
        ({"date": 2026}, "`date` must be a non-empty string"),
        ({"limit": 1.5}, r"`limit` must be in \(0, 1\), for example 0.03"),
    ],
)
def test_settings_are_refused_at_once(options, message):
    with pytest.raises(ValueError, match=message):
        cal.Report([0, 1], [0.5, 0.5], **options)


def test_models_are_refused_at_once():
    with pytest.raises(ValueError, match="at least one model"):
        cal.Report([0, 1], {})
    with pytest.raises(ValueError, match="at most 20 models; got 21"):
        cal.Report([0, 1], {f"m{k}": [0.5, 0.5] for k in range(21)})
    with pytest.raises(ValueError, match="models must be compared on the same rows"):
        cal.Report(None, {"a": predictions(3), "b": predictions(3, seed=1)})


def test_degenerate_data_have_a_page():
    report = cal.Report([0, 1, 1], [[1.0, 0.0, 0.0]] * 3, n_resamples=39, rng=0)
    page = Tags(report.html())
    words = " ".join(page.texts)
    assert "impossible under the model" in words
    json.loads(report.json())
    report.text()


def test_weights_and_names_are_told():
    y, p = cal.models.M1(3).sample(60, rng=0)
    report = cal.Report(y, {"only": p}, sample_weight=np.arange(60.0), n_resamples=39, rng=0)
    assert report.summary["models"]["only"]["data"]["weighted"]
    assert "sample weights are used" in report.html()
    assert repr(report) == "Report(models=['only'], n_samples=60, n_classes=3, seed=0)"
