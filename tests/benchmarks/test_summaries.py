"""The benchmark of summaries: both halves of the tables, every way, and what is kept."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import summaries


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Put a small table in place of the real ones."""
    rng = np.random.default_rng(0)
    kinds = np.arange(600) % 3
    X = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[kinds] + rng.normal(size=(600, 2))
    table = pd.DataFrame(X, columns=["a", "b"])
    table["label"] = kinds
    pytest.importorskip("pyarrow")
    table.to_parquet(tmp_path / "small.parquet")
    monkeypatch.setenv("CONSILIENCE_DATA", str(tmp_path))
    monkeypatch.setattr(summaries, "RESULTS", tmp_path / "summaries.csv")
    return tmp_path


def test_no_table_both_chooses_and_reports():
    assert not set(summaries.CHOOSING) & set(summaries.REPORTING)
    both = sorted([*summaries.CHOOSING, *summaries.REPORTING])
    assert tuple(both[::2]) == summaries.CHOOSING


def test_every_way_is_measured_against_the_pooled_clusters(made):
    rows = pd.DataFrame(summaries.compare("x", ["small"], summaries.WAYS | summaries.FCAC))
    found = rows.groupby("way")["share"].mean()
    assert set(found.index) == {*summaries.WAYS, *summaries.FCAC}
    assert found["means of 10"] > 0.95
    assert found["summaries"] > found["noise on rows"]
    assert rows["share"].max() <= 1.0


def test_a_part_replaces_what_was_measured_of_it_before(made, monkeypatch):
    monkeypatch.setitem(summaries.PARTS, "speed", lambda: summaries.speed(5_000))
    monkeypatch.setitem(summaries.PARTS, "shadows", lambda: summaries.shadows(8))
    for parts in (["speed"], ["shadows"], ["speed"]):
        summaries.main(parts)
    kept = pd.read_csv(made / "summaries.csv")
    assert kept["what"].value_counts().to_dict() == {"shadows": 5, "speed": 2}


def test_other_ends_of_k_means_are_measured_beside_what_was_found(made):
    rows = pd.DataFrame(summaries.optima("small", 4.0, n_runs=1))
    assert rows["squares"].between(0.99, 1.5).all()
    assert set(rows["way"]) == {
        "summaries",
        "pooled k-means from there",
        "pooled k-means from one start",
    }


def test_mixtures_are_held_against_a_mixture_of_the_pooled_rows(made):
    rows = pd.DataFrame(summaries.mixtures(["small"]))
    assert set(rows["way"]) == {"mixture", "k-means"}
    assert rows["agreement"].max() > 0.9
