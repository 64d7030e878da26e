"""What a label means is decided once: the same in arrays, frames and files of every kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests._predictions.situations import ONE_COLUMN, ONE_HOT, SITUATIONS

from calibrant import Predictions
from calibrant.io import read_predictions


def table_of(situation):
    return np.full((len(situation.labels), len(situation.names)), 1 / len(situation.names))


def from_classes(situation, folder):
    return Predictions(situation.labels, table_of(situation), classes=situation.names)


def from_frame(situation, folder):
    return Predictions(situation.labels, pd.DataFrame(table_of(situation), columns=situation.names))


def prefixed(situation):
    names = [f"p_{name}" for name in situation.names]
    return pd.DataFrame(table_of(situation), columns=names)


def from_prefixed_frame(situation, folder):
    return Predictions(situation.labels, prefixed(situation))


def from_csv(situation, folder):
    frame = prefixed(situation).assign(label=situation.labels)
    frame.to_csv(folder / "a.csv", index=False)
    return read_predictions(str(folder / "a.csv")).predictions


def from_bare_csv(situation, folder):
    frame = pd.DataFrame(table_of(situation), columns=situation.names)
    frame.assign(label=situation.labels).to_csv(folder / "a.csv", index=False)
    return read_predictions(str(folder / "a.csv"), label="label").predictions


def from_parquet(situation, folder):
    columns = {"label": situation.labels} | dict(prefixed(situation))
    pq.write_table(pa.table(columns), folder / "a.parquet")
    return read_predictions(str(folder / "a.parquet")).predictions


def from_npz(situation, folder):
    names = np.array(situation.names)
    np.savez(folder / "a.npz", y_true=situation.labels, y_prob=table_of(situation), classes=names)
    return read_predictions(str(folder / "a.npz")).predictions


ROUTES = [
    from_classes,
    from_frame,
    from_prefixed_frame,
    from_csv,
    from_bare_csv,
    from_parquet,
    from_npz,
]


@pytest.mark.parametrize("name", SITUATIONS)
@pytest.mark.parametrize("route", ROUTES)
def test_labels_mean_what_the_names_say_or_are_refused(route, name, tmp_path):
    situation = SITUATIONS[name]
    if situation.codes is None:
        with pytest.raises(ValueError, match=r"classes|pos_label|one_based"):
            route(situation, tmp_path)
    else:
        assert route(situation, tmp_path).y_true.tolist() == situation.codes


def one_hot_of(columns):
    return pd.DataFrame(np.eye(len(columns), dtype=int), columns=columns)


def uniform(names):
    return pd.DataFrame(np.full((len(names), len(names)), 1 / len(names)), columns=names)


def one_hot_from_frames(columns, names, folder):
    return Predictions(one_hot_of(columns), uniform(names))


def one_hot_from_classes(columns, names, folder):
    return Predictions(one_hot_of(columns), uniform(names).to_numpy(), classes=names)


def one_hot_from_one_file(columns, names, folder):
    frame = pd.concat([one_hot_of(columns), uniform([f"p_{name}" for name in names])], axis=1)
    frame.to_csv(folder / "a.csv", index=False)
    options = {"onehot": True, "label": ",".join(columns)}
    return read_predictions(str(folder / "a.csv"), **options).predictions


def one_hot_from_two_files(columns, names, folder):
    one_hot_of(columns).to_csv(folder / "y.csv", index=False)
    uniform([f"p_{name}" for name in names]).to_csv(folder / "p.csv", index=False)
    options = {"onehot": True, "label": ",".join(columns), "labels": str(folder / "y.csv")}
    return read_predictions(str(folder / "p.csv"), **options).predictions


def one_hot_from_parquet(columns, names, folder):
    matrix = [[1 / len(names)] * len(names)] * len(names)
    table = pa.table(dict(one_hot_of(columns)) | {"y_prob": matrix})
    pq.write_table(table, folder / "a.parquet")
    options = {"onehot": True, "label": ",".join(columns), "prob": "y_prob", "classes": names}
    return read_predictions(str(folder / "a.parquet"), **options).predictions


ONE_HOT_ROUTES = [
    one_hot_from_frames,
    one_hot_from_classes,
    one_hot_from_one_file,
    one_hot_from_two_files,
    one_hot_from_parquet,
]


@pytest.mark.parametrize("name", ONE_HOT)
@pytest.mark.parametrize("route", ONE_HOT_ROUTES)
def test_one_hot_columns_find_their_classes_or_are_refused(route, name, tmp_path):
    columns, names, codes = ONE_HOT[name]
    if codes is None:
        with pytest.raises(ValueError, match="must have columns named by the classes"):
            route(columns, names, tmp_path)
    else:
        assert route(columns, names, tmp_path).y_true.tolist() == codes


def test_one_hot_numbers_in_another_order_than_unnamed_columns_are_refused():
    with pytest.raises(
        ValueError, match=r"must have columns named by the classes; got 2, 0, 1 for 0, 1"
    ):
        Predictions(one_hot_of([2, 0, 1]), np.full((3, 3), 1 / 3))


@pytest.mark.parametrize("onehot", [False, True])
@pytest.mark.parametrize("classes", [np.arange(3), np.array([7, 5, 6]), np.array(["c", "b", "a"])])
def test_a_one_hot_matrix_has_the_order_of_the_classes(classes, onehot, tmp_path):
    path = str(tmp_path / "a.npz")
    np.savez(path, y_true=np.eye(3), y_prob=np.full((3, 3), 1 / 3), classes=classes)
    assert read_predictions(path, onehot=onehot).predictions.labels.tolist() == classes.tolist()


def column_from_frame(labels, column, folder):
    return Predictions(labels, pd.DataFrame({column: [0.25] * len(labels)}))


def column_from_logits(labels, column, folder):
    return Predictions.from_logits(labels, pd.DataFrame({column: [-np.log(3)] * len(labels)}))


def column_from_series(labels, column, _):
    return Predictions(labels, pd.Series([0.25] * len(labels), name=column))


def column_from_csv(labels, column, folder):
    frame = pd.DataFrame({"label": labels, column: [0.25] * len(labels)})
    frame.to_csv(folder / "a.csv", index=False)
    return read_predictions(str(folder / "a.csv"), prob=str(column)).predictions


@pytest.mark.parametrize(("labels", "column", "positive"), ONE_COLUMN)
@pytest.mark.parametrize(
    "route", [column_from_frame, column_from_series, column_from_logits, column_from_csv]
)
def test_the_name_of_the_only_column_says_the_positive_class(
    route, labels, column, positive, tmp_path
):
    if positive is None:
        with pytest.raises(ValueError, match="`pos_label"):
            route(labels, column, tmp_path)
        return
    predictions = route(labels, column, tmp_path)
    assert predictions.classes[1] == positive
    assert predictions.y_prob[:, 1] == pytest.approx(0.25)
    assert predictions.labels.tolist() == labels


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        ("p_no", ["no", "yes"]),
        ("no", ["no", "yes"]),
        ("p_0", ["no", "yes"]),
        ("p_0", [0, 1]),
        ("p_0", ["class_0", "class_1"]),
    ],
)
def test_the_only_column_must_not_be_named_by_the_first_class(column, classes):
    with pytest.raises(ValueError, match=f"the last class, .* got a column called '{column}'"):
        Predictions(classes[:1], pd.DataFrame({column: [0.25]}), classes=classes)


@pytest.mark.parametrize("series", [pd.Series([0.25, 0.75]), pl.Series([0.25, 0.75])])
def test_a_series_without_a_name_has_the_probabilities_of_the_last_class(series):
    assert Predictions([0, 1], series).y_prob[:, 1].tolist() == [0.25, 0.75]


def test_pos_label_settles_what_the_name_leaves_open():
    frame = pd.DataFrame([0.25, 0.75])
    assert Predictions([0, 1], frame, pos_label=1).classes == (0, 1)
    assert Predictions([0, 1], frame, pos_label=0).classes == (1, 0)


def test_classes_in_another_order_than_the_words_of_the_columns_are_refused():
    frame = uniform(["class_2", "class_0", "class_1"])
    with pytest.raises(ValueError, match="must have the order of the columns"):
        Predictions([0, 1, 2], frame, classes=range(3))


def test_classes_of_a_file_find_columns_by_the_rest_of_their_names(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,is_dog,is_cat\ncat,0.25,0.75\ndog,0.5,0.5\n")
    predictions = read_predictions(str(path), classes=["cat", "dog"]).predictions
    assert predictions.y_prob.tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_names_do_not_hide_what_the_columns_say_about_positions(tmp_path):
    frame = uniform(["p_1", "p_0"])
    with pytest.raises(ValueError, match="could be names or positions"):
        Predictions([0, 1], frame, classes=["cat", "dog"])
    path = str(tmp_path / "a.csv")
    frame.assign(label=[0, 1]).to_csv(path, index=False)
    with pytest.raises(ValueError, match="could be names or positions"):
        read_predictions(path, classes=["cat", "dog"])


def test_positions_can_be_said(tmp_path):
    assert Predictions([0, 1], uniform(["eel 7", "dog"]), classes=range(2)).y_true.tolist() == [
        0,
        1,
    ]
    path = str(tmp_path / "a.csv")
    uniform(["p_eel 7", "p_dog"]).assign(label=[0, 1]).to_csv(path, index=False)
    assert read_predictions(path, classes=["0", "1"]).predictions.classes == (0, 1)


def test_labels_that_count_from_one_know_the_name_of_the_only_column(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,p_2\n1,0.25\n2,0.75\n")
    predictions = read_predictions(str(path), one_based=True).predictions
    assert predictions.classes == (1, 2)
    assert predictions.y_prob[:, 1].tolist() == [0.25, 0.75]
    path.write_text("label,p_1\n1,0.25\n2,0.75\n")
    with pytest.raises(ValueError, match="the last class, 2; got a column called 'p_1'"):
        read_predictions(str(path), one_based=True)


@pytest.mark.parametrize(
    ("labels", "pos_label", "classes"),
    [
        ([0, 1, 1], True, (0, 1)),
        ([0, 0], True, (0, 1)),
        ([0, 1], 1.0, (0, 1)),
        ([0, 1], np.int64(0), (1, 0)),
        ([False, True], 0, (True, False)),
        (["a", "b"], np.str_("a"), ("b", "a")),
    ],
)
def test_the_positive_class_is_spelled_as_the_labels_are(labels, pos_label, classes):
    found = Predictions(labels, [0.25] * len(labels), pos_label=pos_label).classes
    assert found == classes
    assert [type(name) for name in found] == [type(name) for name in classes]


@pytest.mark.parametrize("labels", [[0, 1], [True, False], [0, 0], [1, 1]])
def test_the_first_of_two_unnamed_columns_is_not_the_positive_class(labels):
    rows = [[0.25, 0.75], [0.5, 0.5]]
    with pytest.raises(ValueError, match=r"Leave `pos_label` out, or .* `classes=\[1, 0\]`"):
        Predictions(labels, rows, pos_label=0)
    assert Predictions(labels, rows, classes=[1, 0]).y_prob[:, 1].tolist() == [0.75, 0.5]


@pytest.mark.parametrize("header", ["p_2,p_1", "p_1,p_0", "class 2,class 1"])
def test_labels_from_1_contradict_numbers_in_another_order(header, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"label,{header}\n1,0.75,0.25\n2,0.5,0.5\n")
    with pytest.raises(ValueError, match="in another order"):
        read_predictions(str(path), prob=header, one_based=True)
