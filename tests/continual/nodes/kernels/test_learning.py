import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from consilience.continual.nodes import learning
from consilience.continual.nodes.network import Network
from consilience.continual.nodes.profile import find_profile

kernels = pytest.importorskip("consilience.continual.nodes.kernels", exc_type=ImportError)


def streams():
    rng = np.random.default_rng(0)
    yield "normal", rng.normal(size=(1500, 2))
    yield "digits, with many ties", load_digits().data
    yield "iris, with a duplicate", load_iris().data
    yield "constant feature", np.column_stack([rng.normal(size=300), np.ones(300)])
    yield "duplicates", np.repeat(rng.normal(size=(40, 3)), 5, axis=0)
    yield "few rows", rng.normal(size=(7, 4))


@pytest.mark.parametrize(("name", "X"), list(streams()))
@pytest.mark.parametrize("topology", [True, False])
@pytest.mark.parametrize("profile", ["reference", "paper"])
def test_compiled_path_gives_the_same_labels(name, X, topology, profile):
    fast, plain = (Network(X.shape[1], find_profile(profile), topology=topology) for _ in range(2))
    for window in np.array_split(X, 3):
        kernels.learn(fast, window)
        learning.learn(plain, window)
    np.testing.assert_allclose(fast.positions, plain.positions, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(fast.edges(), plain.edges())
    np.testing.assert_array_equal(fast.ids[: fast.n_nodes], plain.ids[: plain.n_nodes])
    np.testing.assert_array_equal(
        kernels.nearest(X, fast.positions, fast.sigma),
        learning.nearest(X, plain.positions, plain.sigma),
    )


@pytest.mark.parametrize("levels", [2, 3, 5, 11])
@pytest.mark.parametrize("d", [2, 4, 8])
@pytest.mark.parametrize("seed", range(10))
def test_ties_of_discrete_data_are_decided_alike_on_both_paths(seed, d, levels):
    X = np.random.default_rng([seed, levels, d]).integers(levels, size=(150, d)).astype(float)
    for profile in ("reference", "paper"):
        for topology in (True, False):
            options = {"profile": find_profile(profile), "topology": topology}
            fast, plain = (Network(d, **options) for _ in range(2))
            for window in np.array_split(X, 3):
                kernels.learn(fast, window)
                learning.learn(plain, window)
            n = plain.n_nodes
            np.testing.assert_array_equal(fast.positions, plain.positions)
            np.testing.assert_array_equal(fast.edges(), plain.edges())
            np.testing.assert_array_equal(fast.ids[: fast.n_nodes], plain.ids[:n])
            np.testing.assert_array_equal(
                kernels.nearest(X, fast.positions, fast.sigma),
                learning.nearest(X, plain.positions, plain.sigma),
            )


def test_both_similarities_are_compiled():
    X = np.random.default_rng(2).normal(size=(600, 2))
    fast, plain = (Network(2, find_profile("reference"), similarity="cim") for _ in range(2))
    kernels.learn(fast, X)
    learning.learn(plain, X)
    assert fast.n_active == plain.n_active > 10
    np.testing.assert_allclose(fast.positions, plain.positions)


@pytest.mark.parametrize("topology", [True, False])
@pytest.mark.parametrize("profile", ["reference", "paper"])
def test_a_bound_on_the_nodes_holds_on_both_paths_while_the_stream_moves(topology, profile):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6000, 2)) + np.linspace(0, 60, 6000)[:, None]
    X[3000:] += 1000.0
    fast, plain = (
        Network(2, find_profile(profile), topology=topology, max_nodes=24) for _ in range(2)
    )
    for window in np.array_split(X, 4):
        kernels.learn(fast, window)
        learning.learn(plain, window)
        assert fast.n_nodes == plain.n_nodes <= 24
        np.testing.assert_allclose(fast.positions, plain.positions)
        np.testing.assert_array_equal(fast.ids[: fast.n_nodes], plain.ids[: plain.n_nodes])
        np.testing.assert_array_equal(fast.edges(), plain.edges())
    assert fast.counts.size == plain.counts.size == 24
    # What still wins a row now and then is kept.
    assert (fast.positions > 900).mean() > 0.9


@pytest.mark.parametrize("distinct", [1, 2, 4, 5])
@pytest.mark.parametrize("profile", ["reference", "paper"])
def test_equal_first_rows_wait_on_both_paths(distinct, profile):
    rng = np.random.default_rng(distinct)
    first = rng.normal(size=(distinct, 2))[rng.integers(distinct, size=35)]
    X = np.concatenate([first, rng.normal(size=(300, 2)), first, rng.normal(size=(300, 2))])
    fast, plain = (Network(2, find_profile(profile)) for _ in range(2))
    for window in np.array_split(X, 5):
        kernels.learn(fast, window)
        learning.learn(plain, window)
        np.testing.assert_allclose(fast.positions, plain.positions)
        np.testing.assert_array_equal(fast.counts[: fast.n_nodes], plain.counts[: plain.n_nodes])


def test_a_bound_below_the_usual_start_cuts_the_start_short():
    X = np.random.default_rng(4).normal(size=(500, 8))
    fast, plain = (Network(8, find_profile("paper"), max_nodes=10) for _ in range(2))
    kernels.learn(fast, X)
    learning.learn(plain, X)
    assert fast.n_nodes == plain.n_nodes <= 10
    assert fast.n_active == plain.n_active
    np.testing.assert_allclose(fast.positions, plain.positions)


def test_a_network_is_compiled_once_for_its_start_and_its_life():
    from consilience.continual.nodes.kernels.learning import _learn

    X = np.random.default_rng(5).normal(size=(400, 2))
    network = Network(2, find_profile("reference"))
    kernels.learn(network, X[:200])
    known = len(_learn.signatures)
    assert network.n_active > 0
    kernels.learn(network, X[200:])
    assert len(_learn.signatures) == known
