import numpy as np
import pandas as pd
import pytest

from benchmarks.adversary import run, search


@pytest.fixture
def store(monkeypatch, tmp_path):
    """A search of three small pieces in a place of its own, of tables that are all decodable."""
    monkeypatch.setattr(search, "STORE", tmp_path / "search.csv")
    monkeypatch.setattr(run, "RESULTS", tmp_path / "adversary.csv")
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(search, "N_PIECES", 3)
    monkeypatch.setattr(search, "PIECE", 2)
    grades = iter(["red", "red", "red", "red", "red", "green"])
    monkeypatch.setattr(search, "search", lambda n, rng: [(None, 1.0, next(grades))] * n)
    return tmp_path


def test_a_search_goes_on_where_it_was_stopped_and_tells_what_is_green(store):
    assert search.main(["-1"]) == 0
    assert not (store / "search.csv").exists()
    assert search.main([]) == 0
    done = pd.read_csv(store / "search.csv")
    assert done.piece.tolist() == [0, 1, 2]
    assert search.main([]) == 0, "nothing is left to do"
    assert "6 of them decodable by hand" in (store / "page.md").read_text()


def test_green_is_a_failure(store, monkeypatch):
    monkeypatch.setattr(search, "search", lambda n, rng: [(None, 1.0, "green")] * n)
    assert search.main([]) == 1
    assert np.all(pd.read_csv(store / "search.csv").green == 2)
