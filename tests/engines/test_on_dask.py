import os
import signal
import time

import numpy as np
import pytest

from consilience import kmeans as module
from consilience.engines import engine
from consilience.engines.on_dask import OnDask, dask_client
from consilience.engines.on_disk import OnDisk
from consilience.exceptions import MissingExtraError, StudyError
from consilience.kmeans import kmeans, lloyd

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    with dask_client(n_workers=2, memory=2**30) as client:
        yield client


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(engine, "BLOCK_BYTES", 1_000 * 4 * 8)
    monkeypatch.setattr(module, "SAMPLED_ABOVE", 10_000)


def rows_of(n_rows=60_000, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, 4))[rng.integers(6, size=n_rows)] * 2 + rng.normal(size=(n_rows, 4))


def slow_sum(block):
    time.sleep(0.05)
    return float(block.sum())


@pytest.mark.usefixtures("small_blocks")
def test_labels_are_those_of_memory_to_the_last_bit(client, tmp_path):
    X = rows_of()
    rows = OnDisk(tmp_path, run=OnDask(client)).rows("rows", X.shape, lambda: [X])
    for here, there in zip(kmeans(X.copy(), 6, 0), kmeans(rows, 6, 0), strict=True):
        np.testing.assert_array_equal(here, there)


@pytest.mark.usefixtures("small_blocks")
def test_a_worker_that_is_killed_costs_no_result(client, tmp_path):
    X = rows_of()
    rows = OnDisk(tmp_path, run=OnDask(client)).rows("rows", X.shape, lambda: [X])
    results = rows.each(slow_sum)
    first = next(results)
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    assert [first, *results] == [slow_sum(X[i : i + 1_000]) for i in range(0, 60_000, 1_000)]
    assert victim not in client.run(os.getpid).values()
    start = X[:6].copy()
    np.testing.assert_array_equal(lloyd(rows, start)[0], lloyd(X, start)[0])


def test_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr("consilience.engines.on_dask.CONNECT_SECONDS", 1)
    with (
        pytest.raises(StudyError, match=r"no Dask scheduler answers at tcp://127.0.0.1:1"),
        dask_client("tcp://127.0.0.1:1"),
    ):
        pass


def test_a_scheduler_that_is_there_is_used(client):
    with dask_client(client.scheduler.address) as other:
        assert len(other.nthreads()) >= 1


def test_without_dask_the_command_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"consilience\[scale\]"), dask_client():
        pass
