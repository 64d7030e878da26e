"""Files with other probabilities: columns found by name, the rest kept, written atomically."""

import gzip

import numpy as np
import pytest

from calibrant.errors import InputError, RowSumWarning
from calibrant.io import read_predictions, rewrite_probabilities, write_predictions
from calibrant.models import M1
from calibrant.recalibration import LogLinear

#: swaps no classes, and tells them apart
MAP = LogLinear(3, 1e-12, np.array([0.5, 1.0, 1.5]), np.array([0.3, 0.0, -0.2]))
KINDS = ["csv", "tsv", "csv.gz", "parquet", "arrow", "npz"]


@pytest.fixture
def predictions():
    from calibrant import Predictions

    y, p = M1(3).sample(50, rng=0)
    return Predictions([("cat", "dog", "owl")[c] for c in y], p, classes=["cat", "dog", "owl"])


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_is_rewritten(kind, predictions, tmp_path):
    if kind in ("parquet", "arrow"):
        pytest.importorskip("pyarrow")
    old, new = str(tmp_path / f"old.{kind}"), str(tmp_path / f"new.{kind}")
    write_predictions(old, predictions)
    assert rewrite_probabilities(old, new, predictions.classes, MAP.transform) == 50
    found = read_predictions(new).predictions
    expected = MAP.predict_proba(predictions.y_prob)
    np.testing.assert_array_equal(found.y_prob, expected)
    np.testing.assert_array_equal(found.labels, predictions.labels)


def test_columns_are_found_by_name_and_the_others_kept(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text('note;p_owl;p_cat;age;p_dog\n"a;b";0.5;0.2;7;0.3\nc;0.1;0.8;8.50;0.1\n')
    rewrite_probabilities(str(old), str(new), ("cat", "dog", "owl"), MAP.transform, delimiter=";")
    lines = [line.split(";") for line in new.read_text().splitlines()]
    assert lines[0] == ["note", "p_owl", "p_cat", "age", "p_dog"]
    assert lines[2][0] == "c"
    assert lines[2][3] == "8.50"
    assert new.read_text().splitlines()[1].startswith('"a;b";')
    expected = MAP.predict_proba([[0.8, 0.1, 0.1]])[0]
    assert [float(lines[2][k]) for k in (2, 4, 1)] == expected.tolist()


@pytest.mark.parametrize("classes", [("no", "yes"), (0, 1), (False, True)])
@pytest.mark.parametrize("place", [None, 0, 1])
def test_one_column_is_the_class_in_its_name(classes, place, tmp_path):
    name = "p" if place is None else f"p_{classes[place]}"
    place = 1 if place is None else place
    two = LogLinear(2, 1e-12, np.array([1.0, 2.0]), np.array([0.5, 0.0]))
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text(f"{name}\n0.25\n")
    rewrite_probabilities(str(old), str(new), classes, two.transform)
    row = [0.75, 0.25] if place else [0.25, 0.75]
    assert float(new.read_text().split()[1]) == two.predict_proba([row])[0, place]


def test_one_column_of_another_class_is_refused(tmp_path):
    old = tmp_path / "old.csv"
    old.write_text("p_cat\n0.25\n")
    with pytest.raises(InputError, match="must have the classes 0, 1; got 'p_cat'"):
        rewrite_probabilities(str(old), str(tmp_path / "new.csv"), (0, 1), np.copy)


def rewritten(text, tmp_path, classes=("cat", "dog", "owl"), change=MAP, **options):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text(text)
    rewrite_probabilities(str(old), str(new), classes, change.transform, **options)
    return [line.split(",") for line in new.read_text().splitlines()]


@pytest.mark.parametrize(("name", "logits"), [("logit", False), ("z", True)])
def test_logits_stay_logits(name, logits, tmp_path):
    prob = f"{name}_*" if logits else None
    text = f"{name}_owl,{name}_cat,{name}_dog\n5,1,-2\n"
    header, cells = rewritten(text, tmp_path, prob=prob, logits=logits)
    assert header == [f"{name}_owl", f"{name}_cat", f"{name}_dog"]
    p = np.exp([1.0, -2.0, 5.0])
    q = np.exp(np.array(cells, dtype=float)[[1, 2, 0]])
    np.testing.assert_allclose(q / q.sum(), MAP.predict_proba([p / p.sum()])[0], rtol=1e-12)


def test_one_logit_stays_one(tmp_path):
    two = LogLinear(2, 1e-12, np.array([0.5, 0.5]), np.array([0.0, 1.0]))
    _, (cell,) = rewritten("p\n3\n", tmp_path, ("no", "yes"), two, logits=True)
    assert float(cell) == pytest.approx(0.5 * 3.0 + 1.0, rel=1e-12)


def test_an_impossible_class_keeps_a_finite_logit(tmp_path):
    steep = LogLinear(2, 1e-300, np.array([5.0, 5.0]), np.zeros(2))
    _, cells = rewritten("p_no,p_yes\n0,-600\n", tmp_path, ("no", "yes"), steep, logits=True)
    assert np.isfinite(np.array(cells, dtype=float)).all()


@pytest.mark.parametrize("text", ["20,30,50\n", "20%,30%,50%\n", "20%,30,50\n"])
def test_percentages_stay_percentages(text, tmp_path):
    header = "p_cat,p_dog,p_owl\n"
    if text.count("%") == 1:  # a column of both kinds is read number by number
        text += "20,30,50\n"
    _, *rows = rewritten(header + text, tmp_path, percent=True)
    expected = 100 * MAP.predict_proba([[0.2, 0.3, 0.5]])[0]
    for cells in rows:
        assert all(cell.endswith("%") for cell in cells) == (text.count("%") == 3)
        found = [float(cell.rstrip("%")) for cell in cells]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_rows_are_divided_by_their_sums_on_demand(tmp_path):
    _, cells = rewritten("p_cat,p_dog,p_owl\n2,3,5\n", tmp_path, normalize=True)
    assert list(map(float, cells)) == MAP.predict_proba([[0.2, 0.3, 0.5]])[0].tolist()


def test_rows_of_two_decimals_are_divided_as_reading_does(tmp_path):
    text = "p_cat,p_dog,p_owl\n0.33,0.33,0.33\n0.25,0.26,0.5\n"
    with pytest.warns(RowSumWarning, match="2 of 2 rows"):
        _, *rows = rewritten(text, tmp_path)
    p = np.array([[0.33, 0.33, 0.33], [0.25, 0.26, 0.5]])
    expected = MAP.predict_proba(p / p.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(np.array(rows, dtype=float), expected, rtol=1e-12)


@pytest.mark.parametrize("classes", [("cat", "dog", "owl"), (0, 1, 2), (1, 2, 3)])
def test_without_a_header_columns_have_the_order_of_the_classes(classes, tmp_path):
    rows = rewritten("0.2,0.3,0.5\n0.7,0.2,0.1\n", tmp_path, classes)
    expected = MAP.predict_proba([[0.2, 0.3, 0.5], [0.7, 0.2, 0.1]])
    np.testing.assert_array_equal(np.array(rows, dtype=float), expected)
    with pytest.raises(InputError, match="must have the classes"):
        rewritten("0.2,0.3,0.4,0.1\n", tmp_path, classes)


def test_without_a_header_other_columns_are_named_by_their_places(tmp_path):
    rows = rewritten("7,0.2,0.3,0.5\n", tmp_path, prob="1,2,3")
    assert rows[0][0] == "7"
    expected = MAP.predict_proba([[0.2, 0.3, 0.5]])[0]
    assert list(map(float, rows[0][1:])) == expected.tolist()


def test_a_single_column_without_a_header_is_the_last_class(tmp_path):
    two = LogLinear(2, 1e-12, np.array([1.0, 2.0]), np.array([0.5, 0.0]))
    rows = rewritten("0.25\n0.5\n", tmp_path, (0, 1), two)
    assert float(rows[0][0]) == two.predict_proba([[0.75, 0.25]])[0, 1]


def test_lists_in_a_column_are_matrices(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    p = M1(3).sample(5, rng=0)[1]
    table = pa.table({"id": list("abcde"), "probs": pa.array(p.tolist(), pa.list_(pa.float32()))})
    pq.write_table(table, tmp_path / "old.parquet")
    old, new = str(tmp_path / "old.parquet"), str(tmp_path / "new.parquet")
    rewrite_probabilities(old, new, ("cat", "dog", "owl"), MAP.transform)
    found = pq.read_table(new)
    assert found["id"].to_pylist() == list("abcde")
    expected = MAP.predict_proba(p.astype(np.float32))
    np.testing.assert_allclose(found["probs"].to_pylist(), expected, rtol=1e-12)


def test_many_batches_keep_their_order(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    p = np.random.default_rng(0).dirichlet(np.ones(3), 150_000)
    columns = {f"p_{c}": p[:, k] for k, c in enumerate(("cat", "dog", "owl"))}
    pq.write_table(pa.table({"row": np.arange(150_000), **columns}), tmp_path / "old.parquet")
    old, new = str(tmp_path / "old.parquet"), str(tmp_path / "new.parquet")
    assert rewrite_probabilities(old, new, ("cat", "dog", "owl"), MAP.transform) == 150_000
    found = pq.read_table(new)
    np.testing.assert_array_equal(found["row"].to_numpy(), np.arange(150_000))
    np.testing.assert_array_equal(found["p_owl"].to_numpy(), MAP.predict_proba(p)[:, 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p_cat,p_dog,p_fox\n0.2,0.3,0.5\n", "must have the classes 'cat', 'dog', 'owl'"),
        ("p_cat,p_dog\n0.5,0.5\n", "'cat', 'dog', 'owl'"),
        ("p_cat,p_dog,p_owl\n0.2,0.3,0.5\n0.2,0.3,0.9\n", "row 1 .*"),
        ("p_cat,p_dog,p_owl\n0.2,0.3,0.5\n0.2,x,0.9\n", "line 3, column 'p_dog' must be a number"),
        ("p_cat,p_dog,p_owl\n0.2,0.3,0.5\n0.2,0.3\n", "must have 3 cells"),
        ("p_cat,p_dog,p_owl\n-0.2,0.7,0.5\n", r"must be in \[0, 1\]"),
        ("logit_cat,logit_dog,logit_owl\n0.2,0.3,0.5\n", "are called logits, but their rows sum"),
        ("p_cat,p_dog,p_owl\n0.2,,0.5\n", "Correct these values, or remove their rows"),
        ("p_cat,p_dog,p_owl\n0.2,NA,0.5\n", "remove its row, or choose other columns"),
        ("p_cat,p_dog,p_owl\n0.2,p_dog,0.5\n", "repeats the header"),
        ("p_cat,p_dog,p_owl,age\n0.2,0.3,0.9,7\n", r"choose others with `prob` \('age' ignored"),
    ],
)
def test_nothing_is_written_where_the_input_is_refused(text, message, tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text(text)
    new.write_text("precious")
    with pytest.raises(InputError, match=message):
        rewrite_probabilities(str(old), str(new), ("cat", "dog", "owl"), MAP.transform)
    assert new.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "old.csv"]


def test_the_row_of_an_error_counts_from_the_start_of_the_file(tmp_path):
    old = tmp_path / "old.csv"
    old.write_text("p_cat,p_dog,p_owl\n" + "0.2,0.3,0.5\n" * 20_000 + "0.2,0.3,0.9\n")
    with pytest.raises(InputError) as caught:
        rewrite_probabilities(
            str(old), str(tmp_path / "new.csv"), ("cat", "dog", "owl"), MAP.transform
        )
    assert caught.value.row == 20_000


@pytest.mark.parametrize("output", ["new.parquet", "new", "new.npz.gz"])
def test_the_output_has_the_format_of_the_input(output, tmp_path):
    old = tmp_path / "old.csv"
    old.write_text("p_cat,p_dog,p_owl\n0.2,0.3,0.5\n")
    with pytest.raises(InputError, match="must have the format of the input, csv"):
        rewrite_probabilities(
            str(old), str(tmp_path / output), ("cat", "dog", "owl"), MAP.transform
        )


def test_rows_that_nearly_sum_to_1_are_divided_and_told_once(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("p_cat,p_dog,p_owl\n" + "0.2,0.3,0.5\n0.2,0.3,0.501\n" * 9000)
    with pytest.warns(RowSumWarning, match="9000 of 18000 rows") as caught:
        rewrite_probabilities(str(old), str(new), ("cat", "dog", "owl"), MAP.transform)
    assert len(caught) == 1


def test_a_matrix_names_its_classes(tmp_path):
    old, new = str(tmp_path / "old.npz"), str(tmp_path / "new.npz")
    p = M1(3).sample(4, rng=0)[1]
    np.savez(old, y_prob=p[:, [2, 0, 1]], classes=["owl", "cat", "dog"], other=np.arange(4))
    rewrite_probabilities(old, new, ("cat", "dog", "owl"), MAP.transform)
    with np.load(new) as found:
        np.testing.assert_array_equal(found["other"], np.arange(4))
        np.testing.assert_array_equal(found["y_prob"], MAP.predict_proba(p)[:, [2, 0, 1]])
    np.savez(old, y_prob=p, classes=["owl", "cat", "fox"])
    with pytest.raises(InputError, match="must have the classes"):
        rewrite_probabilities(old, new, ("cat", "dog", "owl"), MAP.transform)


def test_compressed_text_has_the_same_bytes_every_time(predictions, tmp_path):
    old = str(tmp_path / "old.csv")
    write_predictions(old, predictions)
    outputs = [tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"]
    for output in outputs:
        rewrite_probabilities(old, str(output), predictions.classes, MAP.transform)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert gzip.decompress(outputs[0].read_bytes()).startswith(b"label,p_cat")


@pytest.mark.parametrize("option", ["delimiter", "encoding"])
def test_options_of_text_are_refused_for_other_formats(predictions, tmp_path, option):
    source = str(tmp_path / "a.npz")
    write_predictions(source, predictions)
    with pytest.raises(InputError, match=f"`{option}` is for CSV and TSV; this is npz"):
        rewrite_probabilities(
            source, str(tmp_path / "b.npz"), predictions.classes, np.copy, **{option: "x"}
        )
    assert not (tmp_path / "b.npz").exists()
