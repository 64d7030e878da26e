"""The test of streamed rows is the test of the same rows in memory."""

from itertools import pairwise

import numpy as np
import pytest

import calibrant as cal
from calibrant import _native, methods
from calibrant._execution import Limits
from calibrant.io import scan_predictions

pytestmark = pytest.mark.slow

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")

N = 9001
FAST = methods.Aggregated(39 if _native.active() else 9)


@pytest.fixture(scope="module")
def data():
    return cal.models.M2(n_classes=4).sample(N, rng=0)


@pytest.fixture(scope="module")
def weight():
    return np.random.default_rng(3).random(N)


def write(folder, y, p, cuts=(0, 4100, 9001), **more):
    for k, (a, b) in enumerate(pairwise(cuts)):
        columns = {"label": y[a:b], **{f"p_{c}": p[a:b, c] for c in range(p.shape[1])}}
        columns |= {name: values[a:b] for name, values in more.items()}
        pq.write_table(pa.table(columns), folder / f"{k}.parquet", row_group_size=1000)


@pytest.fixture(scope="module")
def scan(tmp_path_factory, data, weight):
    folder = tmp_path_factory.mktemp("parts")
    write(folder, *data, w=weight)
    return scan_predictions(str(folder), prob="p_*", in_memory=0)


@pytest.fixture
def small_segments(limit):
    limit(segment_rows=Limits.chunk_rows)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_aggregated_test_has_the_same_bits(scan, data, n_jobs, small_segments):
    here = cal.calibration_test(*data, method=FAST, rng=5)
    there = cal.calibration_test(scan, method=FAST, rng=5, n_jobs=n_jobs)
    assert there.pvalue == here.pvalue
    assert there.statistic == here.statistic
    np.testing.assert_array_equal(there.null_distribution, here.null_distribution)
    assert there.noise_floor == here.noise_floor
    assert there.details["seed"] == here.details["seed"]
    assert there.details["components"] == here.details["components"]
    # random features against all pairs
    assert there.estimate == pytest.approx(here.estimate, rel=0.1)
    for name in ("accuracy", "brier", "log_loss", "ece"):
        ours, theirs = there.effects[name], here.effects[name]
        assert ours.estimate == pytest.approx(theirs.estimate, rel=1e-12)
    same_temperature(there, here)
    assert "rows are streamed from 2 files" in there.details["choice"]


def same_temperature(there, here):
    ours, theirs = there.effects["temperature"], here.effects["temperature"]
    for one, other in (
        (ours.estimate, theirs.estimate),
        (ours.interval.low, theirs.interval.low),
        (ours.interval.high, theirs.interval.high),
    ):
        assert one == pytest.approx(other, rel=1e-8)
    assert ours.details == theirs.details


def test_one_segment_or_many_agree(scan, limit):
    one = cal.calibration_test(scan, method=FAST, rng=5)
    limit(segment_rows=4096)
    many = cal.calibration_test(scan, method=FAST, rng=5)
    np.testing.assert_allclose(many.null_distribution, one.null_distribution, rtol=1e-9)
    assert many.pvalue == one.pvalue


def test_weights_are_used(scan, data, weight):
    weighted = scan_predictions(scan.files, prob="p_*", weight="w", in_memory=0)
    here = cal.calibration_test(*data, sample_weight=weight, method=FAST, rng=5)
    there = cal.calibration_test(weighted, method=FAST, rng=5)
    assert there.statistic == here.statistic
    same_temperature(there, here)
    assert there.noise_floor.mean == pytest.approx(here.noise_floor.mean, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("block_size", [2, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_block_test_is_that_of_all_rows(
    scan, data, weight, block_size, weighted, small_segments
):
    options = {"estimator": cal.SKCE(block_size=block_size), "method": methods.AsymptoticBlock()}
    w = weight if weighted else None
    here = cal.calibration_test(*data, sample_weight=w, **options)
    files = scan_predictions(scan.files, prob="p_*", weight="w" if weighted else None, in_memory=0)
    there = cal.calibration_test(files, **options)
    assert there.estimate == pytest.approx(here.estimate, rel=1e-9)
    assert there.pvalue == pytest.approx(here.pvalue, rel=1e-7)
    assert there.details["n_blocks"] == here.details["n_blocks"]
    ours, theirs = (r.confidence_interval() for r in (there, here))
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-3)


def test_equal_blocks_have_no_spread(tmp_path):
    y, p = np.array([0, 0] * 20), np.full((40, 2), 0.5)
    write(tmp_path, y, p, cuts=(0, 40))
    scan = scan_predictions(str(tmp_path), in_memory=0)
    options = {"estimator": cal.SKCE(block_size=2), "method": methods.AsymptoticBlock()}
    with pytest.raises(ValueError, match="all 20 blocks have the same positive estimate"):
        cal.calibration_test(scan, **options)


def test_few_rows_are_read_and_tested_in_memory(scan, data):
    kept = scan_predictions(scan.files, prob="p_*")
    here = cal.calibration_test(*data, method=FAST, rng=5)
    assert cal.calibration_test(kept, method=FAST, rng=5).to_dict() == here.to_dict()


def test_a_checkpoint_belongs_to_the_files(scan, tmp_path):
    path = tmp_path / "kept"
    one = cal.calibration_test(scan, method=FAST, rng=5, checkpoint=path)
    size = path.stat().st_size
    assert cal.calibration_test(scan, method=FAST, rng=5, checkpoint=path).to_dict() == (
        one.to_dict()
    )
    assert path.stat().st_size == size  # nothing was computed again
    other = scan_predictions(scan.files[:1], prob="p_*", in_memory=0)
    with pytest.raises(RuntimeError, match="belongs to another computation: files is"):
        cal.calibration_test(other, method=FAST, rng=5, checkpoint=path)
    with pytest.raises(ValueError, match=r"`checkpoint` needs random numbers .*rng=None"):
        cal.calibration_test(scan, method=FAST, checkpoint=tmp_path / "other")


def write_lists(path, y, p):
    """Write rows so that the same number of others has the same size and the same footer."""
    table = pa.table({"label": y, "x": p.tolist()})
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pq.write_table(table, path, **options)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"logits": True}, "logits is 'True' here and 'False' there"),
        ({"normalize": True}, "normalize is 'True' here and 'False' there"),
        ({"one_based": True}, "one_based is 'True' here and 'False' there"),
        ({"classes": ["1", "0", "2"]}, "classes is .*'1', '0', '2'.* here and 'None' there"),
    ],
)
def test_a_checkpoint_belongs_to_what_the_rows_mean(tmp_path, options, what):
    y, p = cal.models.M2(n_classes=3).sample(50, rng=0)
    parts, path = str(tmp_path / "x.parquet"), tmp_path / "kept"
    write_lists(parts, np.clip(y, 1, 2), p)
    test = {"method": methods.Aggregated(9), "rng": 0, "checkpoint": path}
    cal.calibration_test(scan_predictions(parts, in_memory=0), **test)
    other = scan_predictions(parts, in_memory=0, **options)
    with pytest.raises(RuntimeError, match=f"belongs to another computation: {what}"):
        cal.calibration_test(other, **test)


def test_a_checkpoint_belongs_to_the_positive_class(tmp_path):
    y, p = cal.models.M2(n_classes=2).sample(50, rng=0)
    parts, path = str(tmp_path / "x.parquet"), tmp_path / "kept"
    pq.write_table(pa.table({"label": np.array(["no", "yes"])[y], "prob": p[:, 1]}), parts)
    test = {"method": methods.Aggregated(9), "rng": 0, "checkpoint": path}
    cal.calibration_test(scan_predictions(parts, pos_label="yes", in_memory=0), **test)
    other = scan_predictions(parts, pos_label="no", in_memory=0)
    with pytest.raises(RuntimeError, match="belongs to another computation: columns is"):
        cal.calibration_test(other, **test)


def test_a_checkpoint_belongs_to_every_row(tmp_path, monkeypatch):
    y, p = cal.models.M2(n_classes=3).sample(20_000, rng=0)
    parts, path = tmp_path / "x.parquet", tmp_path / "kept"
    write_lists(parts, y, p)
    before = parts.read_bytes()
    test = {"method": methods.Aggregated(9), "rng": 0, "checkpoint": path, "effects": False}
    one = cal.calibration_test(scan_predictions(str(parts), in_memory=0), **test)
    monkeypatch.chdir(tmp_path)
    renamed = cal.calibration_test(scan_predictions("x.parquet", in_memory=0), **test)
    assert renamed.to_dict() == one.to_dict()
    write_lists(parts, y[::-1], p)
    after = parts.read_bytes()
    assert (len(after), after[-(1 << 16) :]) == (len(before), before[-(1 << 16) :])
    with pytest.raises(RuntimeError, match="belongs to another computation: files is"):
        cal.calibration_test(scan_predictions(str(parts), in_memory=0), **test)


def test_row_sums_are_told_once(tmp_path, data):
    y, p = data[0], data[1].copy()
    p[::1000] *= 1.004
    write(tmp_path, y, p)
    scan = scan_predictions(str(tmp_path), in_memory=0)
    with pytest.warns(UserWarning, match="divided rows in 2 parts of the files") as told:
        cal.calibration_test(scan, method=methods.Aggregated(9), rng=0)
    assert len(told) == 1
    assert told[0].filename == __file__


def test_what_needs_all_rows_is_refused(scan):
    with pytest.raises(ValueError, match=r"Moments needs all rows in memory; .*scan\.read\(\)"):
        cal.calibration_test(scan, method=methods.Moments())
    with pytest.raises(ValueError, match=r"Exact needs all rows in memory; .*\.streaming`"):
        cal.calibration_test(scan, estimator=cal.ECE())
    with pytest.raises(ValueError, match="a PredictionScan comes alone"):
        cal.calibration_test(scan, sample_weight=np.ones(N))


def test_rows_that_do_not_weigh_are_no_data(tmp_path, data):
    write(tmp_path, *data, w=np.eye(1, N)[0])
    scan = scan_predictions(str(tmp_path), prob="p_*", weight="w", in_memory=0)
    with pytest.raises(ValueError, match="at least 2 rows with positive weight"):
        cal.calibration_test(scan, method=FAST)


#: effects that take several looks at the rows
SEVERAL = ("calibration_loss", "bias", "slope", "intercept", "rmsce")


def assert_same_effects(there, here, rel):
    for name in SEVERAL:
        ours, theirs = there.effects[name], here.effects[name]
        assert ours.estimate == pytest.approx(theirs.estimate, rel=rel, nan_ok=True), name
        assert ours.interval.low == pytest.approx(theirs.interval.low, rel=rel, nan_ok=True), name
        assert ours.interval.high == pytest.approx(theirs.interval.high, rel=rel, nan_ok=True), name
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=rel, nan_ok=True)
        assert (ours.meaning, ours.note) == (theirs.meaning, theirs.note)
        assert set(ours.details) == set(theirs.details)
    assert "missing_effects" not in there.details
    assert set(there.effects) == set(here.effects)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_effect_of_some_rows_is_that_in_memory(scan, data, weight, weighted):
    w = weight if weighted else None
    files = scan_predictions(scan.files, prob="p_*", weight="w" if weighted else None, in_memory=0)
    here = cal.calibration_test(*data, sample_weight=w, method=FAST, rng=5)
    assert_same_effects(cal.calibration_test(files, method=FAST, rng=5), here, 1e-12)


@pytest.mark.parametrize("m", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_effect_of_many_rows_is_that_in_memory(tmp_path, limit, m, weighted, small_segments):
    limit(two_fold_rows=2000, training_rows=800, start_rows=500, gathered_values=50)
    y, p = cal.models.M2(n_classes=m).sample(N, rng=0)
    w = np.random.default_rng(3).choice([0.0, 0.5, 3.0], N)
    write(tmp_path, y, np.asarray(p), w=w)
    files = scan_predictions(
        str(tmp_path), prob="p_*", weight="w" if weighted else None, in_memory=0
    )
    here = cal.calibration_test(y, p, sample_weight=w if weighted else None, method=FAST, rng=5)
    there = cal.calibration_test(files, method=FAST, rng=5, n_jobs=2)
    assert_same_effects(there, here, 1e-6)
    assert there.effects["calibration_loss"].details["maps"]


@pytest.mark.parametrize("weighted", [False, True])
def test_finer_bins_of_streamed_rows_are_those_in_memory(tmp_path, limit, weighted):
    limit(bin_part_rows=10)
    rng = np.random.default_rng(0)
    p = np.sort(rng.uniform(0.3, 0.7, N))
    y = (rng.random(N) < p + np.where(np.arange(N) * 60 // N % 2, 0.25, -0.25)).astype(int)
    w = rng.uniform(0.5, 1.5, N)
    write(tmp_path, y, np.column_stack([1.0 - p, p]), w=w)
    files = scan_predictions(
        str(tmp_path), prob="p_*", weight="w" if weighted else None, in_memory=0
    )
    here = cal.calibration_test(y, p, sample_weight=w if weighted else None, method=FAST, rng=5)
    there = cal.calibration_test(files, method=FAST, rng=5)
    for name in ("fine_square", "fine_square_standard_error", "fine_null_variance"):
        ours, theirs = (result.effects["rmsce"].details[name] for result in (here, there))
        assert ours == pytest.approx(theirs, rel=1e-9)
    assert there.upper_bound() == pytest.approx(here.upper_bound(), rel=1e-9)
    assert here.upper_bound() > here.effects["rmsce"].interval.high


def test_effects_that_would_take_too_much_memory_are_named(scan, limit):
    limit(held_numbers=100, two_fold_rows=2000)
    result = cal.calibration_test(scan, method=FAST, rng=5)
    assert result.details["missing_effects"] == ["calibration_loss"]
    assert "not computed from streamed rows: calibration_loss" in result.summary()


@pytest.mark.parametrize("only", [0, 1])
def test_labels_of_one_class_give_the_same_open_interval(tmp_path, limit, only):
    limit(two_fold_rows=100)
    p = np.random.default_rng(0).random((300, 1)) * 0.1
    y, p = np.full(300, only), np.hstack([1 - p, p])
    write(tmp_path, y, p, cuts=(0, 300))
    files = scan_predictions(str(tmp_path), prob="p_*", in_memory=0)
    here = cal.calibration_test(y, p, method=FAST, rng=5)
    assert_same_effects(cal.calibration_test(files, method=FAST, rng=5), here, 1e-6)
