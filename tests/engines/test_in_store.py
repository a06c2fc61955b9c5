"""Rows in a store are the rows of an array: by fsspec's memory, and by a real server of S3."""

import os
import signal
import time

import numpy as np
import pytest

from buckets import run_buckets
from consilience import kmeans as module
from consilience.engines import engine
from consilience.engines.in_store import InStore, empty_store
from consilience.engines.on_dask import OnDask, dask_client
from consilience.exceptions import MissingExtraError, StudyError
from consilience.kmeans import kmeans

pytest.importorskip("fsspec")
AT = "memory://spill/of-tests"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(engine, "BLOCK_BYTES", 1_000 * 4 * 8)
    monkeypatch.setattr(module, "SAMPLED_ABOVE", 10_000)


@pytest.fixture
def buckets(monkeypatch):
    with run_buckets(monkeypatch) as client:
        yield client


def rows_of(n_rows=20_000):
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, 4))[rng.integers(6, size=n_rows)] * 2 + rng.normal(size=(n_rows, 4))


def parts_of(X):
    """Cut rows otherwise than blocks are."""
    return lambda: np.split(X, [0, 300, 2_700, 2_701])


def names_in(client):
    return [found["Key"] for found in client.list_objects_v2(Bucket="study").get("Contents", [])]


def test_rows_come_back_as_they_were(tmp_path):
    X = rows_of(4_321)
    rows = InStore(tmp_path, AT).rows("rows", X.shape, parts_of(X))
    assert len(rows) == 4_321
    np.testing.assert_array_equal(rows.whole(), X)
    places = np.array([0, 7, 999, 1_000, 4_320])
    np.testing.assert_array_equal(rows.take(places), X[places])
    assert rows.take(places[:0]).shape == (0, 4)
    assert [len(block) for block in rows.each(np.array)] == [1_000] * 4 + [321]
    empty_store(AT)
    with pytest.raises(StudyError, match=r"cannot lie at memory://spill/of-tests"):
        rows.whole()


def test_what_is_written_is_not_written_again(tmp_path):
    X, made = rows_of(3_000), []

    def parts():
        made.append(1)
        return [X]

    for _ in range(2):
        rows = InStore(tmp_path, AT).rows("rows", X.shape, parts)
    assert made == [1]
    np.testing.assert_array_equal(rows.whole(), X)
    empty_store(AT)


def test_labels_are_those_of_memory_to_the_last_bit(tmp_path, buckets):
    X = rows_of()
    rows = InStore(tmp_path, "s3://study/spill").rows("rows", X.shape, parts_of(X))
    assert len(names_in(buckets)) == 20
    assert not any(path.stat().st_size > 1_000 for path in tmp_path.iterdir())
    for here, there in zip(kmeans(X.copy(), 6, 0), kmeans(rows, 6, 0), strict=True):
        np.testing.assert_array_equal(here, there)
    empty_store("s3://study/spill")
    assert names_in(buckets) == []


def slow_sum(block):
    time.sleep(0.05)
    return float(block.sum())


def test_workers_read_the_store_themselves_and_one_may_be_killed(tmp_path, buckets):
    pytest.importorskip("distributed")
    X = rows_of()
    with dask_client(n_workers=2, memory=2**30) as client:
        there = InStore(tmp_path, "s3://study/spill", run=OnDask(client))
        rows = there.rows("rows", X.shape, parts_of(X))
        results = rows.each(slow_sum)
        first = next(results)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        assert [first, *results] == [float(X[i : i + 1_000].sum()) for i in range(0, 20_000, 1_000)]
        np.testing.assert_array_equal(kmeans(rows, 6, 0)[0], kmeans(X.copy(), 6, 0)[0])
    empty_store("s3://study/spill")


def test_a_store_that_cannot_be_used_is_named_without_its_password(tmp_path):
    X = rows_of(10)
    engine = InStore(tmp_path, "nowhere://me:secret@host/path")
    with pytest.raises(StudyError, match=r"cannot lie at nowhere://host/path") as told:
        engine.rows("rows", X.shape, lambda: [X])
    assert "secret" not in str(told.value)


def test_without_fsspec_the_command_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"consilience\[store\]"):
        empty_store(AT)
