"""The estimator of summaries: the real roles over one table."""

import numpy as np
import pytest

from consilience import SummaryClustering
from consilience.metrics import agreement


def make_rows(n=3000):
    rng = np.random.default_rng(0)
    kinds = np.arange(n) % 3
    return np.array([[-2, 0], [2, 0], [0, 3]])[kinds] + rng.normal(size=(n, 2)) / 3, kinds


@pytest.mark.parametrize("min_rows", [None, 25])
def test_clusters_are_found_with_noise(min_rows):
    X, kinds = make_rows()
    model = SummaryClustering(3, epsilon=4.0, min_rows=min_rows, random_state=0)
    found = model.fit(X, parties=np.arange(len(X)) % 2)
    assert agreement(found.labels_, kinds) > 0.9
    assert (found.cluster_errors_ > 0).all()


def test_means_of_k_rows_are_exact_and_repeat():
    X, kinds = make_rows()
    model = SummaryClustering("auto", epsilon=None, min_rows=20, random_state=0)
    first, again = model.fit(X).labels_, model.fit(X).labels_
    np.testing.assert_array_equal(first, again)
    assert agreement(first, kinds) == 1.0
    assert model.n_clusters_ == 3
    assert model.n_centers_ <= len(X) // 20
    assert model.cluster_sizes_.tolist() == [1000, 1000, 1000]
    np.testing.assert_array_equal(model.predict(X), first)


def test_rows_of_an_institution_that_are_too_few_are_refused():
    X, _ = make_rows(30)
    with pytest.raises(ValueError, match="must have >= 20"):
        SummaryClustering(2, epsilon=None, min_rows=20).fit(X, parties=np.arange(30) % 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bounds": ([0, 0], [1, 0])}, "feature 1 are 0.0 and 0.0, must be finite, the lower less"),
        ({"bounds": ([0, 0], [1, np.inf])}, "must be finite"),
        ({"spreads": [1.0]}, "spreads has shape"),
        ({"spreads": [1.0, 0.0]}, "numbers > 0"),
        ({"epsilon": -1.0}, "epsilon == -1.0"),
        ({"min_rows": 0}, "min_rows == 0"),
        ({"n_clusters": 0}, "n_clusters == 0"),
    ],
)
def test_parameters_that_promise_nothing_are_refused(changes, reason):
    with pytest.raises(ValueError, match=reason):
        SummaryClustering(**{"n_clusters": 2, **changes}).fit(make_rows(60)[0])
