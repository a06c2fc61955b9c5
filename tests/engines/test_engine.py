import numpy as np
import pytest

from consilience.engines.engine import BLOCK_BYTES, block_slices
from consilience.engines.in_memory import InMemory
from consilience.engines.on_disk import OnDisk


def sizes_of(block, part=None):
    return len(block) if part is None else (len(block), float((block[:, 0] * part).sum()))


@pytest.fixture(params=["memory", "disk"])
def engine(request, tmp_path):
    return InMemory() if request.param == "memory" else OnDisk(tmp_path / "spill")


def test_blocks_cover_all_rows_once_and_depend_on_the_width_alone():
    slices = list(block_slices((100_003, 300)))
    assert [s.start for s in slices] == [0, *(s.stop for s in slices[:-1])]
    assert slices[-1].stop == 100_003
    assert {s.stop - s.start for s in slices[:-1]} == {BLOCK_BYTES // 2400}
    assert list(block_slices((0, 4))) == []


def test_rows_are_what_was_put_there(engine):
    X = np.random.default_rng(0).normal(size=(70_000, 16))
    rows = engine.rows("rows", X.shape, lambda: np.array_split(X, 9))
    assert rows.shape == X.shape
    assert len(rows) == len(X)
    np.testing.assert_array_equal(rows.whole(), X)
    places = np.array([0, 3, 69_999])
    np.testing.assert_array_equal(rows.take(places), X[places])
    rows.take(places)[:] = 0
    np.testing.assert_array_equal(rows.take(places), X[places])


def test_steps_come_in_order_with_what_stands_beside(engine):
    X, beside = np.ones((70_000, 16)), np.arange(70_000)
    rows = engine.rows("rows", X.shape, lambda: [X])
    assert list(rows.each(sizes_of)) == [65_536, 4_464]
    found = list(rows.each(sizes_of, beside=beside))
    assert found == [(65_536, beside[:65_536].sum()), (4_464, beside[65_536:].sum())]


def test_arrays_are_kept_as_they_came(engine):
    parts = [{"a": np.arange(3), "b": np.ones((3, 2), dtype=np.int8)}, {"a": [9], "b": [[4, 5]]}]
    parts = [
        {name: np.array(value, kinds[name]) for name, value in part.items()}
        for kinds in [{"a": np.int64, "b": np.int8}]
        for part in parts
    ]
    kept = engine.keep("parts", lambda: parts)
    assert kept["a"].tolist() == [0, 1, 2, 9]
    assert kept["b"].tolist() == [[1, 1]] * 3 + [[4, 5]]
    assert kept["b"].dtype == np.int8


@pytest.mark.parametrize("n_clusters", [3, 127, 128, 70_000])
def test_labels_hold_every_cluster_and_none(engine, n_clusters):
    labels = engine.labels(4, n_clusters)
    assert labels.tolist() == [-1] * 4
    labels[1] = n_clusters - 1
    assert labels[1] == n_clusters - 1
    assert engine.labels(0, 3).shape == (0,)
    assert engine.blank((2, 3)).tolist() == [[0.0] * 3] * 2


def test_who_waits_hears_how_far_a_step_is(tmp_path):
    heard = []
    for engine in (
        InMemory(lambda *a: heard.append(a)),
        OnDisk(tmp_path, tell=lambda *a: heard.append(a)),
    ):
        rows = engine.rows("rows", (70_000, 16), lambda: [np.zeros((70_000, 16))])
        list(rows.each(sizes_of, doing="counting"))
        list(rows.each(sizes_of))
    assert heard == [("counting", 1, 2), ("counting", 2, 2)] * 2
