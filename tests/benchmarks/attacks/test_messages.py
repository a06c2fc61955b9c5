import numpy as np

from benchmarks.attacks.messages import _rank, measure_messages
from benchmarks.attacks.studies import Study
from benchmarks.tables import Trials
from consilience.privacy.audits import count_columns


def test_rows_are_ranked_inside_their_cluster_by_cosine():
    X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [5.0, 5.0]])
    assert _rank(X, np.array([0, 0, 0, 1])).tolist() == [0.5, 0.0, 1.0, 0.0]


def test_labels_tell_more_than_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    study = Study("small", X, np.zeros(500, dtype=np.int64), count_columns(X), "as they are")
    measured = Trials()
    measure_messages(measured, study, 0)
    cell = ("Labels and ranks", "small", "1 in 20 rows known")
    assert measured.mean((*cell, "nothing", "median R2")) <= 0
    assert measured.mean((*cell, "labels", "median R2")) > 0.2
