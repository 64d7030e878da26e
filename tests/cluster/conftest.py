"""A local Dask cluster of two workers for all tests of this folder, without its log."""

import logging
import os
import signal
import warnings

import pytest

from calibrant import calibration_test


@pytest.fixture(scope="package")
def cluster():
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    import dask

    before = logging.getLogger("distributed").level
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        warnings.catch_warnings(),
        dask.config.set(
            {
                "distributed.logging.distributed": "critical",
                "distributed.scheduler.allowed-failures": 1,
                "distributed.comm.timeouts.connect": "20s",
            }
        ),
    ):
        warnings.simplefilter("ignore")  # of the cluster's own libraries
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as started:
            yield started
    logging.getLogger("distributed").setLevel(before)


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster) as connected:
        connected.wait_for_workers(2, timeout=60)
        yield connected


@pytest.fixture
def assert_survives(client, tmp_path):
    """Kill a worker in the middle of a test with a checkpoint, and resume: nothing changes."""

    def check(scan, **options):
        killed = []

        def kill(done, total):
            if 2 * done >= total and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        here = calibration_test(scan, **options)
        kept = tmp_path / "kept"
        there = calibration_test(scan, executor=client, progress=kill, checkpoint=kept, **options)
        assert killed
        assert there.to_dict() == here.to_dict()
        assert calibration_test(scan, checkpoint=kept, **options).to_dict() == here.to_dict()
        client.wait_for_workers(2, timeout=60)

    return check
