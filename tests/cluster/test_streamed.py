"""Files on a cluster: every task reads its own rows, and the bits are those of threads."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import _native, methods
from calibrant._execution import Limits
from calibrant.io import scan_predictions
from calibrant.models import M2

FAST = methods.Aggregated(39 if _native.active() else 9)

pytest.importorskip("distributed", reason="dask is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # of the cluster's own libraries, when a worker dies or the last one closes
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for k in range(3):
        y, p = M2(n_classes=4).sample(7000, rng=k)
        columns = {f"p_{c}": np.ascontiguousarray(p[:, c]) for c in range(4)}
        pq.write_table(pa.table({"label": y, **columns}), folder / f"{k}.parquet")
    return scan_predictions(str(folder), in_memory=0)


@pytest.fixture(autouse=True)
def small_segments(limit):
    limit(segment_rows=Limits.chunk_rows)


@pytest.mark.parametrize(
    "options",
    [
        {"method": FAST},
        {"method": methods.AsymptoticBlock(), "estimator": cal.SKCE(block_size=2)},
    ],
)
def test_streamed_tests_have_the_bits_of_threads(client, scan, options):
    here = cal.calibration_test(scan, rng=1, **options)
    there = cal.calibration_test(scan, rng=1, executor=client, **options)
    assert there.to_dict() == here.to_dict()


def test_a_killed_worker_and_a_checkpoint_change_nothing(assert_survives, scan):
    assert_survives(scan, rng=1, method=FAST)


def test_a_report_of_streamed_rows_is_the_page_of_threads(client, scan):
    options = {"n_resamples": 39, "rng": 0}
    here, there = cal.Report(scan, **options), cal.Report(scan, executor=client, **options)
    assert there.html() == here.html()
    assert there.tests["model"].n_samples == 21_000
