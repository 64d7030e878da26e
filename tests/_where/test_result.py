"""The result in words, as a table, as plain values."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import calibrant as cal
from calibrant import WhereResult
from calibrant._where import Finding
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
        "class 'cat': occurs less often than predicted (predicted 0.4, occurred 0.3); "
        "adjusted p = 0.004; 43 % of the error"
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"frequency_z": 3.0}, "occurs more often than predicted"),
        ({"confidence_z": -4.0}, "over-confident against the rest"),
        ({"frequency_z": 1.0, "confidence_z": 1.9}, ""),
        ({"kind": "group", "frequency_z": math.nan}, "under-confident"),
        ({"kind": "region", "frequency_z": math.nan, "confidence_z": -2.0}, "over-confident"),
        ({"frequency_z": math.nan, "confidence_z": math.nan}, ""),
    ],
)
def test_the_direction_is_the_larger_of_two_clear_ones(changes, words):
    assert replace(FINDING, **changes).direction == words


def test_summary_names_what_stands_out(shifted):
    lines = shifted.summary().splitlines()
    assert lines[0] == shifted.verdict == "7 of 9 stand out at alpha = 0.05."
    assert any(line.startswith("  class 0: occurs less often than predicted") for line in lines)
    assert lines[1 : 1 + len(shifted.highlights)] == [f"  {line}" for line in shifted.highlights]
    assert len(shifted.highlights) == len(shifted.significant) == 7
    assert shifted.notes == ("site 'rest': not tested: 10 rows, fewer than 20",)
    assert lines[-2:] == ["Notes:", f"  {shifted.notes[0]}"]
    assert str(shifted) == shifted.summary()


def test_summary_claims_nothing_where_nothing_stands_out(calm):
    assert calm.significant == ()
    first, second = calm.summary().splitlines()[:2]
    assert first == "Nothing stands out at alpha = 0.05."
    assert first == calm.verdict
    assert second.startswith("  largest, a hint and no claim: ")
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
    with pytest.raises(ValueError, match=r"`WhereResult.to_dict`: missing \['alpha', 'classes'"):
        WhereResult.from_dict({"pvalue": 1})


def test_html_is_escaped_and_has_all_tables(shifted):
    html = shifted._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html
    assert html.count("<table>") == 3


def test_one_finding_stands_out_in_good_english(calm):
    alone = replace(calm, classes=(FINDING,), regions=(), groups={})
    assert alone.verdict == "1 of 1 stands out at alpha = 0.05."


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
