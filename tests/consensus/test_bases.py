import numpy as np
import pytest
from sklearn.cluster import DBSCAN, HDBSCAN, AffinityPropagation, BisectingKMeans, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consilience.consensus.bases import BASES, cluster_once, named_base, read_settings
from consilience.consensus.kernel_kmeans import KernelKMeans
from consilience.consensus.srgf import SubspaceGraphClustering
from consilience.exceptions import StudyError

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(0, 0.2, (30, 3)), RNG.normal(5, 0.2, (30, 3))])


@pytest.mark.parametrize("name", sorted(BASES))
def test_every_named_base_separates_two_clear_groups(name):
    labels = cluster_once(named_base(name, 2), X, np.random.default_rng(0))
    assert labels.min() >= 0
    assert not set(labels[:30]) & set(labels[30:])


@pytest.mark.parametrize("base", [BisectingKMeans(2), AffinityPropagation(damping=0.9)])
def test_any_clusterer_of_scikit_learn_will_do(base):
    assert len(cluster_once(base, X, np.random.default_rng(0))) == 60


def test_a_pipeline_is_seeded_through():
    base = make_pipeline(StandardScaler(), KMeans(7, n_init=1))
    one = cluster_once(base, X, np.random.default_rng(3))
    two = cluster_once(base, X, np.random.default_rng(3))
    np.testing.assert_array_equal(one, two)


def test_each_noise_point_has_its_own_label():
    far = np.vstack([X, [[50.0, 0, 0], [-50.0, 0, 0]]])
    labels = cluster_once(DBSCAN(eps=1.0), far, np.random.default_rng(0))
    assert labels[-1] != labels[-2]
    assert (labels == labels[-1]).sum() == 1


@pytest.mark.parametrize(
    "base",
    [
        KMeans(8),
        HDBSCAN(min_cluster_size=9, copy=True),
        SubspaceGraphClustering(2, n_neighbors=7),
    ],
)
@pytest.mark.parametrize("n_rows", [1, 2, 8])
def test_too_few_rows_are_all_left_alone(base, n_rows):
    labels = cluster_once(base, X[:n_rows], np.random.default_rng(0))
    assert labels.tolist() == list(range(n_rows))


@pytest.mark.parametrize("seed", range(10))
def test_dbscan_on_distinct_rows_gives_the_labels_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(12, size=(300, 2)).astype(float)
    base = DBSCAN(eps=1.0, min_samples=int(rng.integers(3, 15)))
    plain = base.fit_predict(table)
    found = cluster_once(base, table, rng)
    clustered = plain >= 0
    np.testing.assert_array_equal(found[clustered], plain[clustered])
    assert len(set(found[~clustered])) == (~clustered).sum()


@pytest.mark.parametrize("base", [KMeans(3, n_init=5), KernelKMeans(3, gamma=0.05)])
def test_equal_rows_have_equal_labels_and_count_each(base):
    """Distinct rows with weights: the inertia is that of all rows, up to the seeds."""
    table = RNG.integers(4, size=(400, 2)).astype(float) * [[1.0, 5.0]]
    labels = cluster_once(base, table, np.random.default_rng(0))
    for row in np.unique(table, axis=0):
        assert len(set(labels[(table == row).all(axis=1)])) == 1
    assert len(set(labels)) == 3
    if isinstance(base, KMeans):
        centres = np.array([table[labels == k].mean(axis=0) for k in range(3)])
        inertia = ((table - centres[labels]) ** 2).sum()
        assert inertia <= 1.01 * KMeans(3, n_init=5, random_state=0).fit(table).inertia_


def test_more_groups_than_distinct_rows_leave_each_of_them_alone():
    table = np.repeat(np.eye(3), 5, axis=0)
    labels = cluster_once(KMeans(4), table, np.random.default_rng(0))
    assert labels.tolist() == np.repeat([0, 1, 2], 5).tolist()


def test_values_of_settings_have_their_types():
    pairs = ["count_self=False", "n_clusters=3", "sampling_ratio=0.5"]
    found = read_settings(SubspaceGraphClustering(), pairs)
    assert found == {"count_self": False, "n_clusters": 3, "sampling_ratio": 0.5}
    assert found["count_self"] is False


@pytest.mark.parametrize(
    ("pair", "rule"),
    [
        ("eps", "must be NAME=VALUE"),
        ("epsilon=3", "has no setting 'epsilon', but algorithm, eps"),
        ("eps=-1", "is not possible: .*eps"),
        ("min_samples=many", "is not possible: .*min_samples"),
    ],
)
def test_a_setting_that_cannot_be_is_named_at_once(pair, rule):
    with pytest.raises(StudyError, match=rule):
        read_settings(DBSCAN(), [pair])
