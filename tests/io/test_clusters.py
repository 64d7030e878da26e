"""Clusters of files: read with the rows, the same in every format, kept by scans."""

import numpy as np
import pytest

import calibrant as cal
from calibrant.errors import InputError
from calibrant.io import read_predictions, scan_predictions


def write(path, ids, name="patient", extra=""):
    rng = np.random.default_rng(0)
    lines = [f"label,p,{name}"]
    lines += [
        f"{int(rng.random() < 0.5)},{p:.6f},{one}"
        for p, one in zip(rng.random(len(ids)), ids, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n" + extra)
    return str(path)


def test_a_column_names_the_clusters(tmp_path):
    path = write(tmp_path / "a.csv", [1, 1, 2, 3])
    file = read_predictions(path, cluster="patient")
    expected = cal.Predictions([0] * 4, [0.5] * 4, clusters=[1, 1, 2, 3])
    np.testing.assert_array_equal(file.predictions.clusters, expected.clusters)
    assert file.understood.cluster_column == "patient"
    assert file.understood.shared_column is None


def test_missing_ids_are_refused_with_their_place(tmp_path):
    path = write(tmp_path / "a.csv", [1, "", 2, 3])
    with pytest.raises(InputError, match=r"the clusters must have an id in every row.*row 1"):
        read_predictions(path, cluster="patient")
    with pytest.raises(InputError, match="there is no column 'doctor'"):
        read_predictions(path, cluster="doctor")
    with pytest.raises(InputError, match="contains the labels and cannot be"):
        read_predictions(path, label="label", cluster="label")


@pytest.mark.parametrize(
    ("name", "ids", "found"),
    [
        ("patient", [k // 2 for k in range(40)], True),
        ("Image_ID", [f"i{k // 2}" for k in range(40)], True),
        ("question", [f"q{k // 3}" for k in range(60)], True),
        ("doc", list(range(40)), False),  # every row its own
        ("patient", [k % 3 for k in range(40)], False),  # too few to be clusters
        ("height", [k // 2 for k in range(40)], False),
    ],
)
def test_repeated_ids_are_noticed(tmp_path, name, ids, found):
    file = read_predictions(write(tmp_path / "a.csv", ids, name), prob="p")
    assert file.understood.shared_column == (name if found else None)


def test_long_texts_in_an_id_like_column_do_no_harm(tmp_path):
    ids = [f"{'why ' * 2000}{k // 2}" for k in range(40)]
    assert read_predictions(
        write(tmp_path / "a.csv", ids, "question"), prob="p"
    ).understood.shared_column


def parquet(folder, parts, **options):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    for k, (y, p, ids) in enumerate(parts):
        table = pa.table({"label": y, "p_0": p[:, 0], "p_1": p[:, 1], "p_2": p[:, 2], "who": ids})
        pq.write_table(table, folder / f"{k}.parquet", row_group_size=70)
    return scan_predictions(str(folder), cluster="who", **options)


def data(n=600, seed=0):
    y, p = cal.models.TemperatureModel(0.5, 3, temperature=1.5).sample(n // 3, rng=seed)
    order = np.random.default_rng(1).permutation(n)  # rows of a cluster lie anywhere
    index = np.repeat(np.arange(n // 3), 3)[order]
    return y[index], p[index], index


def test_streamed_clusters_have_the_bits_of_those_in_memory(tmp_path):
    y, p, ids = data()
    half = len(y) // 2
    # numbers in one file, texts in the other: the same ids
    parts = [(y[:half], p[:half], ids[:half]), (y[half:], p[half:], ids[half:].astype(str))]
    scan = parquet(tmp_path, parts, in_memory=0)
    method = cal.methods.Aggregated(39)
    streamed = cal.calibration_test(scan, method=method, rng=0)
    rows = cal.Predictions(y, p, clusters=ids)
    setting = cal.methods.Setting(np.random.default_rng(0))
    memory = method.stream(
        _Source(rows), cal.SKCE(cal.kernels.Laplacian(0.5)), _with(setting, rows), 1.0
    )
    assert streamed.details["clusters"] == memory.details["clusters"]
    whole = cal.calibration_test(scan.read().predictions, method=method, rng=0)
    for name in ("accuracy", "brier", "log_loss", "temperature"):
        one, other = streamed.effects[name].interval, whole.effects[name].interval
        np.testing.assert_allclose([one.low, one.high], [other.low, other.high], rtol=1e-9)


def _with(setting, rows):
    from dataclasses import replace

    return replace(setting, coupling=setting.coupling_of(rows))


class _Source:
    """Rows in memory, as a source of blocks."""

    def __init__(self, rows):
        self.rows, self.n_samples, self.n_classes = rows, len(rows), rows.n_classes

    def blocks(self, rows, size):
        for start in range(rows.start, rows.stop, size):
            yield self.rows.take(slice(start, min(start + size, rows.stop)))


def test_a_sample_of_whole_clusters_is_the_same_in_any_order(limit):
    from calibrant._calibration_test._cluster_survey import ClusterSurvey
    from calibrant._engine import estimate_coupling

    limit(coupling_rows=1000)
    y, p, ids = data(3000)
    rows = cal.Predictions(y, p, clusters=ids)
    parts = [ClusterSurvey.of(rows.take(slice(k, k + 500))) for k in range(0, 3000, 500)]
    survey = ClusterSurvey.join(parts)
    assert len(survey.sample) <= 1000
    counts = np.unique(survey.sample.clusters, return_counts=True)[1]
    assert (counts == 3).all()
    assert survey.coupling == estimate_coupling(rows)


def test_methods_that_stream_and_need_independent_rows_refuse_clusters(tmp_path):
    y, p, ids = data(60)
    scan = parquet(tmp_path, [(y, p, ids)], in_memory=0)
    with pytest.raises(cal.errors.DataError, match="treats rows as independent"):
        cal.calibration_test(
            scan, estimator=cal.SKCE(block_size=2), method=cal.methods.AsymptoticBlock(), rng=0
        )


def test_a_missing_id_in_a_scan_is_refused_with_its_place(tmp_path):
    y, p, ids = data(60)
    ids = [None if k == 7 else str(one) for k, one in enumerate(ids)]
    with pytest.raises(InputError, match="an id in every row"):
        parquet(tmp_path, [(y, p, ids)]).read()


@pytest.mark.parametrize("options", [{}, {"onehot": True}])
def test_a_file_of_many_labels_per_row_is_sent_to_from_multilabel(tmp_path, options):
    file = tmp_path / "many.csv"
    file.write_text("y_a,y_b,p_a,p_b\n1,1,0.9,0.8\n0,1,0.2,0.7\n0,0,0.1,0.3\n")
    with pytest.raises(InputError, match=r"`Predictions\.from_multilabel`"):
        read_predictions(str(file), **options)
