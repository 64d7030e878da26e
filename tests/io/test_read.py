"""Files of any format give their predictions; other files are refused."""

import subprocess
import sys

import numpy as np
import pytest
from tests.io.encoded import GOOD_CSV, csv_of, npy
from tests.io.legal import CLASSES, LEGAL, WITH_OPTIONS, P, Y
from tests.io.malformed import MALFORMED

from calibrant import Predictions
from calibrant.cli._remedies import message_of
from calibrant.io import InputError, read_predictions


def without_pyarrow(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


def options_of(malformed):
    flags = ("--onehot", "--normalize")
    given = list(malformed.options)
    out = {}
    while given:
        option = given.pop(0)
        out[option.removeprefix("--")] = True if option in flags else given.pop(0)
    if "group" in out:
        out["groups"] = [out.pop("group")]
    if "classes" in out:
        out["classes"] = out["classes"].split(",")
    return out


@pytest.mark.parametrize("name", LEGAL)
def test_odd_but_legal_files_say_the_same(name, tmp_path):
    file = read_predictions(write(tmp_path, name, LEGAL[name]))
    assert file.predictions.classes == CLASSES
    assert file.predictions.y_true.tolist() == Y.tolist()
    assert file.predictions.y_prob.tolist() == P.tolist()
    assert "".join(file.understood.ignored_columns) == ""


@pytest.mark.parametrize("name", [name for name in LEGAL if ".csv" in name and name[0] != "w"])
def test_texts_are_read_alike_without_pyarrow(name, tmp_path, monkeypatch):
    without_pyarrow(monkeypatch)
    file = read_predictions(write(tmp_path, name, LEGAL[name]))
    assert file.predictions.y_true.tolist() == Y.tolist()
    assert file.predictions.y_prob.tolist() == P.tolist()


@pytest.mark.parametrize("name", ["id", "Index", "sample_id"])
def test_columns_that_number_the_rows_are_no_classes(name, tmp_path):
    text = f"{name},cat,dog,label\n7,0.75,0.25,cat\n8,0.5,0.5,dog\n"
    file = read_predictions(write(tmp_path, "rows.csv", text.encode()))
    assert file.predictions.classes == ("cat", "dog")
    assert file.understood.ignored_columns == (name,)


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_files_that_need_options(name, tmp_path):
    data, options = WITH_OPTIONS[name]
    if "labels" in options:
        options = options | {"labels": write(tmp_path, options["labels"], npy(Y))}
    file = read_predictions(write(tmp_path, name, data), **options)
    assert file.predictions.classes == CLASSES
    assert file.predictions.y_true.tolist() == Y.tolist()
    np.testing.assert_allclose(file.predictions.y_prob, P, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_refused_with_file_place_and_remedy(name, tmp_path):
    malformed = MALFORMED[name]
    path = malformed.write(tmp_path)[0]
    with pytest.raises(InputError) as caught:
        read_predictions(path, **options_of(malformed))
    message = message_of(caught.value)
    assert message.startswith(path)
    assert malformed.message in message


@pytest.mark.parametrize("name", [name for name in MALFORMED if "csv" in MALFORMED[name].name])
def test_malformed_texts_are_refused_alike_without_pyarrow(name, tmp_path, monkeypatch):
    without_pyarrow(monkeypatch)
    malformed = MALFORMED[name]
    with pytest.raises(InputError) as caught:
        read_predictions(malformed.write(tmp_path)[0], **options_of(malformed))
    assert malformed.message in message_of(caught.value)


def test_the_extra_is_named_where_pyarrow_is_missing(tmp_path, monkeypatch):
    path = write(tmp_path, "plain.parquet", LEGAL["plain.parquet"])
    without_pyarrow(monkeypatch)
    with pytest.raises(InputError, match=r"needs pyarrow.*pip install pyarrow"):
        read_predictions(path)


def test_float32_keeps_its_tolerance_and_its_bits(tmp_path):
    file = read_predictions(write(tmp_path, "f.parquet", LEGAL["floats.parquet"]))
    assert file.understood.dtype == "float32"
    assert file.predictions.y_prob.dtype == np.float64
    # 5e-6 off: rounding in float32, to be divided out in float64
    table = np.array([[0.5, 0.500005], [0.25, 0.75]], dtype=np.float32)
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = str(tmp_path / "sums.parquet")
    pq.write_table(pa.table({"label": [0, 1], "p_0": table[:, 0], "p_1": table[:, 1]}), path)
    assert np.array_equal(read_predictions(path).predictions.y_prob, table.astype(np.float64))


def test_long_files_are_read_in_chunks_with_the_same_numbers(tmp_path, monkeypatch, limit):
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet([1, 1, 1], 3000), rng.integers(3, size=3000)
    path = write(tmp_path, "long.csv", csv_of(y, p))
    limit(csv_bytes=1 << 12, csv_rows=100)
    seen = []
    fast = read_predictions(path, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 10
    assert seen[-1][0] <= seen[-1][1]
    without_pyarrow(monkeypatch)
    slow = read_predictions(path)
    for file in (fast, slow):
        assert np.array_equal(file.predictions.y_prob, p)
        assert np.array_equal(file.predictions.y_true, y)


@pytest.mark.parametrize(
    ("header", "labels", "positive"),
    [
        ("label,p", "01", (0, 1)),
        ("label,p_1", "01", (0, 1)),
        ("y,prob", "12", None),
        ("label,p_yes", ["no", "yes"], ("no", "yes")),
        ("label,p_positive", "01", (0, 1)),
        ("target,score", ["False", "True"], (0, 1)),
    ],
)
def test_one_column_is_the_probability_of_the_positive_class(tmp_path, header, labels, positive):
    path = write(tmp_path, "b.csv", f"{header}\n{labels[0]},0.25\n{labels[1]},0.75\n")
    if positive is None:
        with pytest.raises(InputError, match="`pos_label"):
            read_predictions(path)
        file = read_predictions(path, pos_label="2")
        assert file.predictions.classes == (1, 2)
    else:
        file = read_predictions(path)
        assert file.predictions.classes == positive
    assert file.predictions.y_true.tolist() == [0, 1]
    assert file.predictions.y_prob[:, 1].tolist() == [0.25, 0.75]


def test_columns_named_by_booleans_hold_boolean_labels(tmp_path):
    path = write(tmp_path, "b.csv", "label,p_true,p_false\ntrue,0.75,0.25\nfalse,0.5,0.5\n")
    predictions = read_predictions(path).predictions
    assert predictions.labels.tolist() == ["true", "false"]
    assert predictions.y_prob[0, predictions.y_true[0]] == 0.75


def test_numbers_in_the_header_find_the_labels_in_any_order(tmp_path):
    path = write(tmp_path, "b.csv", "label,p_10,p_2\n10,0.75,0.25\n2,0.5,0.5\n")
    assert read_predictions(path).predictions.classes == (10, 2)
    assert read_predictions(path).predictions.y_true.tolist() == [0, 1]


def test_given_classes_choose_the_order_of_the_columns(tmp_path):
    path = write(tmp_path, "b.csv", "label,id,dog,cat\ncat,7,0.25,0.75\ndog,8,0.5,0.5\n")
    file = read_predictions(path, classes=["cat", "dog"])
    assert file.predictions.y_prob.tolist() == [[0.75, 0.25], [0.5, 0.5]]
    assert file.understood.ignored_columns == ("id",)


def test_a_pandas_index_is_no_class(tmp_path):
    path = write(tmp_path, "b.csv", ",label,cat,dog\n0,cat,0.25,0.75\n1,dog,0.5,0.5\n")
    assert read_predictions(path).predictions.classes == ("cat", "dog")


def test_one_hot_columns_follow_the_names_of_the_probability_columns(tmp_path):
    path = write(tmp_path, "b.csv", "y_a,y_b,p_b,p_a\n1,0,0.25,0.75\n0,1,0.5,0.5\n")
    predictions = read_predictions(path, onehot=True).predictions
    assert predictions.labels.tolist() == ["a", "b"]
    assert predictions.classes == ("b", "a")
    given = read_predictions(path, onehot=True, label="y_*").predictions
    assert given.y_true.tolist() == predictions.y_true.tolist()


def test_weights_groups_and_identifiers_come_along(tmp_path):
    text = "case,site,w,label,p\nx,north,2,0,0.25\ny,,1,1,0.5\n"
    path = write(tmp_path, "b.csv", text)
    file = read_predictions(path, weight="w", id="case", groups=["site"])
    assert file.predictions.sample_weight.tolist() == [2.0, 1.0]
    assert file.ids.tolist() == ["x", "y"]
    assert file.groups["site"].tolist() == ["north", None]


def test_labels_of_another_file_are_joined_by_position_or_identifier(tmp_path):
    probs = write(tmp_path, "p.csv", "case,p_0,p_1\na,0.5,0.5\nb,0.25,0.75\n")
    labels = write(tmp_path, "y.csv", "case,label\nb,1\na,0\n")
    alone = write(tmp_path, "alone.csv", "truth\n1\n0\n")
    assert read_predictions(probs, labels=labels, id="case").predictions.y_true.tolist() == [0, 1]
    by_position = read_predictions(probs, labels=alone, id="case")
    assert by_position.predictions.y_true.tolist() == [1, 0]
    assert by_position.understood.labels_file == alone
    few = write(tmp_path, "few.csv", "label\n1\n")
    with pytest.raises(InputError, match="one label for each of the 2 rows"):
        read_predictions(probs, labels=few, id="case")
    other = write(tmp_path, "other.csv", "case,label\nb,1\nc,0\n")
    with pytest.raises(InputError, match=r"1 of the 2 identifiers .* are missing: 'a'"):
        read_predictions(probs, labels=other, id="case")
    twice = write(tmp_path, "twice.csv", "case,label\nb,1\nb,0\n")
    with pytest.raises(InputError, match="'b' occurs more than once, at rows 0 and 1"):
        read_predictions(probs, labels=twice, id="case")


@pytest.mark.slow
@pytest.mark.parametrize("data", [LEGAL["plain.csv"], LEGAL["plain.parquet"], LEGAL["matrix.npz"]])
def test_standard_input_is_read(data):
    code = (
        "from calibrant.io import read_predictions\n"
        "file = read_predictions('-')\n"
        "print(file.predictions.y_true.tolist(), file.understood.file)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
    assert done.stdout.decode().strip() == f"{Y.tolist()} standard input"


def test_a_row_sum_is_reported_as_it_is_in_the_file(tmp_path):
    path = write(tmp_path, "b.csv", "label,p_0,p_1\n0,0.5,0.504\n1,0.5,0.5\n")
    with pytest.warns(UserWarning, match="divided 1 row of 2"):
        file = read_predictions(path)
    assert file.understood.row_sums == pytest.approx((1.0, 1.004))


def test_what_is_read_is_what_predictions_would_make(tmp_path):
    path = write(tmp_path, "good.csv", GOOD_CSV)
    table = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    assert np.array_equal(
        read_predictions(path).predictions.y_prob, Predictions([0, 1, 2], table).y_prob
    )


def test_large_labels_and_labels_with_a_point_are_whole_numbers(tmp_path):
    huge = 2**53 + 1
    path = write(tmp_path, "b.csv", f"label,p_{huge},p_2\n{huge},0.5,0.5\n2.0,0.5,0.5\n")
    predictions = read_predictions(path).predictions
    assert predictions.classes == (huge, 2)
    assert predictions.y_true.tolist() == [0, 1]


def test_classes_without_an_order_are_refused(tmp_path):
    path = write(tmp_path, "b.csv", "label,x,y\n0,0.5,0.5\n")
    with pytest.raises(ValueError, match="got a set, which does not say that order"):
        read_predictions(path, classes={"cat", "dog"})


def test_one_hot_labels_do_not_count_from_one(tmp_path):
    path = write(tmp_path, "b.csv", "y_a,y_b,p_a,p_b\n1,0,0.5,0.5\n")
    with pytest.raises(
        InputError, match=r"one-hot labels do not start at 1\. Leave `one_based=True` out"
    ):
        read_predictions(path, onehot=True, one_based=True)
