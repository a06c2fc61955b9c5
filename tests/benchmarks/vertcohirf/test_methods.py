import numpy as np
import pytest

from benchmarks.vertcohirf import methods
from benchmarks.vertcohirf.methods import METHODS, MISREAD, RoundedDBSCAN, each_its_own, scripted

Y = np.repeat([0, 1, 2], 15)
CENTRES = 20 * np.random.default_rng(0).normal(size=(3, 6))[Y]
X = CENTRES + np.random.default_rng(1).normal(size=(45, 6))
VIEWS = [np.arange(3), np.arange(3, 6)]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_the_ends_of_its_space_and_labels_every_row(name):
    for end in (0, 1):
        parameters = {key: ends[end] for key, ends in METHODS[name].space.items()}
        for labels in METHODS[name].fit(parameters, X, VIEWS, 0):
            assert labels.shape == Y.shape


def test_with_three_peers_the_published_grid_gives_rows_the_centres_of_other_cells():
    views = [np.arange(2), np.arange(2, 4), np.arange(4, 6)]
    (right, *_), (wrong,) = (
        METHODS[name].fit({"n_clusters": 4}, X, views, 0) for name in ("Distr.KMeans", MISREAD)
    )
    assert not np.array_equal(right, wrong)


def test_dbscan_rounds_what_is_too_large_and_refuses_what_stays_so(monkeypatch):
    base = RoundedDBSCAN(eps=1.0, min_samples=2)
    exact = base.fit_predict(CENTRES)
    monkeypatch.setattr(methods, "MAX_EXACT", 2)
    np.testing.assert_array_equal(base.fit_predict(CENTRES), exact)
    monkeypatch.setattr(methods, "MAX_ROUNDED", 2)
    with pytest.raises(MemoryError, match="3 distinct rows"):
        base.fit_predict(CENTRES)


def test_the_scripts_search_fewer_groups_and_columns_and_nothing_else():
    method = METHODS["VertCoHiRF*(KK)"]
    narrow = scripted(method).space
    assert narrow["n_clusters"] == (2, 5)
    assert narrow["feature_fraction"] == (0.1, 0.6)
    assert {k: narrow[k] for k in ("gamma", "n_repeats")} == {
        k: method.space[k] for k in ("gamma", "n_repeats")
    }


def test_peers_with_settings_of_their_own_may_have_the_same():
    shared = {"n_clusters": 3, "n_repeats": 2, "feature_fraction": 0.9}
    method = METHODS["VertCoHiRF(k-means)"]
    own = each_its_own(method, len(VIEWS))
    assert len(own.space) == len(VIEWS) * len(method.space)
    settings = {f"{name}, peer {k}": v for name, v in shared.items() for k in range(len(VIEWS))}
    (together,), (alike,) = (
        method.fit(shared, X, VIEWS, 0),
        own.fit(settings, X, VIEWS, 0),
    )
    np.testing.assert_array_equal(together, alike)
