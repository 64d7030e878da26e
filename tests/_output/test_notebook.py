"""A notebook shows the verdict, intervals as plots, and a collapsed rest."""

import math
import re
from html.parser import HTMLParser

import pytest

import calibrant as cal
from calibrant._output import IntervalBar
from calibrant._output._notebook import notebook_html


def places(svg):
    found = re.search(r'stroke-dasharray.*?<line x1="([\d.]+)" x2="([\d.]+)".*?cx="([\d.]+)"', svg)
    mark = re.search(r'<line x1="([\d.]+)"', svg)
    return [float(mark[1]), *map(float, found.groups())]


def test_places_are_proportional_to_the_numbers():
    neutral, low, high, dot = places(IntervalBar("a", "2", 2.0, 1.0, 4.0, 0.0).svg())
    assert (low - neutral) / (high - neutral) == pytest.approx(0.25, abs=1e-3)
    assert (dot - neutral) / (high - neutral) == pytest.approx(0.5, abs=1e-3)
    assert low < dot < high


@pytest.mark.parametrize(
    ("low", "high", "clear"), [(0.5, 0.9, True), (0.5, 1.1, False), (1.0, 1.5, False)]
)
def test_red_means_that_the_interval_leaves_out_the_neutral_value(low, high, clear):
    bar = IntervalBar("a", "", 0.7, low, high, 1.0)
    assert bar.is_clear == clear
    assert ("#c0392b" in bar.svg()) == clear


@pytest.mark.parametrize("high", [math.nan, math.inf])
def test_what_is_unknown_is_not_drawn(high):
    assert IntervalBar("a", "", 0.7, 0.5, high, 1.0).svg() == ""
    assert IntervalBar("a", "", 0.7, 0.5, 0.9, None).svg() == ""


def test_names_are_escaped():
    html = notebook_html("<i>", [IntervalBar('<b>"', "<u>", 1.0, 0.0, 2.0, 0.0)], "<s>", [])
    assert not {"<b>", "<i>", "<u>", "<s>"} & set(re.findall(r"<\w>", html))
    assert 'aria-label="&lt;b&gt;&quot;: &lt;u&gt;"' in html


def test_results_have_a_picture_for_every_effect_with_a_neutral_value_and_a_fold():
    y, p = cal.models.TemperatureModel(0.1, 5, temperature=1.5).sample(300, rng=0)
    result = cal.calibration_test(y, p, method=cal.methods.Aggregated(19), rng=0)
    html = result._repr_html_()
    drawn = re.findall(r'aria-label="(\w+):', html)
    assert drawn == ["calibration_loss", "bias", "temperature", "slope", "intercept", "rmsce",
                     "skce"]  # fmt: skip
    assert html.index("<strong>") < html.index("<svg") < html.index("<details>")
    details = html[html.index("<details>") :]
    assert "default: exact, 19 label sets" in details
    assert ">temperature<" not in details  # which has a bar
    HTMLParser().feed(html)
    others = cal.compare(y, {"a": p, "b": p**0.7 / (p**0.7).sum(axis=1, keepdims=True)}, rng=0)
    assert others._repr_html_().count("<svg") == len(others.differences)


def test_reprs_fit_on_a_screen():
    y, p = cal.models.TemperatureModel(0.1, 10, temperature=1.5).sample(200, rng=0)
    run = {"n_resamples": 19, "rng": 0}
    for result in (
        cal.calibration_test(y, p, method=cal.methods.Aggregated(19), rng=0),
        cal.where(y, p, **run),
        cal.repair(y, p, **run),
        cal.compare(y, {"a": p, "b": p}),
    ):
        assert len(repr(result)) < 24 * 80
