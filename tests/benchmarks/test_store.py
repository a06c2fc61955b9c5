"""The store: nothing is measured twice, whatever was killed, and two processes share the work."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from rich.progress import Progress

from benchmarks import store

CELL = ("Table 1", "iris", "iid", "pooled", "ARI")


def collect(parts, folder):
    with Progress(disable=True) as progress:
        return store.collect("example", parts, folder, progress)


def values(*numbers):
    return [(CELL, number) for number in numbers]


def refuse():
    raise AssertionError("measured twice")


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    with pytest.raises(ZeroDivisionError):
        collect({"a": partial(values, 0.1, float("nan")), "b": lambda: 1 / 0}, tmp_path)
    with (tmp_path / "benchmarks" / "parts" / "example.jsonl").open("a") as file:
        file.write('["c, code')  # the machine went down here
    found = collect({"b": partial(values, 3), "a": refuse}, tmp_path)
    assert list(found) == ["b", "a"]
    assert found["b"] == [(CELL, 3.0)]
    assert found["a"][0] == (CELL, 0.1)
    assert collect({"b": refuse}, tmp_path)["b"] == [(CELL, 3.0)]


def test_measurements_of_other_code_are_not_taken_over(tmp_path, monkeypatch):
    collect({"a": partial(values, 1)}, tmp_path)
    monkeypatch.setattr(store, "code_digest", lambda module: "another version")
    assert collect({"a": partial(values, 2)}, tmp_path)["a"] == [(CELL, 2.0)]


def slowly(folder, part):
    with (folder / "log").open("a") as log:
        log.write(f"{part}\n")
    time.sleep(0.05)
    return values(part)


def shared(folder, n_parts=20):
    return collect({str(k): partial(slowly, folder, k) for k in range(n_parts)}, folder)


@pytest.fixture
def other(tmp_path):
    """Start a process that works on the same store, and return it once it is at its first part."""
    root = Path(__file__).parents[2]
    paths = map(str, (root / "src", root, Path(__file__).parent))
    script = f"import test_store, pathlib; test_store.shared(pathlib.Path({str(tmp_path)!r}))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    )
    while not (tmp_path / "log").exists() and process.poll() is None:
        time.sleep(0.01)
    yield process
    process.kill()
    process.wait()


def parts_begun(folder):
    return sorted(map(int, (folder / "log").read_text().split()))


def test_two_processes_measure_each_part_once_and_both_know_all(tmp_path, other):
    found = shared(tmp_path)
    assert [found[str(k)] for k in range(20)] == [values(float(k)) for k in range(20)]
    assert other.wait() == 0
    assert parts_begun(tmp_path) == list(range(20))


def test_a_part_whose_process_is_killed_is_measured_by_another(tmp_path, other):
    other.kill()
    other.wait()
    assert len(shared(tmp_path)) == 20
    assert parts_begun(tmp_path).count(0) == 2
