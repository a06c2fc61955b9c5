import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from consilience.baselines import HernandezPereiraSpectral, LocalClustering
from consilience.datasets import split_rows
from consilience.metrics import agreement, score


def test_two_groups_with_a_bridge_are_found_across_parties():
    # Two dense groups and a few rows between them: a connected graph, so that the second
    # eigenvector tells the groups apart at either party, up to its sign.
    group = np.linspace(0, 1, 10)
    X = np.concatenate([group, [2.0, 3.0], group + 4])[:, None]
    X = np.concatenate([X, X + 0.01])
    y = np.tile([0] * 11 + [1] * 11, 2)
    parties = np.repeat(["a", "b"], 22)
    model = HernandezPereiraSpectral(2, n_neighbors=5, random_state=0)
    assert score(y, model.fit_predict(X, parties=parties)).acc >= 0.95


def test_signs_follow_the_row_shown():
    X = load_iris().data
    model = HernandezPereiraSpectral(3, random_state=0)
    parties = split_rows(150, 4, random_state=0)
    tables = [X[parties == i] for i in range(4)]
    shown = np.random.RandomState(0).randint(len(tables[0]))
    first, *others = model._embed(tables, np.random.RandomState(0))
    for table, embedding in zip(tables[1:], others, strict=True):
        together = model._embed_alone(np.vstack([table, tables[0][shown]]))
        turn = np.sign(embedding / np.where(together[:-1] == 0, 1, together[:-1]))
        turned = together[-1] * np.median(turn, axis=0)
        assert (turned * first[shown] >= 0).all()


def test_one_party_is_pooled_spectral_clustering():
    X, y = load_iris(return_X_y=True)
    labels = HernandezPereiraSpectral(3, random_state=0).fit_predict(X)
    pooled = LocalClustering(3, method="spectral", random_state=0).fit_predict(X)
    assert agreement(labels, pooled) > 0.8
    assert score(y, labels).ari > 0.6


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 12), st.integers(1, 6))
def test_parties_of_any_size_are_served(seed, n_parties, n_clusters):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(20, 2)).astype(float)
    model = HernandezPereiraSpectral(n_clusters, random_state=seed)
    labels = model.fit_predict(X, parties=rng.integers(n_parties, size=20))
    assert labels.shape == (20,)
    assert sorted(np.unique(labels)) == list(range(model.n_clusters_))
    assert model.n_clusters_ <= n_clusters


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ValueError, match="n_clusters == 8, must be <= 4, the number of rows"):
        HernandezPereiraSpectral().fit(np.arange(4.0).reshape(-1, 1))
