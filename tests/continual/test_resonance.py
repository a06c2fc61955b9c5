import numpy as np
import pandas as pd
import pytest

from consilience.continual.estimator import ContinualClustering
from consilience.continual.nodes.network import Network
from consilience.continual.resonance import ResonanceClustering
from consilience.exceptions import StudyError


def blobs(seed=0, n=900):
    rng = np.random.default_rng(seed)
    which = rng.integers(3, size=n)
    return rng.normal(size=(n, 2)) + np.array([[0, 0], [12, 0], [0, 12]])[which], which


def test_well_apart_blobs_never_share_a_cluster():
    X, which = blobs()
    labels = ResonanceClustering().fit_predict(X)
    for cluster in np.unique(labels):
        assert len(np.unique(which[labels == cluster])) == 1


def test_largest_cluster_is_number_zero():
    X, _ = blobs()
    model = ResonanceClustering().fit(X)
    won = np.bincount(model.node_labels_, weights=model.winning_counts_)
    assert (np.diff(won) <= 0).all()


def test_partial_fit_goes_on_and_fit_starts_again():
    X, _ = blobs()
    whole = ResonanceClustering().fit(X)
    parts = ResonanceClustering()
    for window in np.array_split(X, 10):
        parts.partial_fit(window)
    np.testing.assert_array_equal(whole.nodes_, parts.nodes_)
    assert len(parts.labels_) == 90
    parts.fit(X[:100])
    assert parts.winning_counts_.sum() <= 100


def test_without_topology_every_node_is_a_cluster():
    model = ResonanceClustering(topology=False).fit(blobs()[0])
    assert model.n_clusters_ == len(model.nodes_)
    assert model.edges_.size == 0


def test_missing_values_are_refused():
    X, _ = blobs()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        ResonanceClustering().fit(X)


def test_unknown_similarity_is_refused():
    with pytest.raises(ValueError, match="similarity == 'cosine', must be"):
        ResonanceClustering(similarity="cosine").fit(blobs()[0])


def test_plain_path_can_be_asked_for():
    X, _ = blobs()
    plain = ResonanceClustering(compiled=False).fit(X)
    np.testing.assert_array_equal(plain.labels_, ResonanceClustering().fit(X).labels_)


def test_nodes_are_bounded_and_the_bound_survives_a_state():
    X = np.random.default_rng(0).normal(size=(2000, 2))
    model = ResonanceClustering(max_nodes=16).fit(X)
    assert len(model.nodes_) <= 16
    assert Network.from_state(model._network.state()).max_nodes == 16
    with pytest.raises(ValueError, match="max_nodes == 9, must be >= 10"):
        ResonanceClustering(max_nodes=9).fit(X)


def test_a_saved_model_goes_on_as_if_nothing_had_happened(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    through = ResonanceClustering(max_nodes=40, compiled=False).fit(frame[:200])
    through.save(tmp_path / "model")
    again = ResonanceClustering.load(tmp_path / "model")
    assert again.get_params() == through.get_params()
    np.testing.assert_array_equal(again.labels_, through.labels_)
    for model in (through, again):
        model.partial_fit(frame[200:])
    np.testing.assert_array_equal(again.nodes_, through.nodes_)
    np.testing.assert_array_equal(again.predict(frame), through.predict(frame))
    assert again.feature_names_in_.tolist() == ["a", "b"]


def test_the_file_of_another_model_is_refused(tmp_path):
    ContinualClustering(random_state=0).fit(np.random.default_rng(0).normal(size=(30, 2))).save(
        tmp_path / "model"
    )
    with pytest.raises(StudyError, match="is the state of a continual clustering"):
        ResonanceClustering.load(tmp_path / "model")
