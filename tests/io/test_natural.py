"""Natural files are read right, or refused with the one argument that decides; never wrong."""

import json
import warnings

import numpy as np
import pytest
from tests.io.natural import NATURAL

from calibrant.cli._remedies import OPTIONS, message_of
from calibrant.io import InputError, read_predictions

WITHOUT_WORDS = [title for title, file in NATURAL.items() if not file.needs]
AFTER_ONE = [title for title, file in NATURAL.items() if file.needs]


def argument(name, value):
    return {name: value.split(",") if name == "classes" else value}


def read(file, folder, **options):
    path = file.write(folder)
    given = {name: str(folder / value) for name, value in file.given.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_predictions(path, **given, **options)


def check(file, found):
    """Compare labels and probabilities, class by class in the order of the answer."""
    predictions = found.predictions
    probabilities, labels = file.answer
    order = list(range(predictions.n_classes))
    if file.classes is not None:
        names = [str(name) for name in predictions.classes]
        assert sorted(names) == sorted(file.classes)
        order = [names.index(name) for name in file.classes]
    np.testing.assert_array_equal(np.argsort(order)[predictions.y_true], labels)
    np.testing.assert_allclose(
        predictions.y_prob[:, order], probabilities, rtol=0, atol=max(file.atol, 1e-15)
    )
    assert found.understood.top_label_only == file.top_label_only


def test_there_are_enough_files_and_few_need_an_option():
    assert len(NATURAL) >= 180
    assert len(AFTER_ONE) <= len(NATURAL) // 4


@pytest.mark.parametrize("title", WITHOUT_WORDS)
def test_natural_files_are_read_without_options(title, tmp_path):
    check(NATURAL[title], read(NATURAL[title], tmp_path))


@pytest.mark.parametrize("title", AFTER_ONE)
def test_others_are_refused_with_the_one_argument_that_decides(title, tmp_path):
    file = NATURAL[title]
    ((name, value),) = file.needs.items()
    with pytest.raises(InputError) as caught:
        read(file, tmp_path)
    assert OPTIONS[name] in message_of(caught.value)
    assert f"`{name}" in str(caught.value)
    check(file, read(file, tmp_path, **argument(name, value)))


def test_confidences_keep_their_weights_and_clusters(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        "label,prediction,confidence,w,question_id\n"
        "a,a,0.5,1,7\nb,c,0.25,2,7\nc,c,0.75,3,8\na,b,0.5,4,8\n"
    )
    found = read_predictions(str(path), weight="w", cluster="question_id").predictions
    assert found.y_true.tolist() == [1, 0, 1, 0]
    assert found.sample_weight.tolist() == [1.0, 2.0, 3.0, 4.0]
    first, second, third, fourth = found.clusters.tolist()
    assert first == second != third == fourth


def test_classes_say_the_order_of_named_cells(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"label": "dog", "probs": {"cat": 0.75, "dog": 0.25}}\n'
        '{"label": "cat", "probs": {"dog": 0.5, "cat": 0.5}}\n'
    )
    found = read_predictions(str(path), classes=["dog", "cat"]).predictions
    assert found.classes == ("dog", "cat")
    assert found.y_prob.tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert found.y_true.tolist() == [0, 1]
    with pytest.raises(InputError, match="must be as the cells of 'probs' say"):
        read_predictions(str(path), classes=["dog", "eel"])


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_rows_with_missing_values_are_dropped_on_request(tmp_path, suffix):
    import pandas as pd

    frame = pd.DataFrame(
        {
            "label": ["a", None, "b", "b"],
            "p_a": [0.5, 0.5, None, 0.25],
            "p_b": [0.5, 0.5, 0.5, 0.75],
        }
    )
    path = tmp_path / f"a.{suffix}"
    if suffix == "csv":
        frame.to_csv(path, index=False, na_rep="NA")
    else:
        frame.to_json(path, orient="records", lines=True)
    with pytest.raises(InputError, match="drop_missing=True"):
        read_predictions(str(path))
    file = read_predictions(str(path), drop_missing=True)
    assert file.understood.dropped_rows == 2
    assert file.predictions.labels.tolist() == ["a", "b"]
    assert file.predictions.y_prob.tolist() == [[0.5, 0.5], [0.25, 0.75]]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_percent_signs_and_the_flag_say_the_same(tmp_path, suffix):
    cells = [["75%", "25%"], ["40 %", "60"], ["50", "50%"]]
    rows = [dict(zip(("label", "p_a", "p_b"), [label, *row], strict=True))
            for label, row in zip("aba", cells, strict=True)]  # fmt: skip
    lines = ["label,p_a,p_b", *(",".join(row.values()) for row in rows)]
    text = "\n".join(lines if suffix == "csv" else map(json.dumps, rows))
    path = tmp_path / f"a.{suffix}"
    path.write_text(text.replace('"50"', "50").replace('"60"', "60"))
    found = read_predictions(str(path), percent=True).predictions
    assert found.y_prob.tolist() == [[0.75, 0.25], [0.4, 0.6], [0.5, 0.5]]
    path.write_text("label,p_a,p_b\na,75%,25%\nb,40%,60%\n")
    found = read_predictions(str(path), percent=True).predictions
    assert found.y_prob.tolist() == [[0.75, 0.25], [0.4, 0.6]]


def test_infinities_are_not_missing_values(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,p_a,p_b\na,inf,0.5\nb,0.5,0.5\nb,,0.5\n")
    with pytest.raises(InputError, match="Correct the infinite values") as caught:
        read_predictions(str(path), drop_missing=True)
    assert "drop_missing" not in str(caught.value)


def test_vectors_of_spark_in_parquet(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    dense = {"type": 1, "size": None, "indices": None, "values": [0.25, 0.25, 0.5]}
    sparse = {"type": 0, "size": 3, "indices": [1], "values": [1.0]}
    table = pa.table({"label": [0.0, 2.0], "probability": [dense, sparse]})
    pq.write_table(table, tmp_path / "a.parquet")
    found = read_predictions(str(tmp_path / "a.parquet")).predictions
    assert found.y_prob.tolist() == [[0.25, 0.25, 0.5], [0.0, 1.0, 0.0]]
    assert found.y_true.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("labels", "proposed"), [(["N", "Y"], "Y"), (["correct", "incorrect"], "correct")]
)
def test_the_message_proposes_the_likely_positive_class(tmp_path, labels, proposed):
    path = tmp_path / "a.csv"
    path.write_text(f"label,prob\n{labels[0]},0.25\n{labels[1]},0.5\n")
    with pytest.raises(InputError, match=f"`pos_label='{proposed}'`"):
        read_predictions(str(path))


def test_one_log_probability_is_not_taken_for_a_logit(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("correct,logprob\n1,-0.5\n0,-2.5\n")
    for options in ({}, {"prob": "logprob"}, {"prob": "logprob", "logits": True}):
        found = read_predictions(str(path), **options)
        np.testing.assert_allclose(found.predictions.y_prob[:, 1], np.exp([-0.5, -2.5]))
        assert "log-probabilities" in found.understood.writing
    path.write_text("correct,x\n1,-0.5\n0,-2.5\n")
    with pytest.raises(InputError, match="for log-probabilities, write their exponentials"):
        read_predictions(str(path), prob="x")


def test_grades_are_not_percentages(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("correct,confidence\n1,8\n0,10\n")
    with pytest.raises(InputError, match="look like grades") as caught:
        read_predictions(str(path))
    assert "`percent" not in str(caught.value)


def test_two_models_are_not_to_be_normalized(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,pred_a,pred_b\n1,0.5,0.75\n0,0.25,0.5\n")
    with pytest.raises(InputError, match="`prob='pred_a'`") as caught:
        read_predictions(str(path))
    assert "normalize" not in str(caught.value)


def test_an_unknown_encoding_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,p_a,p_b\na,0.5,0.5\n")
    with pytest.raises(InputError, match="must be the name of an encoding"):
        read_predictions(str(path), encoding="cp99999")
