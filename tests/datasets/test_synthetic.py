import numpy as np
import pytest
from sklearn.cluster import KMeans, SpectralClustering

from consilience.baselines import LocalClustering
from consilience.datasets import blobs, circles
from consilience.metrics import score


@pytest.mark.parametrize("draw", [blobs, circles])
def test_grid_has_the_paper_s_shape(draw):
    grid = draw(random_state=0)
    assert grid.X.shape == (1500, 6)
    assert np.bincount(grid.y).tolist() == [500, 500, 500]
    assert np.bincount(grid.parties).tolist() == [750, 750]
    assert [columns.tolist() for columns in grid.columns] == [[0, 2, 3], [1, 4, 5]]


@pytest.mark.parametrize("draw", [blobs, circles])
def test_minor_features_have_the_paper_s_covariance(draw):
    minor = draw(n_per_cluster=20_000, random_state=0).X[:, 2:]
    expected = np.full((4, 4), 0.01) + 0.09 * np.eye(4)
    # 60,000 rows: a standard error of at most 0.0006.
    assert np.cov(minor.T) == pytest.approx(expected, abs=0.004)


@pytest.mark.parametrize("draw", [blobs, circles])
def test_non_iid_rows_share_one_cluster_and_keep_one_each(draw):
    grid = draw("non-iid", random_state=0)
    held = [np.bincount(grid.y[grid.parties == i], minlength=3).tolist() for i in (0, 1)]
    assert held == [[500, 250, 0], [0, 250, 500]]


@pytest.mark.parametrize("seed", range(3))
def test_pooled_kmeans_finds_the_blobs_and_no_party_does(seed):
    for how, most in (("iid", 0.95), ("non-iid", 0.65)):
        grid = blobs(how, random_state=seed)
        pooled = KMeans(3, n_init=10, random_state=0).fit_predict(grid.X)
        assert score(grid.y, pooled) == (1, 1, 1)
        for columns in grid.columns:
            local = LocalClustering(3, random_state=0).fit(grid.X[:, columns], parties=grid.parties)
            assert all(s.ari < most for s in local.score_parties(grid.y).values())


@pytest.mark.parametrize("seed", range(3))
def test_pooled_spectral_finds_the_rings_and_no_party_does(seed):
    grid = circles(random_state=seed)
    # Three parts have no edge between them: ARPACK may miss one of three equal eigenvalues.
    settings = {"n_neighbors": 10, "eigen_solver": "lobpcg", "random_state": 0}
    model = SpectralClustering(3, affinity="nearest_neighbors", **settings)
    with pytest.warns(UserWarning, match="not fully connected"):
        labels = model.fit_predict(grid.X)
    assert score(grid.y, labels) == (1, 1, 1)
    for columns in grid.columns:
        local = LocalClustering(3, method="spectral", random_state=0)
        local.fit(grid.X[:, columns], parties=grid.parties)
        assert all(s.ari < 0.6 for s in local.score_parties(grid.y).values())


@pytest.mark.parametrize("draw", [blobs, circles])
def test_draws_repeat_by_seed_and_refuse_what_they_do_not_know(draw):
    assert (draw(random_state=1).X == draw(random_state=1).X).all()
    with pytest.raises(ValueError, match="how == 'dirichlet', must be 'iid' or 'non-iid'"):
        draw("dirichlet")
    with pytest.raises(ValueError, match="n_per_cluster == 1, must be >= 2"):
        draw(n_per_cluster=1)
