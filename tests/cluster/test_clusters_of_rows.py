"""Rows in clusters and ordered classes on workers: the bits of threads, and of a resumed run."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import _native, methods
from calibrant._execution import Limits
from calibrant.io import scan_predictions
from calibrant.models import TemperatureModel

FAST = methods.Aggregated(39 if _native.active() else 9)
SETS = methods.Exact(39 if _native.active() else 9)

pytest.importorskip("distributed", reason="dask is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # of the cluster's own libraries, when a worker dies or the last one closes
    pytest.mark.filterwarnings("ignore"),
]
N = 9000


@pytest.fixture(scope="module")
def index():
    return np.random.default_rng(1).permutation(np.repeat(np.arange(N // 3), 3))


@pytest.fixture(scope="module")
def rows(index):
    y, p = TemperatureModel(0.7, 4, temperature=1.2).sample(N // 3, rng=0)
    return cal.Predictions(y[index], p[index], clusters=index, ordered=True)


@pytest.fixture(scope="module")
def scan(tmp_path_factory, rows, index):
    folder = tmp_path_factory.mktemp("parts")
    for k, part in enumerate(np.array_split(np.arange(N), 3)):
        columns = {f"p_{c}": np.ascontiguousarray(rows.y_prob[part, c]) for c in range(4)}
        who = index[part] if k else index[part].astype(str)  # numbers and texts
        pq.write_table(
            pa.table({"label": rows.y_true[part], "who": who, **columns}), folder / f"{k}.parquet"
        )
    return scan_predictions(str(folder), cluster="who", ordered=True, in_memory=0)


@pytest.fixture(autouse=True)
def small_segments(limit):
    limit(segment_rows=Limits.chunk_rows)


@pytest.mark.parametrize(
    "options",
    [
        {"method": FAST},
        {"method": SETS, "estimator": cal.ECE()},
        {"method": methods.BetweenClusters(39)},
    ],
)
def test_rows_in_memory_have_the_bits_of_threads(client, rows, options):
    some = rows.take(slice(0, 3000))
    here = cal.calibration_test(some, rng=1, **options)
    there = cal.calibration_test(some, rng=1, executor=client, **options)
    assert there.to_dict() == here.to_dict()
    assert here.details["clusters"]["n_clusters"] > 1000


def test_streamed_rows_have_the_bits_of_threads(client, scan):
    here = cal.calibration_test(scan, rng=1, method=FAST)
    there = cal.calibration_test(scan, rng=1, method=FAST, executor=client)
    assert there.to_dict() == here.to_dict()
    assert here.details["clusters"]["null"] == "coupled labels"
    assert {"ranked", "grades", "reach"} < set(here.details["components"])
    assert here.effects["rps"].interval.is_known


def test_streamed_rows_have_the_bits_of_those_in_memory(rows, scan):
    here = cal.calibration_test(rows, rng=1, method=FAST, effects=False)
    there = cal.calibration_test(scan, rng=1, method=FAST)
    assert there.pvalue == here.pvalue
    assert there.details["components"] == here.details["components"]
    ours, theirs = there.effects["rps"], cal.effects.rps(rows)
    one, other = (
        (found.estimate, found.interval.low, found.interval.high) for found in (ours, theirs)
    )
    np.testing.assert_allclose(one, other, rtol=1e-9)


def test_a_killed_worker_and_a_checkpoint_change_nothing(assert_survives, scan):
    assert_survives(scan, rng=1, method=FAST)


def test_an_interrupted_run_resumes_with_the_same_bits(scan, tmp_path):
    class StoppedError(Exception):
        pass

    def stop(done, total):
        if 2 * done >= total:
            raise StoppedError

    here = cal.calibration_test(scan, rng=1, method=FAST)
    options = {"rng": 1, "method": FAST, "checkpoint": tmp_path / "kept"}
    with pytest.raises(StoppedError):
        cal.calibration_test(scan, progress=stop, **options)
    assert cal.calibration_test(scan, **options).to_dict() == here.to_dict()
    unordered = scan_predictions(scan.files, cluster="who", in_memory=0)
    with pytest.raises(cal.errors.CheckpointError):
        cal.calibration_test(unordered, **options)
