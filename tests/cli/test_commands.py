"""Commands print the library's results and nothing else."""

import gzip
import json
import os
import re
import threading

import numpy as np
import pytest

import calibrant as cal
from calibrant.io import read_predictions


def test_the_verdict_is_that_of_the_library(run, raw):
    result = run("test", raw, "-q")
    predictions = read_predictions(str(raw)).predictions
    expected = cal.calibration_test(predictions, rng=0)
    assert result.exit_code == 0
    assert result.stdout == (
        f"{expected.summary()}\n\n  file  {raw}\n  seed  0; the same seed gives the same result\n"
    )
    assert result.stderr == ""


def test_check_shows_columns_classes_and_base_rates(run, tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("id,target,p_cat,p_dog\n1,cat,0.75,0.25\n2,dog,0.5,0.5\n3,dog,0.25,0.75\n")
    result = run("check", path, "--id", "id")
    assert result.stdout.splitlines() == [
        f"{path}: 3 rows, 2 classes. This can be tested.",
        "  Read as CSV; labels target; probabilities p_cat, p_dog; classes cat, dog.",
        "",
        "  format         CSV, numbers as float64",
        "  labels         target",
        "  probabilities  p_cat, p_dog",
        "  identifier     id",
        "  row sums       1",
        "",
        "  class  rows  base rate  mean probability",
        "  cat       1      0.333               0.5",
        "  dog       2      0.667               0.5",
    ]


def test_check_says_what_it_does_not_use(run, document, tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text("label,age,p\n0,7,0.75\n1,3,0.25\n")
    assert "not used       age" in run("check", path).stdout
    assert document("check", path)["input"]["ignored_columns"] == ["age"]


def test_measures_are_those_of_the_library(document, raw):
    predictions = read_predictions(str(raw)).predictions
    found = {m["name"]: m["estimate"] for m in document("measure", raw, "--bins", "5")["measures"]}
    assert found["skce"] == cal.SKCE()(predictions)
    assert found["skce_linear"] == cal.SKCE(block_size=2)(predictions)
    assert found["ece_joint"] == cal.ECE(cal.binning.Uniform(5))(predictions)
    assert found["ece"] == cal.ECE(cal.binning.Uniform(15))(predictions.top_label())
    assert found["kce"] == cal.KCE()(predictions)
    assert found["accuracy"] == np.mean(predictions.y_prob.argmax(axis=1) == predictions.y_true)


def test_a_bandwidth_of_the_user_is_used(document, raw):
    predictions = read_predictions(str(raw)).predictions
    measures = document("measure", raw, "--bandwidth", "0.2")["measures"]
    found = {m["name"]: m["estimate"] for m in measures}
    assert found["skce"] == cal.SKCE(cal.kernels.Laplacian(0.2))(predictions)


@pytest.mark.parametrize(
    ("options", "call"),
    [
        ((), {}),
        (("--seed", 3, "--resamples", 99), {"rng": 3, "method": cal.methods.Aggregated(99)}),
        (("--estimator", "ece-joint", "--resamples", 99), {"estimator": cal.ECE(),
         "method": cal.methods.Exact(99)}),
        (("--method", "distribution-free"), {"method": cal.methods.DistributionFree()}),
        (("--estimator", "skce-linear", "--method", "asymptotic-block"),
         {"estimator": cal.SKCE(block_size=2), "method": cal.methods.AsymptoticBlock()}),
    ],
)  # fmt: skip
def test_options_choose_estimator_method_and_seed(document, raw, options, call):
    predictions = read_predictions(str(raw)).predictions
    expected = cal.calibration_test(predictions, **({"rng": 0} | call))
    found = document("test", raw, *options)["result"]
    assert found["pvalue"] == expected.pvalue
    assert found["estimate"] == expected.estimate
    assert found["method"] == expected.to_dict()["method"]


@pytest.mark.parametrize(
    ("lens", "look"),
    [
        ("top-label", lambda p: p.top_label()),
        ("top-k:2", lambda p: p.top_k(2)),
        ("one-vs-rest:1", lambda p: p.one_vs_rest(1)),
        ("at-least:2", lambda p: p.at_least(2)),
    ],
)
def test_a_lens_asks_a_smaller_question(document, raw, lens, look):
    found = document("measure", raw, "--lens", lens)["measures"]
    predictions = look(read_predictions(str(raw)).predictions)
    assert {m["name"]: m["estimate"] for m in found}["skce"] == cal.SKCE()(predictions)


def test_where_names_groups(document, files_of_models):
    path = files_of_models["grouped"]
    found = document("where", path, "--group", "site", "--resamples", "99")
    assert [f["name"] for f in found["result"]["groups"]["site"]] in (
        ["north", "south"],
        ["south", "north"],
    )
    file = read_predictions(str(path), groups=["site"])
    expected = cal.where(file.predictions, groups=file.groups, n_resamples=99, rng=0)
    assert found["result"]["classes"] == expected.to_dict()["classes"]


@pytest.mark.parametrize("command", ["test", "measure", "where", "repair", "gate", "plot"])
def test_an_identifier_is_refused_where_there_is_nothing_to_join(run, files_of_models, command):
    more = {"gate": ["--fail-if", "p<0.01"], "plot": ["-o", "a.png"]}.get(command, [])
    done = run(command, files_of_models["grouped"], "--id", "case", *more)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--id has no effect here: it joins FILE with other files" in done.stderr


def test_a_baseline_is_refused_where_no_condition_compares_with_it(run, raw):
    done = run("gate", raw, "--fail-if", "ece>0.5", "--baseline", raw)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--baseline has no effect here: no condition compares with it" in done.stderr


def test_predicted_labels_are_refused_beside_all_probabilities(run, files_of_models):
    done = run("measure", files_of_models["grouped"], "--predicted", "site")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "leave --predicted out" in done.stderr.lower()


@pytest.mark.parametrize("command", ["test", "measure", "gate", "plot", "compare"])
def test_groups_are_refused_where_they_would_be_ignored(run, files_of_models, command):
    more = {"gate": ["--fail-if", "p<0.01"], "plot": ["-o", "a.png"]}.get(command, [])
    done = run(command, files_of_models["grouped"], "--group", "site", *more)
    assert (done.exit_code, done.stdout) == (2, "")
    assert (
        "--group has no effect here; use it with calibrant where, repair or report" in done.stderr
    )
    assert "--group" not in run(command, "--help").stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("tset",), "there is no command 'tset'; did you mean `calibrant test`?"),
        (("raport",), "did you mean `calibrant report`?"),
        (("preds.csv",), "to look at a file: calibrant check preds.csv"),
        (("q",), "there are demo, check, test"),
        (("test", "{raw}", "--method", "moments", "--estimator", "ece"),
         "--method moments does not go with --estimator ece; use --method exact or --method "
         "consistency"),
        (("test", "{raw}", "--method", "moments", "--resamples", "9"), "--resamples has no effect"),
        (("plot", "{raw}", "-o", "a.png", "--kind", "simplex", "--bins", "9"),
         "--bins has no effect here: --kind simplex does not use it"),
        (("plot", "{raw}", "-o", "a.svg", "--dpi", "90"), "--dpi has no effect here: only PNG"),
        (("test", "{raw}", "--draws"), "--draws has no effect here: it needs --json"),
        (("demo", "--draws"), "--draws has no effect here: it needs --json"),
        (("plan", "--bias", "0.1", "--label", "y"), "--label has no effect here: there is no FILE"),
        (("simulate", "m1", "--temperature", "2"), "--temperature has no effect here: m1 has no"),
        (("measure", "{raw}", "--only", "ece", "--bins", "9"),
         "--bins has no effect here: ece does not use it"),
        (("measure", "{raw}", "--only", "ece", "--only", "brier", "--bandwidth", "9"),
         "--bandwidth has no effect here: none of them uses it"),
        (("measure", "{raw}", "--only", "ece", "--all-pairs"), "--all-pairs has no effect here"),
        (("measure", "{raw}", "--only", "ece", "--all"), "use one of them"),
    ],
)  # fmt: skip
def test_what_was_meant_is_offered(run, files_of_models, args, message):
    done = run(*(arg.format(**files_of_models) for arg in args))
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_every_option_about_files_is_refused_without_a_file(run):
    from calibrant.cli.commands.plan import command

    ours = {"file", "temperature", "bias", "biased_class", "power", "alpha", "n_classes",
            "confidence", "groups", "quiet", "seed", "jobs", "json"}  # fmt: skip
    values = {"delimiter": ",", "lens": "top-label"}
    for option in command.params:
        if option.name not in ours:
            value = () if option.is_flag else (values.get(option.name, "x"),)
            done = run("plan", "--temperature", "2", option.opts[0], *value)
            assert (done.exit_code, done.stdout) == (2, "")
            assert f"{option.opts[0]} has no effect here" in done.stderr


@pytest.mark.parametrize("command", ["report", pytest.param("demo", marks=pytest.mark.slow)])
def test_quiet_prints_the_result_only(run, raw, tmp_path, command):
    page = str(tmp_path / "page.html")
    given = (raw,) if command == "report" else ()
    done = run(command, *given, "-o", page, "--resamples", "39", "--quiet")
    assert (done.exit_code, done.stderr) == (0, "")


def test_cumulative_differences_are_of_the_class_that_is_named(run, raw, tmp_path):
    picture = str(tmp_path / "a.svg")
    done = run("plot", raw, "-o", picture, "--kind", "cumulative", "--class", "1")
    assert done.exit_code == 0
    assert "class 1" in done.stdout


def test_draws_are_written_where_they_are_asked_for(document, raw):
    found = document("test", raw, "--resamples", "19")["result"]
    assert found["null_distribution"] is None
    asked = document("test", raw, "--resamples", "19", "--draws")["result"]
    assert len(asked["null_distribution"]) == 19
    assert found | {"null_distribution": None} == asked | {"null_distribution": None}


def test_what_was_understood_is_said_in_one_line(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("truth;pred;confidence\na;a;0,5\nb;c;0,25\nc;c;0,75\na;b;0,5\n")
    line = (
        f"calibrant: {path}: read as CSV, split at semicolons, decimal commas; labels truth; "
        "predictions pred; confidence confidence; top label only\n"
    )
    done = run("measure", path)
    assert (done.exit_code, done.stderr) == (0, line)
    assert run("measure", path, "-q").stderr == ""
    assert "top label only" in run("check", path).stdout


def test_rows_with_missing_values_are_left_out_on_request_and_counted(run, document, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,p_a,p_b\na,0.5,0.5\n,0.5,0.5\nb,NA,0.5\nb,0.25,0.75\nNA,1,0\n")
    refused = run("check", path)
    assert refused.exit_code == 3
    assert "--drop-missing" in refused.stderr
    done = run("check", path, "--drop-missing")
    assert done.stderr == f"calibrant: {path}: left out 3 rows with a missing value, kept 2\n"
    assert "left out       3 rows with a missing value" in done.stdout
    assert document("check", path, "--drop-missing", "-q")["input"]["dropped_rows"] == 3


def test_a_delimiter_is_for_text_files(run, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"label": 0, "p": 0.5}\n{"label": 1, "p": 0.5}\n')
    assert "is jsonl" in run("check", path, "--delimiter", ";").stderr


def test_tsv_is_called_tsv(run, tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("label\tp\n0\t0.5\n1\t0.5\n")
    assert "format         TSV" in run("check", path).stdout


def test_compare_joins_files_by_an_identifier(document, run, files_of_models):
    grouped, back = files_of_models["grouped"], files_of_models["reversed"]
    found = document("compare", f"a={grouped}", f"b={back}", "--id", "case")
    assert {d["estimate"] for d in found["result"]["differences"]} == {0.0}
    refused = run("compare", f"a={grouped}", f"b={back}", "--prob", "p_*")
    assert refused.exit_code == 3
    assert "in another order" in refused.stderr
    assert "--id 'case'" in refused.stderr


def test_compare_is_that_of_the_library(run, document, files_of_models):
    paths = (files_of_models["raw"], files_of_models["scaled"])
    models = {path.stem: read_predictions(str(path)).predictions for path in paths}
    expected = cal.compare(None, models, rng=0)
    assert run("compare", *paths).stdout.startswith(expected.summary())
    assert document("compare", *paths)["result"] == expected.to_dict()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("compare", "a={raw}", "a={scaled}"), "two models are called 'a'"),
        (("compare", "{raw}"), "at least two files"),
        (("compare", "{raw}", "{scaled}", "--equivalence", "0.1"), "must be MEASURE=EPS"),
        (("compare", "{raw}", "{scaled}", "--equivalence", "skce=-1"), "positive EPS"),
        (("compare", "-", "x=-"), "can be one file only"),
        (("gate", "-", "--baseline", "-", "--fail-if", "p<0.05"), "can be one file only"),
        (("test", "-", "--labels", "-"), "can be one file only"),
        (("compare", "{raw}", "{scaled}", "--reference", "b"), "must be one of raw, scaled"),
    ],
)
def test_files_that_cannot_be_told_apart_are_a_matter_of_usage(run, files_of_models, args, message):
    done = run(*(arg.format(**files_of_models) for arg in args), input="")
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


def test_a_pipe_is_a_file(run, raw, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(raw.read_bytes(),))
    writer.start()
    assert run("check", pipe).exit_code == 0
    writer.join()


def test_what_is_no_file_is_refused(run, tmp_path):
    for path, message in ((tmp_path, "in this folder"), ("", "no such file")):
        done = run("check", path)
        assert (done.exit_code, done.stdout) == (3, "")
        assert message in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(run, raw, tmp_path):
    path = tmp_path / "secret.csv"
    path.write_bytes(raw.read_bytes())
    path.chmod(0)
    done = run("check", path)
    assert (done.exit_code, done.stdout) == (3, "")
    assert "Permission denied" in done.stderr


def test_simulated_files_are_read_again(run, document, tmp_path):
    for name in ("a.csv", "a.csv.gz", "a.tsv", "a.npz", "a.parquet", "a.arrow"):
        path = tmp_path / name
        done = run("simulate", "m2", "--rows", 50, "--classes", 3, "-o", path)
        assert done.exit_code == 0
        assert done.stdout == ""
        found = read_predictions(str(path)).predictions
        y, p = cal.models.M2(3).sample(50, rng=0)
        assert np.array_equal(found.y_prob, p)
        assert np.array_equal(found.y_true, y)
    printed = run("simulate", "m2", "--rows", 50, "--classes", 3).stdout
    assert printed == (tmp_path / "a.csv").read_text()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode() == printed


def test_simulate_refuses_names_it_does_not_know(run, tmp_path):
    done = run("simulate", "m1", "-o", tmp_path / "a.xlsx")
    assert done.exit_code == 2
    assert "must end with" in done.stderr
    assert run("simulate", "m1", "-o", tmp_path / "no" / "a.csv").exit_code == 4


@pytest.mark.slow
def test_demo_tells_the_stories_and_saves_the_files(run, document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("demo", "--resamples", 199, "--save", tmp_path / "d")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    verdicts = [line.strip() for line in lines if line.startswith(("  Evidence", "  No evidence"))]
    assert [verdict.split(":")[0] for verdict in verdicts] == [
        "No evidence against calibration",
        "Evidence against calibration",
        "No evidence against calibration",
        "Evidence against calibration",
    ]
    assert "over-confident" in verdicts[1]
    assert "under-confident" in verdicts[3]
    assert "neural_network: Divide the logits by 1.9" in done.stdout
    assert "random_forest: Divide the logits by 0.2" in done.stdout
    demo = document("demo", "--resamples", 199)
    results, repairs = demo["results"], demo["repairs"]
    assert list(repairs) == ["neural_network", "random_forest"]
    assert repairs["neural_network"]["n_samples"] == 797
    saved = document("test", tmp_path / "d" / "neural_network.csv", "--resamples", 199)
    assert saved["result"]["pvalue"] == results["neural_network"]["pvalue"]
    assert saved["input"]["n_samples"] == 797


def test_info_says_what_computes(run, document):
    info = document("info")["info"]
    assert info["core"] == cal.core_info()["core"]
    assert f"computing with the {info['core']} core" in run("info").stdout
    schema = json.loads(run("info", "--schema").stdout)
    assert schema["$id"].endswith(f":{info['schema_version']}")


def test_standard_input_is_a_file(run, raw):
    piped = run("test", "-", input=raw.read_bytes())
    assert piped.stdout.splitlines()[0] == run("test", raw).stdout.splitlines()[0]


def test_warnings_name_the_option(run, tmp_path):
    path = tmp_path / "sums.csv"
    path.write_text("label,p_0,p_1\n0,0.5,0.504\n1,0.5,0.5\n")
    done = run("check", path)
    assert done.exit_code == 0
    assert done.stderr.startswith("calibrant: warning: `y_prob` must have rows that sum to 1")
    assert "--normalize" in done.stderr
    assert run("check", path, "--normalize").stderr == ""


def test_a_long_test_says_how_to_make_it_shorter(capsys):
    from calibrant.cli.commands.test import _announce
    from calibrant.methods import Aggregated

    _announce(10**7, 5, None, Aggregated(), 1, False)
    said = capsys.readouterr().err
    assert re.fullmatch(r"calibrant: this takes .* on 1 thread; with --resamples 99 .*\n", said)
    assert "Aggregated" not in said
