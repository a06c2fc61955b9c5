import numpy as np
import pytest
from sklearn.datasets import make_blobs

from consilience import compare

X, Y = make_blobs(300, 6, centers=3, cluster_std=2.0, random_state=0)
HOSPITALS = np.arange(300) % 3


def test_pooling_gives_everything_away_and_staying_alone_nothing():
    table = compare(X, HOSPITALS, n_clusters=3, y=Y, methods=["alone"]).table
    assert table.loc["pooled", ["agreement", "rebuilt", "recognised"]].tolist() == [1, 1, 1]
    assert table.loc["alone", ["kilobytes", "rebuilt", "recognised"]].tolist() == [0, 0, 0]


def test_means_give_away_less_than_rows_and_rows_less_than_the_published_rows():
    names = ["summaries, means of 10", "collaboration", "collaboration, as published"]
    table = compare(X, HOSPITALS, n_clusters=3, methods=names).table
    assert table["recognised"][names].is_monotonic_increasing
    assert (table["agreement"] > 0.9).all()
    assert "ARI" not in table


def test_rows_that_left_need_not_be_rebuilt_however_wide():
    wide = np.random.default_rng(0).normal(size=(150, 60))
    table = compare(wide, np.arange(150) % 2, n_clusters=2, methods=["alone"]).table
    assert table.loc["pooled", "rebuilt"] == 1


def test_what_does_not_fit_is_left_out_with_the_reason():
    found = compare(X, columns=[[0, 1, 2], [3, 4, 5]], n_clusters=3, methods=["k-FED", "consensus"])
    assert found.left_out == {
        "k-FED": "it is not for a table of which institutions hold different columns."
    }


def test_what_refuses_is_left_out_with_its_words():
    rows = X[:12]
    found = compare(rows, np.arange(12) % 3, n_clusters=2, methods=["summaries, means of 10"])
    assert "must have >= 10" in found.left_out["summaries, means of 10"]


def test_an_unknown_method_is_refused_with_all_names():
    with pytest.raises(ValueError, match=r"k-fed.*k-FED"):
        compare(X, methods=["k-fed"])


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ValueError, match=r"n_clusters == 9, must be <= 8, the rows .* Lower it"):
        compare(np.arange(16.0).reshape(8, 2), n_clusters=9)


def test_rows_without_a_class_are_counted_before_anything_runs():
    y = np.array(["a", None] * 4, dtype=object)
    with pytest.raises(ValueError, match=r"y has 4 missing values; leave out"):
        compare(np.arange(16.0).reshape(8, 2), n_clusters=2, y=y)
