import numpy as np
import pytest

from consilience import baselines
from consilience.baselines.sent import Sent

X = np.random.default_rng(0).normal(size=(90, 4))


def test_points_and_words_of_rows_are_kept_apart_and_everything_is_counted():
    sent = Sent()
    sent.add(np.zeros((2, 3)), points=True)
    sent.add(np.zeros(5, dtype=np.int64), of_rows=True)
    sent.add(np.zeros(1))
    assert (len(sent.points), len(sent.of_rows), sent.n_bytes) == (1, 1, 48 + 40 + 8)


@pytest.mark.parametrize("rounds", [1, 3])
def test_every_round_counts(rounds):
    model = baselines.KumarKMeans(2, n_rounds=rounds, random_state=0).fit(
        X, parties=np.arange(90) % 3
    )
    assert [sent.n_bytes for sent in model.sent_] == [rounds * 2 * (4 + 1) * 8] * 3


def test_a_coreset_shows_rows_as_they_are():
    model = baselines.CoresetKMeans(2, columns=[[0, 1], [2, 3]], random_state=0).fit(X)
    [points] = model.sent_[1].points
    assert all((X[:, 2:] == point).all(axis=1).any() for point in points)
