import numpy as np
from sklearn.cluster import KMeans

from consilience.privacy.audits.attribute import infer_attributes, message_features
from consilience.privacy.audits.scores import column_r2


def test_labels_and_ranks_tell_of_the_columns_behind_them():
    rng = np.random.default_rng(0)
    victim, own = rng.normal(size=(600, 1)), rng.normal(size=(600, 2))
    labels = KMeans(6, n_init=1, random_state=0).fit_predict(victim).astype(np.int64)
    known = np.arange(80)
    told = message_features(labels[:, None])
    with_labels = infer_attributes(own, told, known, victim[known], seed=0)
    without = infer_attributes(own, None, known, victim[known], seed=0)
    hidden = slice(80, None)
    assert column_r2(victim[hidden], with_labels[hidden]).item() > 0.8
    assert column_r2(victim[hidden], without[hidden]).item() <= 0


def test_ranks_add_to_labels():
    rng = np.random.default_rng(0)
    victim, own = rng.normal(size=(600, 1)), rng.normal(size=(600, 1))
    labels = (victim > 0).astype(np.int64)
    ranks = np.empty((600, 1))
    for c in (0, 1):
        inside = labels[:, 0] == c
        ranks[inside, 0] = victim[inside, 0].argsort().argsort() / (inside.sum() - 1)
    known = np.arange(80)
    r2 = [
        column_r2(
            victim[80:],
            infer_attributes(own, message_features(labels, r), known, victim[known], 0)[80:],
        ).item()
        for r in (None, ranks)
    ]
    assert r2[1] > 0.9 > r2[0]


def test_rows_that_were_not_ranked_are_told_apart():
    told = message_features(np.array([[0], [0]]), np.array([[0.0], [np.nan]]))
    assert told.tolist() == [[1, 0, 1], [1, -1, 0]]
