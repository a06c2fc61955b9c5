import numpy as np
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, Birch
from sklearn.datasets import load_wine
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import scale

from consilience import CollaborationClustering
from consilience.collaboration.clustering import METHODS, cluster
from consilience.engines import engine
from consilience.engines.in_memory import as_rows
from consilience.engines.on_disk import OnDisk

WINE = scale(load_wine().data)
PARTIES = np.arange(len(WINE)) % 3
COLUMNS = [list(range(6)), list(range(6, 13))]
CLUSTERERS = [*METHODS, DBSCAN(eps=2.2), AgglomerativeClustering(3), Birch(n_clusters=3)]


@pytest.mark.parametrize("method", CLUSTERERS, ids=str)
def test_rows_that_were_clustered_keep_their_label(method):
    model = CollaborationClustering(3, method=method, columns=COLUMNS, random_state=0)
    labels = model.fit_predict(WINE, parties=PARTIES)
    np.testing.assert_array_equal(model.predict(WINE, parties=PARTIES), labels)


@pytest.mark.parametrize("method", ["kmeans", "spectral"])
def test_the_nearest_of_the_centres_shown_is_the_label(method):
    partition = cluster(WINE.copy(), method, 3, seed=0)
    shown = partition.shown(as_rows(WINE))
    nearest = pairwise_distances_argmin(shown.part(slice(0, len(WINE))), shown.centers)
    np.testing.assert_array_equal(nearest, partition.labels)


@pytest.mark.parametrize("method", METHODS)
def test_rows_beside_those_clustered_are_told_of_too(method):
    inside = np.arange(len(WINE)) % 4 > 0
    partition = cluster(WINE[inside].copy(), method, 3, seed=0)
    whole = partition.over(as_rows(WINE), inside, as_rows(WINE[inside]))
    np.testing.assert_array_equal(whole.labels[inside], partition.labels)
    np.testing.assert_array_equal(
        whole.labels[~inside], partition.predict(WINE[~inside], WINE[inside])
    )
    shown = whole.shown(as_rows(WINE))
    coordinates = shown.part(slice(0, len(WINE)))
    assert len(coordinates) == len(WINE)
    if method == "spectral":
        nearest = pairwise_distances_argmin(coordinates, shown.centers)
        np.testing.assert_array_equal(nearest, whole.labels)
    if method == "mixture":
        np.testing.assert_array_equal(whole.memberships.argmax(axis=1), whole.labels)


@pytest.mark.parametrize("method", METHODS)
def test_clusters_are_numbered_by_size(method):
    sizes = np.bincount(cluster(WINE.copy(), method, 4, seed=0).labels)
    assert sizes.tolist() == sorted(sizes, reverse=True)


@pytest.mark.parametrize("method", METHODS)
def test_rows_on_disk_are_clustered_as_rows_in_memory(method, tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "BLOCK_BYTES", 500 * 4 * 8)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 4))[rng.integers(5, size=4_000)] * 3 + rng.normal(size=(4_000, 4))
    rows = OnDisk(tmp_path).rows("rows", X.shape, lambda: [X])
    here, there = (cluster(given, method, 3, seed=0) for given in (X.copy(), rows))
    np.testing.assert_array_equal(here.labels, there.labels)
    np.testing.assert_allclose(here.centers, there.centers, rtol=1e-12)
    if method == "mixture":
        np.testing.assert_allclose(here.memberships, there.memberships, atol=1e-9)
