import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from consilience.baselines.stacked_networks import Descent, LayerSizes, gradient, train

SHAPE = LayerSizes((5, 8, 6, 3))


class Untouched:
    """A generator that leaves the rows in their order."""

    def permutation(self, rows):
        return rows


def problem(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    return rng.normal(size=(3, 5))[y] + rng.normal(size=(n, 5)), y


def networks(n, dtype=np.float64):
    return np.stack([SHAPE.draw(np.random.default_rng(k), dtype) for k in range(n)])


def cross_entropy(w, X, y, weight):
    z = SHAPE.scores(w[None], X[None])[0]
    z = z - z.max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    return -(weight * log_p[np.arange(len(y)), y]).sum()


def test_scores_of_a_network_by_hand():
    shape = LayerSizes((1, 2, 2))
    # Hidden layer: max(0, x + 1) and max(0, -x); the last layer subtracts and adds them.
    network = np.array([[1.0, -1.0, 1.0, 0.0, 1.0, 1.0, -1.0, 1.0, 0.0, 0.5]])
    scores = shape.scores(network, np.array([[[2.0], [-3.0]]]))
    np.testing.assert_array_equal(scores, [[[3.0, 3.5], [-3.0, 3.5]]])


def test_gradient_is_that_of_small_differences():
    X, y = problem(12)
    w, weight = networks(1), np.full(12, 1 / 12)
    found = np.empty_like(w)
    Y = np.eye(3)[y]
    gradient(SHAPE.layers(w), X[None], Y[None], weight[None, :, None], SHAPE.layers(found))
    step = 1e-6
    for k in range(0, SHAPE.n_parameters, 7):
        up, down = w[0].copy(), w[0].copy()
        up[k] += step
        down[k] -= step
        slope = cross_entropy(up, X, y, weight) - cross_entropy(down, X, y, weight)
        assert found[0, k] == pytest.approx(slope / (2 * step), abs=1e-6)


def test_one_network_is_scikit_learns():
    X, y = problem(90)
    theirs = MLPClassifier(
        (8, 6),
        solver="sgd",
        learning_rate_init=0.01,
        momentum=0.5,
        nesterovs_momentum=False,
        batch_size=32,
        max_iter=7,
        alpha=0.0,
        shuffle=False,
        random_state=3,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(X, y)
    drawn, first = np.random.RandomState(3), []
    for a, b in zip(SHAPE.widths, SHAPE.widths[1:], strict=False):
        bound = np.sqrt(6 / (a + b))
        first += [drawn.uniform(-bound, bound, (a, b)).ravel(), drawn.uniform(-bound, bound, b)]
    start = np.concatenate(first)[None]
    ours = train(start, SHAPE, X, y, [np.arange(90)], [Untouched()], Descent(0.01, 0.5, 32, 7))
    for (W, b), coefficients, offsets in zip(
        SHAPE.layers(ours), theirs.coefs_, theirs.intercepts_, strict=True
    ):
        np.testing.assert_allclose(W[0], coefficients, rtol=1e-9)
        np.testing.assert_allclose(b[0, 0], offsets, rtol=1e-9)


def test_a_network_learns_the_same_beside_larger_and_smaller_ones():
    X, y = problem(200)
    members = [np.arange(3), np.arange(3, 130), np.arange(130, 170), np.arange(0)]
    start, descent = networks(4), Descent(0.05, 0.9, 32, 3)

    def rngs():
        return np.random.default_rng(0).spawn(4)

    together = train(start, SHAPE, X, y, members, rngs(), descent)
    for k, rows in enumerate(members):
        alone = train(start[k : k + 1], SHAPE, X, y, [rows], [rngs()[k]], descent)
        np.testing.assert_allclose(together[k], alone[0], rtol=1e-10)
    np.testing.assert_array_equal(together[3], start[3])


def test_a_strong_pull_holds_a_network_where_it_is_pulled_to():
    X, y = problem(64)
    start, towards = networks(2), np.zeros((2, SHAPE.n_parameters))
    towards[1] = 0.2
    members = [np.arange(32), np.arange(32, 64)]
    descent = Descent(0.01, 0.0, 32, 200)
    rngs = np.random.default_rng(0).spawn(2)
    held = train(start, SHAPE, X, y, members, rngs, descent, towards=towards, pull=50.0)
    assert np.abs(held[0]).max() < 0.1
    assert np.abs(held[1] - 0.2).max() < 0.1
