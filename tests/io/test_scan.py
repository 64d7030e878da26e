"""Files in parts: the same rows as in memory, whatever the cuts."""

import pickle

import numpy as np
import pytest

from calibrant.io import InputError, read_predictions, scan_predictions

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")

P = np.random.default_rng(0).dirichlet(np.ones(3), 100)
Y = np.random.default_rng(1).integers(3, size=100)


def write(path, rows=slice(None), labels=None, p=P, group=7, **more):
    names = [f"p_{c}" for c in "abc"]
    y = np.array(list("abc"))[Y] if labels is None else labels
    columns = {"label": y[rows], **{n: p[rows, c] for c, n in enumerate(names)}}
    columns |= {name: values[rows] for name, values in more.items()}
    pq.write_table(pa.table(columns), path, row_group_size=group)


@pytest.fixture
def folder(tmp_path):
    """Three files and no rows in one of them, in sub-folders."""
    write(tmp_path / "a.parquet", slice(0, 33))
    (tmp_path / "day=2").mkdir()
    write(tmp_path / "b.parquet", slice(33, 33))
    write(tmp_path / "day=2" / "c.pq", slice(33, 100))
    (tmp_path / "_metadata.txt").write_text("not a part")
    return tmp_path


def test_a_folder_is_its_files_in_order(folder):
    scan = scan_predictions(str(folder))
    assert scan.n_samples == 100
    assert scan.classes == ("a", "b", "c")
    assert not scan.is_streamed
    found = scan.read().predictions
    np.testing.assert_array_equal(found.y_prob, P)
    np.testing.assert_array_equal(found.y_true, Y)


@pytest.mark.parametrize("size", [1, 5, 33, 100, 1000])
@pytest.mark.parametrize("rows", [range(100), range(0, 1), range(20, 57), range(33, 100)])
def test_blocks_are_consecutive_rows(folder, rows, size):
    blocks = list(scan_predictions(str(folder)).blocks(rows, size))
    assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
    np.testing.assert_array_equal(np.concatenate([b.y_prob for b in blocks]), P[rows])
    np.testing.assert_array_equal(np.concatenate([b.y_true for b in blocks]), Y[rows])


def test_a_scan_travels_to_workers(folder):
    scan = pickle.loads(pickle.dumps(scan_predictions(str(folder))))
    assert len(pickle.dumps(scan)) < 5000
    assert sum(len(block) for block in scan.blocks(range(100), 9)) == 100


def test_one_file_or_several_are_scanned_too(folder):
    files = [str(folder / "day=2" / "c.pq"), str(folder / "a.parquet")]
    assert scan_predictions(files[0]).n_samples == 67
    scan = scan_predictions(files)
    first = next(scan.blocks(range(100), 1))
    np.testing.assert_array_equal(first.y_prob[0], P[33])


def test_a_block_without_some_labels_has_the_same_classes(tmp_path):
    order = np.argsort(Y, kind="stable")
    write(tmp_path / "sorted.parquet", order)
    scan = scan_predictions(str(tmp_path))
    assert {block.classes for block in scan.blocks(range(100), 10)} == {("a", "b", "c")}


@pytest.mark.parametrize(
    ("column", "kind", "options"),
    [
        ("p_spam", int, {}),
        ("prob", str, {"classes": ["ham", "spam"]}),
        ("p_spam", str, {"pos_label": "spam"}),
    ],
)
def test_one_column_keeps_its_positive_class(tmp_path, column, kind, options):
    # spam is seen in the first block only
    y = np.array([1, 0] + [0] * 98)
    labels = y if kind is int else np.array(["ham", "spam"])[y]
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"label": labels, column: P[:, 0]}), path, row_group_size=10)
    blocks = scan_predictions(str(tmp_path), **options).blocks(range(100), 10)
    found = list(blocks)
    assert len({block.classes for block in found}) == 1
    np.testing.assert_array_equal(np.concatenate([block.y_true for block in found]), y)
    np.testing.assert_array_equal(np.concatenate([b.y_prob[:, 1] for b in found]), P[:, 0])


@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (Y, {"classes": ["0", "1", "2"]}),
        (Y + 1, {"one_based": True}),
        (Y.astype(float), {"classes": ["0", "1", "2"]}),
    ],
)
def test_labels_are_read_as_from_one_file(tmp_path, labels, options):
    write(tmp_path / "x.parquet", labels=labels)
    scan = scan_predictions(str(tmp_path), **options)
    whole = read_predictions(str(tmp_path / "x.parquet"), **options).predictions
    found = scan.read().predictions
    np.testing.assert_array_equal(found.y_true, whole.y_true)
    assert found.classes == whole.classes


def test_weights_and_one_hot_columns_are_read(tmp_path):
    one_hot = {f"y_{c}": (k == Y).astype(float) for k, c in enumerate("abc")}
    write(tmp_path / "x.parquet", w=np.arange(100.0), **one_hot)
    options = {"weight": "w", "onehot": True, "label": "y_*", "prob": "p_a,p_b,p_c"}
    scan = scan_predictions(str(tmp_path), **options)
    whole = read_predictions(str(tmp_path / "x.parquet"), **options).predictions
    found = scan.read().predictions
    np.testing.assert_array_equal(found.y_true, Y)
    np.testing.assert_array_equal(found.sample_weight, np.arange(100.0))
    np.testing.assert_array_equal(found.y_prob, whole.y_prob)


def test_logits_become_probabilities(tmp_path):
    path = tmp_path / "x.parquet"
    columns = {f"logit_{c}": np.log(P[:, k]) for k, c in enumerate("abc")}
    pq.write_table(pa.table({"label": np.array(list("abc"))[Y], **columns}), path)
    found = scan_predictions(str(tmp_path), logits=True).read().predictions
    np.testing.assert_allclose(found.y_prob, P, rtol=1e-12)


def test_row_sums_are_divided_out_as_in_memory_and_told_once(tmp_path):
    p = P.copy()
    p[::7] *= 1.004
    write(tmp_path / "x.parquet", p=p)
    with pytest.warns(UserWarning, match="divided rows in 15 parts of the files") as told:
        found = scan_predictions(str(tmp_path)).read().predictions
    assert len(told) == 1
    with pytest.warns(UserWarning, match="divided 15 rows"):
        whole = read_predictions(str(tmp_path / "x.parquet")).predictions
    np.testing.assert_array_equal(found.y_prob, whole.y_prob)


def test_files_are_known_by_their_content(folder):
    one = scan_predictions(str(folder)).fingerprint()
    assert one == scan_predictions(str(folder)).fingerprint()
    write(folder / "a.parquet", slice(1, 34))
    assert one != scan_predictions(str(folder)).fingerprint()


def test_a_block_may_weigh_nothing(tmp_path):
    weight = np.where(np.arange(100) < 50, 0.0, 2.0)
    write(tmp_path / "x.parquet", w=weight)
    found = list(scan_predictions(str(tmp_path), weight="w").blocks(range(100), 7))
    np.testing.assert_array_equal(np.concatenate([b.sample_weight for b in found]), weight)
    write(tmp_path / "x.parquet", w=np.where(weight > 0, 0.0, -1.0))
    with pytest.raises(InputError, match="the weights must be"):
        scan_predictions(str(tmp_path), weight="w")


def test_what_cannot_be_scanned_is_refused(tmp_path, folder):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="there is no Parquet file in this folder"):
        scan_predictions(str(empty))
    with pytest.raises(InputError, match="there are no files to scan"):
        scan_predictions([])
    with pytest.raises(InputError, match="there is no such file"):
        scan_predictions(str(tmp_path / "nowhere.parquet"))
    text = tmp_path / "x.csv"
    text.write_text("label,p_a,p_b\na,0.5,0.5\n")
    with pytest.raises(InputError, match="only Parquet files can be scanned; this is csv"):
        scan_predictions(str(text))
    pq.write_table(pa.table({"label": ["a"], "p_a": [1.0]}), folder / "z.parquet")
    with pytest.raises(InputError, match=r"z.parquet: column 'p_b' is missing, which .*a\.parquet"):
        scan_predictions(str(folder))


def test_bad_rows_are_found_where_they_are(tmp_path):
    p = np.tile(P, (700, 1))
    p[66_000, 1] = np.nan
    labels = np.tile(np.array(list("abc"))[Y], 700)
    write(tmp_path / "x.parquet", p=p, labels=labels, group=20_000)
    scan = scan_predictions(str(tmp_path))
    with pytest.raises(
        InputError, match=r"x\.parquet: .*NaN.* row 66000 \(the 66001st row of data\)"
    ):
        list(scan.blocks(range(70_000), 1000))
