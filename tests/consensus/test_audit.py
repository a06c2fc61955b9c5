import numpy as np
from sklearn.cluster import KMeans

from consilience.consensus.audit import audit_consensus
from consilience.consensus.local_step import LocalStep


def audit(X, n_clusters):
    return audit_consensus(X, LocalStep(KMeans(n_clusters, n_init=1)), n_repeats=2, seed=0)


def test_one_column_is_read_from_its_labels_and_better_with_ranks():
    X = 5 + np.random.default_rng(0).normal(size=(400, 1))
    labels, ranks = audit(X, 6).findings
    assert labels.median_r2.mean > 0.7
    assert labels.control_r2.mean <= 0
    assert labels.control_top1.mean < 0.1
    assert ranks.attack == "labels and ranks"


def test_fewer_clusters_tell_less():
    X = np.random.default_rng(0).normal(size=(400, 3))
    assert audit(X, 2).reconstruction < audit(X, 12).reconstruction


def test_too_few_rows_are_said_and_not_green():
    few = audit(np.random.default_rng(0).normal(size=(30, 2)), 2)
    assert {f.level for f in few.findings} == {"not run"}
    assert "needs 60" in few.advice[0]


def test_constant_table_is_said_and_not_green():
    assert audit(np.ones((100, 2)), 2).findings[0].level == "not run"
