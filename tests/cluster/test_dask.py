"""The same bits on a real cluster: two workers, one of which may die."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import calibrant as cal
from calibrant import _native, kernels, methods
from calibrant._execution import Checkpoint, computation
from calibrant._execution._parallel import Parallel
from calibrant._execution._shared_run import run_shared
from calibrant.errors import WorkersLost
from calibrant.models import M2

pytest.importorskip("distributed", reason="dask is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # of the cluster's own libraries, when a worker dies or the last one closes
    pytest.mark.filterwarnings("ignore"),
]

SKCE = cal.SKCE(kernels.Laplacian(0.3))
#: rows whose pairs take a second with either core
N = 20_000 if _native.active() else 3_000
#: elementary steps of a bundle, small enough for many of them
SMALL = N * N / 2 * 20 / 100
TILE = None if _native.active() else 128


@pytest.fixture(scope="module")
def predictions():
    return cal.Predictions(*M2(n_classes=10).sample(N, rng=0))


@pytest.fixture(scope="module")
def expected(predictions):
    return SKCE.estimate(predictions, Parallel(2, tile=TILE))


def worker_pid(client):
    return next(iter(client.run(os.getpid).values()))


def test_client_and_its_executor_give_the_bits_of_threads(client, predictions):
    expected = SKCE.estimate(predictions, Parallel(n_jobs=2))
    assert SKCE.estimate(predictions, Parallel(executor=client)) == expected
    assert SKCE.estimate(predictions, Parallel(executor=client.get_executor())) == expected


def test_a_killed_worker_changes_nothing(client, predictions, expected):
    killed = []

    def kill_half_way(done, total):
        if 2 * done >= total and not killed:
            killed.append(worker_pid(client))
            os.kill(killed[0], signal.SIGKILL)

    parallel = Parallel(executor=client, progress=kill_half_way, tile=TILE, bundle=SMALL)
    assert SKCE.estimate(predictions, parallel) == expected
    assert killed


def test_rows_are_not_sent_with_the_tasks(client, predictions, monkeypatch):
    from distributed import Client

    sizes = []
    submit = Client.submit

    def watched(self, function, *args, **kwargs):
        import cloudpickle

        sizes.append(len(cloudpickle.dumps((function, args))))
        return submit(self, function, *args, **kwargs)

    monkeypatch.setattr(Client, "submit", watched)
    SKCE.estimate(predictions, Parallel(executor=client, tile=TILE, bundle=SMALL))
    assert len(sizes) > 10
    assert max(sizes) < 5_000


def test_machines_without_a_common_disk_get_copies(client, predictions, expected, monkeypatch):
    from calibrant._execution import _shared_run as _bundles

    monkeypatch.setattr(_bundles, "seen_by_all", lambda path: False)
    assert SKCE.estimate(predictions, Parallel(executor=client, tile=TILE, bundle=1e9)) == expected


@pytest.mark.parametrize(
    ("n", "n_classes", "options"),
    [
        (600, 4, {}),  # all pairs
        (5000, 4, {}),  # random features
        (300, 3, {"estimator": cal.SKCE(), "method": methods.Exact(99)}),
        (500, 3, {"method": methods.Moments()}),
        (300, 3, {"method": methods.Asymptotic(99)}),
        (400, 3, {"method": methods.DistributionFree()}),
        (900, 2, {}),  # on a line
        (300, 3, {"estimator": cal.ECE(), "method": methods.Consistency(99)}),
    ],
)
def test_whole_tests_have_the_same_result(client, n, n_classes, options):
    data = M2(n_classes=n_classes).sample(n, rng=1)
    options = {"method": methods.Aggregated(99 if _native.active() else 9)} | options
    here = cal.calibration_test(*data, rng=3, **options)
    there = cal.calibration_test(*data, rng=3, executor=client, **options)
    assert there.to_dict() == here.to_dict()


def poison(data, task):
    if task == 3:
        os._exit(1)
    return float(task)


def test_a_poisoned_task_ends_with_advice(client, tmp_path):
    kept_in = tmp_path / "kept"
    with (
        Checkpoint(kept_in, computation()) as kept,
        pytest.raises(WorkersLost, match=r"killed every worker .* memory ran out.* in .*kept: run"),
    ):
        list(run_shared(poison, None, range(6), Parallel(executor=client, checkpoint=kept)))
    client.wait_for_workers(2, timeout=60)


CLIENT = """
import sys
from pathlib import Path
import calibrant as cal
from calibrant import kernels
from calibrant._execution import Checkpoint, computation
from calibrant._execution._parallel import Parallel
from calibrant.models import M2

def main(address, kept_in, bundle, n, tile):
    from distributed import Client
    predictions = cal.Predictions(*M2(n_classes=10).sample(int(n), rng=0))
    with Client(address) as client, Checkpoint(kept_in, computation()) as kept:
        def told(done, total):
            if 2 * done >= total:
                Path(kept_in + ".half").touch()
        tile = None if tile == "None" else int(tile)
        parallel = Parallel(None, client, told, kept, tile=tile, bundle=float(bundle))
        cal.SKCE(kernels.Laplacian(0.3)).estimate(predictions, parallel)

main(*sys.argv[1:])
"""


def test_a_killed_client_loses_little(cluster, client, predictions, expected, tmp_path):
    kept_in, half = tmp_path / "kept", tmp_path / "kept.half"
    arguments = [cluster.scheduler_address, str(kept_in), str(SMALL), str(N), str(TILE)]
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, *arguments], env=environment(), stderr=subprocess.PIPE
    ) as other:
        deadline = time.monotonic() + 90
        while not half.exists():
            assert other.poll() is None, other.stderr.read().decode()
            assert time.monotonic() < deadline
            time.sleep(0.005)
        other.kill()
    calls = []
    with Checkpoint(kept_in, computation()) as kept:
        parallel = Parallel(None, client, lambda *c: calls.append(c), kept, tile=TILE, bundle=SMALL)
        assert SKCE.estimate(predictions, parallel) == expected
    first, total = calls[0]
    assert first >= 0.45 * total  # what was done is not done again


def environment():
    source = Path(cal.__file__).parents[1]
    path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def test_the_command_line_starts_a_cluster_of_its_own(tmp_path):
    data = tmp_path / "rows.npz"
    y_true, y_prob = M2(n_classes=4).sample(800, rng=0)
    np.savez(data, y_true=y_true, y_prob=y_prob)
    command = [sys.executable, "-m", "calibrant", "test", str(data), "--resamples", "99"]

    def run(*options):
        return subprocess.run(
            [*command, *options, "--json", "-"], env=environment(), capture_output=True, check=False
        )

    here, there = run(), run("--engine", "dask", "--jobs", "2")
    assert there.returncode == 0, there.stderr.decode()
    assert there.stdout == here.stdout
    assert b"distributed" not in there.stderr
    assert there.stderr == b"" or b"testing" in there.stderr
