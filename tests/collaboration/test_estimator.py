import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score

from consilience import CollaborationClustering
from consilience.datasets import blobs, circles

IRIS = load_iris()
WINE = load_wine()
HALVES = [[0, 1], [2, 3]]


@pytest.mark.parametrize("how", ["iid", "non-iid"])
@pytest.mark.parametrize(("make", "method"), [(blobs, "kmeans"), (circles, "spectral")])
def test_table_2_of_the_paper_is_perfect(make, method, how):
    grid = make(how, random_state=0)
    model = CollaborationClustering(3, method=method, columns=grid.columns, random_state=0)
    labels = model.fit_predict(grid.X, parties=grid.parties)
    assert adjusted_rand_score(grid.y, labels) == 1.0


@pytest.mark.parametrize("anchor", ["gaussian", "uniform"])
def test_wine_in_ten_parts_is_clustered_as_if_pooled(anchor):
    X = WINE.data
    pooled = KMeans(3, n_init=10, random_state=0).fit_predict(X)
    columns = [list(range(6)), list(range(6, 13))]
    model = CollaborationClustering(
        3, columns=columns, anchor=anchor, random_state=0, rounding=None
    )
    labels = model.fit_predict(X, parties=np.arange(len(X)) % 5)
    assert adjusted_rand_score(pooled, labels) == 1.0
    rounded = model.set_params(rounding=1 / 64).fit_predict(X, parties=np.arange(len(X)) % 5)
    assert adjusted_rand_score(pooled, rounded) > 0.97


@pytest.mark.parametrize("anchor", ["gaussian", "uniform"])
@pytest.mark.parametrize("target", ["population", "scaled"])
def test_coarse_steps_of_wide_columns_do_not_drown_narrow_ones(anchor, target):
    X = load_breast_cancer().data
    pooled = KMeans(2, n_init=10, random_state=0).fit_predict(X)
    columns = [list(range(15)), list(range(15, 30))]
    for seed in range(3):
        model = CollaborationClustering(
            2, columns=columns, anchor=anchor, target=target, random_state=seed
        )
        labels = model.fit_predict(X, parties=np.arange(len(X)) % 5)
        assert adjusted_rand_score(pooled, labels) > 0.99


def test_predict_agrees_with_fit_on_the_same_rows():
    parties = np.arange(150) % 3
    model = CollaborationClustering(3, columns=HALVES, random_state=0)
    labels = model.fit_predict(IRIS.data, parties=parties)
    np.testing.assert_array_equal(model.predict(IRIS.data, parties=parties), labels)
    some = np.array([140, 3, 77])
    np.testing.assert_array_equal(
        model.predict(IRIS.data[some], parties=parties[some]), labels[some]
    )


def test_predict_for_spectral_and_for_a_clusterer_without_predict():
    grid = circles(random_state=0)
    for method in ("spectral", DBSCAN(eps=1.5)):
        model = CollaborationClustering(3, method=method, columns=grid.columns, random_state=0)
        model.fit(grid.X[::2], parties=grid.parties[::2])
        labels = model.predict(grid.X[1::2], parties=grid.parties[1::2])
        assert adjusted_rand_score(grid.y[1::2], labels) > 0.99


def test_columns_by_name_are_columns_by_index():
    frame = pd.DataFrame(IRIS.data, columns=["a", "b", "c", "d"])
    by_name = CollaborationClustering(3, columns=[["d", "b"], ["a", "c"]], random_state=0)
    by_index = CollaborationClustering(3, columns=[[3, 1], [0, 2]], random_state=0)
    np.testing.assert_array_equal(by_name.fit(frame).labels_, by_index.fit(IRIS.data).labels_)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**31 - 1))
def test_order_of_rows_and_names_of_parties_change_nothing_but_order(seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(150)
    parties = np.arange(150) % 3
    names = np.array(["zebra", "ant", "mole"])
    plain = CollaborationClustering(3, columns=HALVES, random_state=0)
    plain.fit(IRIS.data, parties=parties)
    mixed = CollaborationClustering(3, columns=HALVES, random_state=0)
    mixed.fit(IRIS.data[order], parties=names[parties[order]])
    np.testing.assert_allclose(mixed.representation_, plain.representation_[order], atol=1e-7)
    # Labels need not agree: k-means draws its starts by the order of the rows.


def test_auto_number_of_clusters_is_found_and_its_scores_kept():
    grid = blobs(random_state=0)
    model = CollaborationClustering("auto", columns=grid.columns, random_state=0)
    model.fit(grid.X, parties=grid.parties)
    assert model.n_clusters_ == 3
    assert max(model.scores_, key=model.scores_.get) == 3


@pytest.mark.parametrize("reducer", ["pca", "svd", "random", "lpp", "nmf", "lda"])
@pytest.mark.parametrize("rotate", [False, True])
def test_every_reducer_finds_well_separated_clusters(reducer, rotate):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 6)) + 30 * np.eye(3)[y][:, [0, 1, 2, 0, 1, 2]]
    model = CollaborationClustering(3, reducer=reducer, rotate=rotate, random_state=0)
    model.fit(X, y, parties=np.arange(120) % 2)
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_party_with_one_row_is_served():
    parties = np.zeros(150, dtype=int)
    parties[[7, 80]] = [1, 2]
    model = CollaborationClustering(3, columns=HALVES, random_state=0)
    labels = model.fit_predict(IRIS.data, parties=parties)
    assert (labels >= 0).all()


def test_constant_column_is_served():
    X = np.hstack([IRIS.data, np.full((150, 2), 3.0)])
    model = CollaborationClustering(3, columns=[[0, 1, 4], [2, 3, 5]], random_state=0)
    assert len(set(model.fit_predict(X, parties=np.arange(150) % 3))) == 3


def test_anchor_of_the_users_own_is_used():
    rng = np.random.default_rng(0)
    anchor = rng.normal(size=(40, 4)) * 3
    first = CollaborationClustering(3, anchor=anchor, random_state=0).fit(IRIS.data)
    other = CollaborationClustering(3, anchor=anchor * [1, 5, 1, 1], random_state=0).fit(IRIS.data)
    assert not np.allclose(first.representation_, other.representation_)


def test_same_seed_same_labels_other_seed_other_anchor():
    fit = {s: CollaborationClustering(3, random_state=s).fit(IRIS.data) for s in (0, 1)}
    again = CollaborationClustering(3, random_state=0).fit(IRIS.data)
    np.testing.assert_array_equal(fit[0].labels_, again.labels_)
    np.testing.assert_array_equal(fit[0].representation_, again.representation_)
    assert not np.array_equal(fit[0].representation_, fit[1].representation_)


BAD = {
    "n_clusters above rows": ({"n_clusters": 151}, {}, r"n_clusters == 151, must be <= 150"),
    "no clusters": ({"n_clusters": 0}, {}, r"n_clusters == 0, must be >= 1"),
    "overlap": ({"columns": [[0, 1], [1, 2, 3]]}, {}, r"columns names \[1\] more than once"),
    "missing column": ({"columns": [[0, 1], [2]]}, {}, r"columns does not name \[3\]"),
    "empty group": ({"columns": [[0, 1, 2, 3], []]}, {}, r"columns\[1\] is empty"),
    "column out of range": ({"columns": [[0, 1], [2, 9]]}, {}, r"columns names index 9"),
    "name without names": ({"columns": [["a"], [1, 2, 3]]}, {}, r"X has no column names"),
    "too wide": ({"n_components": 5}, {}, r"n_components == 5, must be between 1 and 4"),
    "one per group": ({"n_components": [1, 1]}, {}, r"n_components has 2 entries"),
    "few anchors": ({"n_anchor": 2}, {}, r"n_anchor == 2, must be >= 4"),
    "no anchors": ({"n_anchor": 0}, {}, r"n_anchor == 0, must be >= 1"),
    "empty anchor": ({"anchor": np.empty((0, 4))}, {}, r"anchor has shape \(0, 4\)"),
    "narrow anchor": ({"anchor": np.ones((9, 3))}, {}, r"anchor has shape \(9, 3\)"),
    "anchor with NaN": ({"anchor": np.full((9, 4), np.nan)}, {}, r"anchor has NaN"),
    "parties too short": ({}, {"parties": [1, 2]}, r"inconsistent numbers of samples"),
    "parties with gaps": ({}, {"parties": [None] + ["a"] * 149}, r"parties has 1 missing"),
    "unknown method": ({"method": "kmedian"}, {}, r"method == 'kmedian'"),
    "unknown anchor": ({"anchor": "grid"}, {}, r"anchor == 'grid'"),
    "unknown target": ({"target": "U2"}, {}, r"target == 'U2'"),
    "lda without labels": ({"reducer": "lda"}, {}, r"'lda' needs labels"),
    "no neighbours": ({"n_neighbors": 0}, {}, r"n_neighbors == 0, must be >= 1"),
}


@pytest.mark.parametrize(("parameters", "fit", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_with_the_value_and_the_rule(parameters, fit, message):
    parameters = {"n_clusters": 3} | parameters
    with pytest.raises(ValueError, match=message):
        CollaborationClustering(**parameters).fit(IRIS.data, **fit)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_refused(value):
    X = IRIS.data.copy()
    X[3, 2] = value
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        CollaborationClustering(3).fit(X)


def test_prediction_needs_a_known_institution():
    model = CollaborationClustering(3, random_state=0).fit(IRIS.data, parties=np.arange(150) % 2)
    with pytest.raises(ValueError, match="parties is None, but the model was fitted with 2"):
        model.predict(IRIS.data)
    with pytest.raises(ValueError, match=r"parties names \[5\]"):
        model.predict(IRIS.data, parties=np.full(150, 5))


def test_a_column_in_large_units_does_not_decide_where_spreads_are_public():
    X = WINE.data * ([1.0] * 12 + [1000.0])
    spreads = np.where(np.arange(13) < 12, 1.0, 1000.0) * WINE.data.std(axis=0)
    pooled = KMeans(3, n_init=10, random_state=0).fit_predict(X / X.std(axis=0))
    columns = [list(range(6)), list(range(6, 13))]
    found = {
        scaling: CollaborationClustering(3, columns=columns, random_state=0, **terms)
        .set_params(scaling=scaling)
        .fit_predict(X, parties=np.arange(len(X)) % 3)
        for scaling, terms in {"none": {}, "spread": {"spreads": spreads}}.items()
    }
    assert adjusted_rand_score(pooled, found["spread"]) > 0.95
    assert adjusted_rand_score(pooled, found["none"]) < 0.6


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"spreads": [1.0] * 4}, "spreads say nothing with scaling == 'none'"),
        ({"scaling": "spread", "spreads": [1.0, 2.0]}, r"spreads has shape \(2,\)"),
        ({"scaling": "spread", "spreads": [1.0, 0.0, 1.0, 1.0]}, "positive"),
    ],
)
def test_spreads_that_cannot_be_used_are_refused(terms, reason):
    with pytest.raises(ValueError, match=reason):
        CollaborationClustering(3, **terms).fit(IRIS.data)


def test_anchor_may_be_a_function():
    def between(lower, upper, n_anchor, rng):
        return rng.uniform(lower, upper, size=(n_anchor, len(lower)))

    model = CollaborationClustering(3, anchor=between, n_anchor=70, random_state=0)
    model.fit(IRIS.data, parties=np.arange(150) % 3)
    assert model.anchor_.shape == (70, 4)
    assert (model.anchor_ >= IRIS.data.min(axis=0)).all()
    with pytest.raises(ValueError, match="anchor has shape"):
        model.set_params(anchor=lambda *_: np.zeros((3, 2))).fit(IRIS.data)
