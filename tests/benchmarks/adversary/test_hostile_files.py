"""Files built to be costly are refused or read at a price in proportion to their length."""

import pytest

from benchmarks.adversary import hostile_files, readers


@pytest.mark.parametrize("name", hostile_files.HOSTILE_FILES)
def test_a_hostile_file_costs_in_proportion_to_its_length(name):
    assert not readers.costs_too_much(name)


def test_what_is_paid_is_measured(monkeypatch):
    def make(scene, size):
        scene.file.write_bytes(bytes(10))
        return lambda: bytearray(200 * 2**20 * size).count(1)

    monkeypatch.setitem(hostile_files.HOSTILE_FILES, "a bomb", make)
    cost = hostile_files.read_hostile("a bomb", 1)
    assert cost.size == 10
    assert cost.memory > 190 * 2**20
    assert cost.refused_or_read


def test_an_error_that_is_not_ours_is_told(monkeypatch):
    def make(scene, size):
        scene.file.touch()
        return {}.popitem

    monkeypatch.setitem(hostile_files.HOSTILE_FILES, "an error", make)
    assert not hostile_files.read_hostile("an error", 1).refused_or_read
