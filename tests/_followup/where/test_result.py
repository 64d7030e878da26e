"""The result in words, as a table, as plain values."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import calibrant as cal
from calibrant import WhereResult
from calibrant._followup.where import Finding
from calibrant.models import Distorted, LogitShift, TemperatureModel


@pytest.fixture(scope="module")
def shifted():
    model = Distorted(1.0, 3, truth=LogitShift([-1.0, 0.0, 0.0]))
    y, P = model.sample(300, rng=0)
    site = np.where(np.arange(300) < 290, "<b>", "rest")
    return cal.where(y, P, groups={"site": site}, rng=0, n_resamples=99)


@pytest.fixture(scope="module")
def calm():
    return cal.where(*TemperatureModel(1.0, 3).sample(100, rng=1), rng=0, n_resamples=99)


FINDING = Finding(
    kind="class",
    name="cat",
    grouping=None,
    target="cat",
    n_samples=100,
    predicted=0.4,
    observed=0.3,
    contribution=0.01,
    share=0.43,
    estimate=0.01,
    frequency_z=-3.0,
    confidence_z=2.5,
    statistic=5.0,
    pvalue=0.002,
    adjusted_pvalue=0.004,
)


def test_a_finding_in_words():
    assert FINDING.describe() == (
        "class cat: predicted too often (predicted 0.4, occurred 0.3); "
        "adjusted p = 0.004; 43 % of the error found"
    )
    assert "adjusted p ≤ 0.004" in FINDING.describe(n_resamples=249)
    assert "adjusted p = 0.004" in FINDING.describe(n_resamples=999)


@pytest.mark.parametrize("share", [math.nan, 1.0])
def test_a_share_that_says_nothing_is_not_told(share):
    assert "of the error" not in replace(FINDING, share=share).describe()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"frequency_z": 3.0}, "predicted too rarely"),
        ({"confidence_z": -4.0}, "predicted too often"),  # the bias comes first
        ({"frequency_z": 1.0, "confidence_z": -4.0}, "too extreme"),
        ({"frequency_z": -1.0, "confidence_z": 2.0}, "too moderate"),
        ({"frequency_z": 1.0, "confidence_z": 1.9}, ""),
        ({"frequency_z": math.nan, "confidence_z": math.nan}, ""),
    ],
)
def test_the_direction_of_a_class(changes, words):
    assert replace(FINDING, **changes).direction == words


@pytest.mark.parametrize(
    ("frequency", "confidence", "words"),
    [
        (-0.5, -2.0, "over-confident"),
        (-2.0, -0.5, "over-confident"),
        (2.0, 3.0, "under-confident"),
        (-0.4, -3.0, ""),  # right about as often as predicted
        (0.5, -3.0, ""),  # right more often than predicted
        (2.5, -3.0, ""),
        (-1.9, -1.9, ""),
        (math.nan, math.nan, ""),
    ],
)
def test_a_direction_of_the_predicted_label_needs_two_that_agree(frequency, confidence, words):
    changes = {"kind": "group", "target": None, "frequency_z": frequency}
    assert replace(FINDING, confidence_z=confidence, **changes).direction == words


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"frequency_z": -3.0}, ("0.50003", "0.5")),
        ({"confidence_z": -3.0, "frequency_z": 0.0}, ("0.5", "0.5")),
        ({"frequency_z": -3.0, "predicted": 0.53}, ("0.53", "0.5")),
        ({"frequency_z": -3.0, "predicted": 0.5}, ("0.5", "0.5")),
    ],
)
def test_a_direction_of_two_rates_is_visible_in_them(changes, shown):
    near = replace(FINDING, predicted=0.50003, observed=0.5)
    assert replace(near, **changes).rates == shown


def test_titles_say_which_probability_a_region_is_of():
    region = replace(FINDING, kind="region", name="(0.2, 0.5]")
    assert region.title == "P(class cat) in (0.2, 0.5]"
    assert replace(region, target=None).title == "confidence in (0.2, 0.5]"


def test_names_cannot_leave_their_line(calm):
    evil = replace(FINDING, name="a\n::warning::b\x1b[2J\ud800", grouping="g\n::x", kind="group")
    text = replace(calm, classes=(evil,), beyond=None).summary()
    assert "\n::" not in text
    assert "\x1b" not in text
    text.encode()


def test_summary_names_what_stands_out(shifted):
    lines = shifted.summary().splitlines()
    assert lines[0] == shifted.verdict
    count = "7 of 9 classes, regions and groups stand out at alpha = 0.05"
    assert lines[0].startswith(f"{count}; beyond a robust common temperature of ")
    assert any(line.startswith("  class 0: predicted too often") for line in lines)
    assert lines[1:6] == [f"  {line}" for line in shifted.highlights[:5]]
    assert lines[6] == "  … and 2 more, in the tables"
    assert len(shifted.highlights) == len(shifted.significant) == 7
    assert f"Beyond {shifted.beyond.taken_out}:" in lines
    assert shifted.notes == ("site 'rest': not tested: 10 rows, fewer than 20",)
    assert lines[-2:] == ["Notes:", f"  {shifted.notes[0]}"]
    assert str(shifted) == shifted.summary()


def test_summary_claims_nothing_where_nothing_stands_out(calm):
    assert calm.significant == ()
    first, second = calm.summary().splitlines()[:2]
    assert first == "Nothing stands out at alpha = 0.05."
    assert first == calm.verdict
    assert second.startswith("  largest (not significant): ")
    assert calm.highlights == (second.removeprefix("  "),)
    assert calm.notes == ()
    assert "calibrated" not in calm.summary()


def test_untested_findings_come_last(shifted):
    assert [f.tested for f in shifted.groups["site"]] == [True, False]
    assert all(f.tested for f in shifted.findings)


def test_a_trip_through_json_keeps_everything_but_the_witness(shifted):
    table = json.loads(json.dumps(shifted.to_dict(), allow_nan=False))
    back = WhereResult.from_dict(table)
    assert back.to_dict() == shifted.to_dict()
    assert back.summary() == shifted.summary()
    with pytest.raises(ValueError, match="needs the data, which a result from a dict"):
        back.witness([[1.0, 0.0, 0.0]])


def test_names_that_json_does_not_know_become_text():
    assert replace(FINDING, name=("a", 1)).to_dict()["name"] == "('a', 1)"
    assert replace(FINDING, name=3).to_dict()["name"] == 3
    assert replace(FINDING, name=np.int64(3)).to_dict()["name"] == 3


def test_foreign_dicts_are_refused():
    with pytest.raises(ValueError, match=r"`WhereResult.to_dict`: missing \['alpha', 'beyond'"):
        WhereResult.from_dict({"pvalue": 1})


def test_html_is_escaped_and_has_all_tables(shifted):
    html = shifted._repr_html_()
    assert ">&lt;b&gt;</td>" in html
    assert html.count("<table>") == 3


def test_one_finding_stands_out_in_good_english(calm):
    alone = replace(calm, classes=(FINDING,), regions=(), groups={}, beyond=None)
    assert alone.verdict == "1 of 1 classes and regions stands out at alpha = 0.05."


def test_the_repr_fits_on_one_screen(shifted):
    assert len(repr(shifted)) < 200


def test_truth_is_ambiguous(calm):
    with pytest.raises(TypeError, match=r"ask for `result.significant`"):
        bool(calm)


def test_long_tables_are_cut_in_print_only(calm):
    many = replace(calm, classes=calm.classes * 10)
    assert "… and 10 more" in many.summary()
    assert "… and 10 more" in many._repr_html_()
    assert len(many.to_dict()["classes"]) == 30
