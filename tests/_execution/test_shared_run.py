import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from calibrant import SKCE, Predictions, kernels
from calibrant._execution import Checkpoint, computation
from calibrant._execution._parallel import Parallel
from calibrant._execution._shared_memory import spilled
from calibrant._execution._shared_run import MOST_BUNDLES, bundles, run_shared
from calibrant.errors import WorkersLost
from calibrant.models import M2

SMALL = 2e5  # elementary steps of a bundle: several of them for a few hundred rows


@dataclass(frozen=True, eq=False)
class Data:
    x: np.ndarray
    name: str


def part(data, rows):
    return float(data.x[rows].sum())


def die(data, rows):
    os._exit(1)


def refuse(data, rows):
    raise ValueError(f"row {rows.start}")


@pytest.fixture(scope="module")
def processes():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        yield pool


@pytest.fixture(scope="module")
def predictions():
    return Predictions(*M2(n_classes=5).sample(700, rng=0))


def test_bundles_cover_all_tasks_in_order():
    for n_tasks, work in ((1, 1e3), (10, 1e12), (100, 3e10), (10**5, 1e15), (7, 0.0)):
        parts = bundles(n_tasks, work)
        assert [i for part in parts for i in range(n_tasks)[part]] == list(range(n_tasks))
        assert len(parts) <= MOST_BUNDLES
    assert len(bundles(100, 3e10)) == 3  # each is at least the work of one
    assert len(bundles(100, float("inf"))) == 100


def test_a_shared_object_is_mapped_once_and_read_only(tmp_path):
    x = np.arange(6.0).reshape(3, 2)
    with spilled({"x": x, "more": [x[0], "text"], "empty": np.empty((0, 4))}) as there:
        thing = there.load()
        assert there.load() is thing
        np.testing.assert_array_equal(thing["x"], x)
        assert thing["empty"].shape == (0, 4)
        assert thing["more"][1] == "text"
        assert not thing["x"].flags.writeable
        assert thing["x"].ctypes.data % 64 == 0
    assert not Path(there.path).exists()


def test_a_file_that_a_worker_does_not_see_is_explained():
    with spilled(1) as there:
        pass
    with pytest.raises(RuntimeError, match=r"a worker cannot find .* Set .*TMPDIR to a folder"):
        there.load()


def test_every_engine_gives_the_same_records(processes, tmp_path):
    data = Data(np.random.default_rng(0).random(1000), "rows")
    tasks = [slice(i, i + 10) for i in range(0, 1000, 10)]
    expected = [part(data, task) for task in tasks]
    with ThreadPoolExecutor(3) as threads, Checkpoint(tmp_path / "kept", {}) as kept:
        for how in (
            Parallel(1),
            Parallel(2),
            Parallel(executor=threads, bundle=7),
            Parallel(executor=processes, bundle=7),
            Parallel(2, checkpoint=kept, bundle=7),
        ):
            assert list(run_shared(part, data, tasks, how, work=100)) == expected


@pytest.mark.parametrize("unbiased", [True, False])
def test_the_skce_has_the_same_bits_on_processes(processes, predictions, unbiased, core):
    skce = SKCE(kernels.Laplacian(0.3) + 0.5 * kernels.Gaussian(0.4), unbiased=unbiased)
    one = skce.estimate(predictions, Parallel(n_jobs=1))
    assert skce.estimate(predictions, Parallel(executor=processes)) == one


def test_functions_of_a_session_travel_to_processes(processes, predictions):
    pytest.importorskip("cloudpickle")
    skce = SKCE(kernels.FunctionKernel(lambda p, q: p @ q.T, sup=1.0))
    assert skce.estimate(predictions, Parallel(executor=processes)) == skce.estimate(predictions)


def test_an_error_in_a_task_arrives_as_it_is(processes):
    tasks = [slice(i, i + 1) for i in range(5)]
    with pytest.raises(ValueError, match=r"row \d"):
        list(run_shared(refuse, Data(np.ones(5), ""), tasks, Parallel(executor=processes)))


def test_a_dead_process_is_explained():
    context = multiprocessing.get_context("spawn")
    tasks = [slice(i, i + 1) for i in range(3)]
    with (
        ProcessPoolExecutor(1, mp_context=context) as pool,
        pytest.raises(WorkersLost, match=r"died .* more memory, start fewer .* Pass a checkpoint"),
    ):
        list(run_shared(die, Data(np.ones(5), ""), tasks, Parallel(executor=pool)))


class Interrupted(Exception):  # noqa: N818
    pass


def stop_at(share):
    def told(done, total):
        if done >= share * total:
            raise Interrupted

    return told


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_computation_goes_on_where_it_was(predictions, tmp_path, n_jobs):
    skce, path = SKCE(), tmp_path / "kept"
    expected = skce.estimate(predictions)

    def parallel(checkpoint, progress):
        return Parallel(n_jobs, None, progress, checkpoint, tile=32, bundle=SMALL)

    calls = []
    with Checkpoint(path, computation()) as kept, pytest.raises(Interrupted):
        skce.estimate(predictions, parallel(kept, stop_at(0.5)))
    with Checkpoint(path, computation()) as kept:
        n_kept = len(kept)
        assert n_kept > 2
        again = skce.estimate(predictions, parallel(kept, lambda *call: calls.append(call)))
    assert again == pytest.approx(expected, rel=1e-12)
    assert again == skce.estimate(predictions, Parallel(1, tile=32))
    first, total = calls[0]
    assert first >= 0.5 * total  # it began with what was kept
    assert calls[-1] == (total, total)


def test_a_checkpoint_given_by_its_path_belongs_to_the_data(predictions, tmp_path):
    path, skce = tmp_path / "kept", SKCE(kernels.Laplacian(0.3))
    one = skce.estimate(predictions, Parallel(checkpoint=path))
    assert one == skce.estimate(predictions)
    assert one == skce.estimate(predictions, Parallel(checkpoint=path))
    with pytest.raises(RuntimeError, match="belongs to another computation: estimator is"):
        SKCE(kernels.Laplacian(0.4)).estimate(predictions, Parallel(checkpoint=path))
    with pytest.raises(RuntimeError, match="belongs to another computation: input is"):
        skce.estimate(predictions.take(slice(0, 600)), Parallel(checkpoint=path))


def test_label_sets_are_resumed_too(predictions, tmp_path):
    path, skce = tmp_path / "kept", SKCE(kernels.Laplacian(0.3))
    labels = np.stack([predictions.y_true, predictions.y_true[::-1]])
    one = skce.over_labels(predictions, labels, Parallel(checkpoint=path))
    np.testing.assert_array_equal(one, skce.over_labels(predictions, labels))
    with pytest.raises(RuntimeError, match="belongs to another computation: input is"):
        skce.over_labels(predictions, labels[:1], Parallel(checkpoint=path))


def test_a_checkpoint_must_be_open_where_tasks_run(predictions, tmp_path):
    with pytest.raises(TypeError, match="a checkpoint must be opened before work is shared"):
        list(run_shared(refuse, None, [slice(0, 1)], Parallel(checkpoint=tmp_path / "kept")))


def test_what_cannot_take_tasks_is_refused(predictions):
    with pytest.raises(ValueError, match=r"`executor` must be a concurrent.futures.Executor or a"):
        SKCE().estimate(predictions, Parallel(executor="dask"))
