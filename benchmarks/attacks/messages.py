"""What the messages of a consensus tell of the columns behind them."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from benchmarks.attacks.studies import Study
from benchmarks.problems import Cells
from consilience.consensus.audit import places_told
from consilience.privacy.audits.attribute import infer_attributes, message_features
from consilience.privacy.audits.columns import count_columns
from consilience.privacy.audits.scores import score

MAX_ROWS = 2_000
KNOWN_SHARE = 0.05
N_CLUSTERS = 10


def measure_messages(study: Study, seed: int) -> Cells:
    """Attack labels and ranks: two peers with half of the columns each, one in twenty rows known.

    The victim sends what a peer of VertCoHiRF sends in its first round: the k-means label of every
    row, 10 clusters, and the order of the rows in each cluster by their summed cosine similarity.
    """
    rng = np.random.default_rng(seed)
    X = study.X[rng.permutation(len(study.X))[:MAX_ROWS]]
    order = rng.permutation(X.shape[1])
    half = X.shape[1] // 2
    own, victim = X[:, order[half:]], X[:, order[:half]]
    labels = KMeans(N_CLUSTERS, n_init=3, random_state=seed).fit_predict(victim).astype(np.int64)
    places = places_told(victim, labels)
    n_known = max(20, int(KNOWN_SHARE * len(X)))
    known, rest = np.arange(n_known), np.arange(n_known, len(X))
    columns = count_columns(victim)
    for method, told in (
        ("nothing", None),
        ("labels", message_features(labels[:, None])),
        ("labels and ranks", message_features(labels[:, None], places[:, None])),
    ):
        guess = infer_attributes(own, told, known, victim[known], seed)
        scores = score(victim[rest], guess[rest], columns)
        cell = ("Labels and ranks", study.name, "1 in 20 rows known", method)
        yield (*cell, "median R2"), scores.median_r2
        yield (*cell, "worst R2"), scores.worst_r2
        yield (*cell, "top-1"), scores.top1
