"""Gaussians from weighted centres."""

import numpy as np
from sklearn.mixture import GaussianMixture

from consilience.metrics import agreement
from consilience.summaries.mixture import Mixture, fit_mixture


def made(seed=0, n=400):
    rng = np.random.default_rng(seed)
    kinds = np.arange(n) % 2
    wide, tall = [1.0, 0.1], [0.1, 1.0]
    return rng.normal(size=(n, 2)) * np.where(kinds[:, None], wide, tall) + 1.5 * kinds[
        :, None
    ], kinds


def test_memberships_add_up_and_follow_bayes():
    mixture = Mixture(np.array([0.9, 0.1]), np.array([[0.0], [2.0]]), np.ones((2, 1, 1)))
    found = mixture.memberships(np.array([[1.0], [2.0]]))
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found[0], [0.9, 0.1])


def test_with_many_points_it_is_the_mixture_scikit_learn_fits():
    Z, kinds = made()
    ours = fit_mixture(Z, np.ones(len(Z)), 2)
    theirs = GaussianMixture(2, means_init=[Z[kinds == k].mean(axis=0) for k in (0, 1)]).fit(Z)
    assert agreement(ours.memberships(Z).argmax(axis=1), theirs.predict(Z)) > 0.97


def test_a_centre_of_many_rows_counts_for_so_many():
    Z = np.array([[0.0], [1.0], [10.0], [11.0]])
    found = fit_mixture(Z, np.array([3.0, 1.0, 2.0, 2.0]), 2)
    np.testing.assert_allclose(np.sort(found.means.ravel()), [0.25, 10.5], atol=1e-3)
    np.testing.assert_allclose(found.shares, [0.5, 0.5], atol=1e-6)


def test_one_centre_to_a_cluster_has_the_shape_of_all():
    found = fit_mixture(np.array([[0.0, 0.0], [5.0, 5.0]]), np.ones(2), 2)
    assert np.linalg.eigvalsh(found.covariances).min() > 0
    np.testing.assert_allclose(found.covariances[0], found.covariances[1])
