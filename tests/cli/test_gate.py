"""The gate: its grammar, its numbers, its reports, and what it refuses."""

from xml.etree import ElementTree

import pytest

from calibrant.cli.gate import GrammarError, Value, parse
from calibrant.cli.gate._reports import Outcome, github_annotations, junit_xml

NUMBERS = {Value("p"): 0.02, Value("tau"): 1.2, Value("tau", "lo"): 1.1}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("p<0.05", True),
        ("p < 0.02", False),
        ("p <= 2e-2", True),
        ("0.01 < p", True),
        ("tau.lo>1.05 and p<0.05", True),
        ("p<0.01 and tau>1 or tau.lo>1", True),  # and binds closer
        ("p<0.01 and (tau>1 or tau.lo>1)", False),
        ("p<0.01 or tau>9 or tau.lo>=1.1", True),
        ("((p<.05))", True),
        ("tau > tau.lo", True),
        ("P<0.05 AND TAU.LO>1", True),
        ("tau>-1", True),
        ("tau>+1.", True),
        ("  p<0.05\n  and\ttau>1 ", True),
        ("p<0.05and tau>1", True),
        (f"p<{'9' * 400}", True),
    ],
)
def test_conditions_mean_what_they_say(text, holds):
    assert parse(text).holds(NUMBERS) is holds


@pytest.mark.parametrize("text", ["p < 0.01 and (tau > 1 or tau.lo > 1)", "p < 0.5 or tau > 1"])
def test_conditions_print_as_they_are_written(text):
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected comparisons"),
        ("p", "expected a comparison such as p<0.01"),
        ("p<", "expected comparisons"),
        ("p<0.05 and", "expected comparisons"),
        ("p<0.05 tau>1", "joined by 'and' or 'or'"),
        ("(p<0.05", r"expected '\)'"),
        ("p<0.05)", "expected comparisons"),
        ("p<1) or (tau>2", "expected comparisons"),
        ("p==0.05", "'=' means nothing here"),
        ("p!=0.05", "'!' means nothing here"),
        ("p=>0.05", "'=' means nothing here"),
        ("0<p<0.05", "not chained"),
        ("1<2", "must be measured"),
        ("and<1", "expected comparisons"),
        ("not p<1", "expected a comparison"),
        ("p in tau", "expected <, <=, > or >="),
        ("p<tau+1", "expected a name"),
        ("p<-tau", "expected a name"),
        ("p<--1", "expected a name"),
        ("p<0x10", "expected a name"),
        ("p<1j", "expected a name"),
        ("tau.lo.hi<1", "expected a name"),
        ("p<1 if tau<1 else 2", "expected a comparison"),
        ("p<1 # always", "'#' means nothing here"),
        ("p<(tau:=1)", "':' means nothing here"),
        ("\N{FULLWIDTH LATIN SMALL LETTER P}<1", "means nothing here"),
        ("__import__('os')<1", "means nothing here"),
        ("exit(1)<1", "expected a name"),
        ("p<0.05; import os", "';' means nothing here"),
        ("(" * 40 + "p<1" + ")" * 40, "more than 30 parentheses"),
        ("-" * 1900 + "p<1", "expected"),
        ("p<0.05 or " * 300 + "p<0.05", "at most 2000 characters"),
    ],
)
def test_what_is_no_condition_is_refused(text, message):
    with pytest.raises(GrammarError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("text", "place"), [("p<0.05 xor tau>1", 7), ("p<0.05 and", 10), ("p<1 and tau==2", 11)]
)
def test_an_error_points_at_the_place(text, place):
    with pytest.raises(GrammarError) as caught:
        parse(f"  {text}")
    *_, shown, arrow = str(caught.value).splitlines()
    assert shown == f"  {text}"
    assert arrow.index("^") == 2 + place


def test_the_command_line_shows_the_place_below_the_condition(run, raw):
    result = run("gate", raw, "--fail-if", "p<0.05\x1b xor tau>1")
    assert result.exit_code == 2
    *_, shown, arrow = result.stderr.splitlines()
    assert (shown, arrow) == ("  p<0.05\\x1b xor tau>1", "  " + " " * 6 + "^")


@pytest.mark.parametrize(
    ("condition", "options", "message"),
    [
        ("p<0.001", (), "can never be true: with 999 resamples p is at least 1/1000"),
        ("p<0.001", (), "--resamples 9999"),
        ("p<=0.0009", (), "--resamples 9999"),
        ("0.0001>p", (), "--resamples 99999"),
        ("p<0", (), "a threshold above 0"),
        ("p<0.01", ("--resamples", 99), "--resamples 999"),
        ("p>1", (), "never true"),
        ("accuracy>2", (), "accuracy lies in [0, 1]"),
        ("ece>5", (), "never true: ece lies in [0, 1]. Write 0.05, not 5"),
        ("95>accuracy", (), "always true"),
        ("rmsce.lo>1", (), "never true: rmsce.lo lies"),
        ("brier<0", (), "never true"),
        ("tau.hi<0", (), "never true: tau.hi lies in [0, inf]"),
        ("skce>1e999", (), "never true"),
        ("p<2", (), "always true"),
        ("p>0", (), "always true"),
        ("f1<0.5", (), "'f1' is not measured; there are accuracy"),
        ("p.lo<0.5", (), "p has no part 'lo'"),
        ("ece.hi<0.5", (), "it has excess"),
        ("delta_skce>0", (), "--baseline"),
        ("p<0.05 and", (), "expected comparisons"),
        ("temperature.hi<0", (), "never true: temperature.hi lies in [0, inf]"),
    ],
)
def test_senseless_conditions_are_a_matter_of_usage(run, raw, condition, options, message):
    done = run("gate", raw, "--fail-if", condition, *options)
    assert done.exit_code == 2
    assert message in done.stderr.replace("\n", " ")
    assert done.stdout == ""


@pytest.mark.parametrize(
    "condition", ["p<=0.001", "p<0.0011", "p<0.5 and tau.lo>1.5", "temperature.lo>1.5"]
)
def test_a_failed_gate_ends_with_1(run, raw, condition):
    done = run("gate", raw, "--fail-if", condition, "-q")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == f"{raw} fails the gate."
    assert f"FAIL  {condition}" in done.stdout
    assert done.stderr == ""


def test_one_of_several_conditions_is_enough(document, raw):
    conditions = ("--fail-if", "accuracy<0.01", "--fail-if", "tau>1.5")
    found = document("gate", raw, *conditions, exit_code=1)
    assert [c["failed"] for c in found["conditions"]] == [False, True]
    assert found["failed"] is True


def test_the_numbers_are_those_of_the_test(document, raw):
    gate = document("gate", raw, "--fail-if", "accuracy<0.01")["numbers"]
    test = document("test", raw)["result"]
    effects = test["effects"]
    assert gate["p"] == test["pvalue"]
    assert gate["tau"] == effects["temperature"]["estimate"]
    assert gate["tau.lo"] == effects["temperature"]["interval"]["low"]
    assert all(gate[f"temperature{part}"] == gate[f"tau{part}"] for part in ("", ".lo", ".hi"))
    assert gate["ece.excess"] == effects["ece"]["details"]["excess"]
    assert gate["skce.excess"] == pytest.approx(test["estimate"] - test["noise_floor"]["mean"])
    assert gate["skce.hi"] >= gate["skce"] >= gate["skce.lo"] >= 0


def test_the_baseline_is_the_model_before(document, files_of_models):
    raw, scaled = files_of_models["raw"], files_of_models["scaled"]
    worse = document("gate", raw, "--baseline", scaled, "--fail-if", "delta_skce.lo>0", exit_code=1)
    better = document("gate", scaled, "--baseline", raw, "--fail-if", "delta_skce.lo>0")
    assert worse["numbers"]["delta_skce"] == -better["numbers"]["delta_skce"] > 0
    assert worse["numbers"]["delta_skce.lo"] == -better["numbers"]["delta_skce.hi"]


def test_a_gate_that_cannot_decide_neither_passes_nor_fails(run, tmp_path):
    path = tmp_path / "uniform.csv"
    path.write_text("label,p_0,p_1\n0,0.5,0.5\n1,0.5,0.5\n1,0.5,0.5\n")
    done = run("gate", path, "--fail-if", "tau>1.1")
    assert done.exit_code == 4
    assert "tau cannot be measured" in done.stderr


def test_junit_reports_every_condition(run, raw, tmp_path):
    path = tmp_path / "gate.xml"
    options = ("--fail-if", "p<0.05", "--fail-if", "accuracy<0.01", "--junit", path)
    assert run("gate", raw, *options).exit_code == 1
    first = path.read_bytes()
    root = ElementTree.fromstring(first)
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    cases = root.findall("testsuite/testcase")
    assert [case.get("name") for case in cases] == ["p<0.05", "accuracy<0.01"]
    assert [case.find("failure") is not None for case in cases] == [True, False]
    run("gate", raw, *options)
    assert path.read_bytes() == first


def test_numbers_have_the_digits_of_other_commands_unless_rounding_hides_the_outcome():
    numbers = {Value("ece"): 0.28523, Value("tau"): -0.05}
    assert Outcome("ece>0.9", False, numbers).describe() == "ece = 0.285, tau = −0.05"
    assert Outcome("ece>0.285", True, numbers).describe() == "ece = 0.2852, tau = −0.05"
    assert Outcome("tau>-0.05", False, numbers).describe() == "ece = 0.285, tau = −0.05"


def test_reports_escape_what_they_quote():
    outcome = Outcome("p<0.05", True, {Value("p"): 0.01})
    text = junit_xml("a<b&c\x00.csv", [outcome])
    assert ElementTree.fromstring(text).find("testsuite/testcase").get("classname") == "a<b&c�.csv"
    [line] = github_annotations("a:b,c\n%.csv", [outcome])
    assert line == ("::error file=a%3Ab%2Cc%0A%25.csv,title=calibrant gate::p<0.05 holds: p = 0.01")


def test_annotations_appear_on_github_only(run, raw, monkeypatch):
    assert "::error" not in run("gate", raw, "--fail-if", "p<0.05").stderr
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = run("gate", raw, "--fail-if", "p<0.05", "--fail-if", "accuracy<0.01")
    assert done.stderr.count("::error") == 1
    assert "::error" not in done.stdout
