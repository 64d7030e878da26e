"""The page: complete, safe, small, and with everything a reader needs."""

import itertools
import re

import pytest
from tests.report.tags import Tags

import calibrant as cal
from calibrant.effects import Effect, Interval
from calibrant.report._tables import measure_table

from .conftest import FEW, HOSTILE, make_report, predictions

pytestmark = pytest.mark.slow


def test_tags_are_closed_and_ids_are_unique(report):
    page = Tags(report.html())
    assert page.open == []
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    for _, attrs in page.tags:
        for name in ("for", "aria-labelledby", "aria-describedby"):
            assert name not in attrs or attrs[name] in ids


def test_nothing_of_the_user_becomes_markup():
    report = make_report("hostile")
    page = Tags(report.html())
    assert not [tag for tag, _ in page.tags if tag in ("img", "i", "b", "iframe")]
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert [tag for tag, _ in page.tags].count("style") == 1
    for _, attrs in page.tags:
        assert "style" not in attrs
        assert not [name for name in attrs if name.startswith("on")]
    words = " ".join(page.texts)
    assert HOSTILE[0] in words
    assert "{{ 7331*7 }}" in words
    assert "51317" not in {text.strip() for text in page.texts}


def test_the_policy_allows_its_own_style_and_script_only(report):
    import base64
    import hashlib

    html = report.html()
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.replace("&#39;", "'").split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        [content] = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_the_page_refers_to_nothing_outside(report):
    for tag, attrs in Tags(report.html()).tags:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attrs.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, name, value)


def test_headings_are_in_order(report):
    levels = [int(tag[1]) for tag, _ in Tags(report.html()).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_many_classes_show_the_worst_and_list_all():
    m = 120
    report = cal.Report(predictions(m, n=400), n_resamples=39, rng=0)
    [model] = report.summary["models"].values()
    worst = [str(finding["name"]) for finding in model["where"]["classes"][:20]]
    figures = model["figures"]["reliability"]
    assert [f["label"] for f in figures] == ["predicted label", *worst]
    page = report.html()
    assert len(page.encode()) < 1_000_000
    assert "20 of 120 classes are shown" in page
    [table] = re.findall(r"Classes, strongest evidence first.*?</table>", page, re.S)
    assert table.count("<tr>") == m + 1
    assert "data-search" in table


def test_a_page_that_would_be_too_large_lists_less(limit):
    report = make_report("10")
    pictures = {"none": ""}
    assert pictures
    whole = report.html()
    limit(page_bytes=len(whole.encode()) - 1, page_limits=((1000, 10**6), (3, 0)))
    fresh = cal.Report(predictions(10), n_resamples=FEW, rng=0)
    assert "more rows are in the JSON" in fresh.html()
    assert "too many numbers for this page" in fresh.html()
    assert len(fresh.html()) < len(whole)


def test_twenty_classes_are_below_a_megabyte():
    report = cal.Report(predictions(20, n=600), n_resamples=FEW, rng=0)
    [model] = report.summary["models"].values()
    assert len(model["figures"]["reliability"]) == 21
    assert len(report.html().encode()) < 1_000_000


def test_the_first_screen_is_the_beginning_of_the_text():
    report = make_report("models")
    first = report.text(details=False)
    assert report.text().startswith(first.rstrip())
    assert f"Which is better? {report.comparison.verdict}" in first
    for answers in report.answers.values():
        for question, text in answers.items():
            assert re.search(rf"^{re.escape(question)} +{re.escape(text)}$", first, re.M)


def test_the_page_names_no_class_of_the_package_and_no_choice_that_nobody_made(report):
    page = report.html().split("Settings and versions")[0]
    assert "Aggregated(" not in page
    assert "you chose" not in page
    assert f"exact, {FEW} label sets" in page


def test_tables_have_the_digits_that_tell_the_ends_of_an_interval():
    effect = Effect("temperature", 1.1001, Interval(1.09981, 1.10039), "")
    [row] = measure_table({"one": [effect]}).rows
    assert row[1:3] == ("1.1001", "1.0998 to 1.1004")


def test_large_numbers_are_grouped():
    report = cal.Report(predictions(2, n=1200), n_resamples=39, rng=0)
    page = report.html()
    assert "1,200 rows, 2 classes" in page
    assert re.search(r"<dt>Rows</dt><dd>1,200</dd>", page)
    assert not re.search(r">1200<|\b1200 rows", page)


def test_a_notebook_gets_a_frame_that_keeps_to_itself():
    shown_page = make_report("hostile")._repr_html_()
    page = Tags(shown_page)
    [(tag, attrs)] = page.tags
    assert tag == "iframe"
    assert attrs["srcdoc"] == make_report("hostile").html()
    assert "allow-same-origin" not in attrs["sandbox"]
