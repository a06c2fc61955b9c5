import numpy as np
import pytest

from consilience.baselines.sent import Sent
from consilience.comparison.attack import MIN_ROWS, expose
from consilience.comparison.heard import Held

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1000, 3))
ROWS, COLUMNS = np.arange(1000), np.arange(3)


def exposed(sent, rows=ROWS):
    return expose(X, [Held(rows, COLUMNS, sent)], seed=0)


def test_who_sends_nothing_gives_nothing_away():
    assert exposed(Sent()) == (0.0, 0.0, 0.0)


def test_noise_about_rows_rebuilds_nothing():
    found = exposed(Sent(of_rows=[RNG.normal(size=(1000, 3))]))
    assert found.rebuilt < 0.05
    assert found.recognised < 0.05


def test_labels_tell_the_column_they_were_made_of():
    few = exposed(Sent(of_rows=[np.digitize(X[:, 0], [0.0])]))
    many = exposed(Sent(of_rows=[np.digitize(x, [-0.7, 0.0, 0.7]) for x in X.T]))
    assert few.rebuilt < 0.3 < 0.5 < many.rebuilt


def test_means_of_ten_recognise_a_tenth():
    means = X[np.argsort(X[:, 0])].reshape(100, 10, 3).mean(axis=1)
    assert exposed(Sent(points=[means])).recognised == pytest.approx(0.1, abs=0.03)


def test_the_institution_hit_hardest_counts():
    quiet, loud = Sent(), Sent(points=[X[200:400]])
    held = [Held(ROWS[:200], COLUMNS, quiet), Held(ROWS[200:], COLUMNS, loud)]
    assert expose(X, held, seed=0).as_they_are == 0.25


def test_too_few_rows_are_not_called_safe():
    rows = np.arange(MIN_ROWS - 1)
    found = exposed(Sent(of_rows=[X[rows]]), rows)
    assert np.isnan(found.rebuilt)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_small_institution_does_not_hide_what_a_large_one_gives_away(turn):
    small, large = np.arange(5), np.arange(5, 1000)
    held = [Held(rows, COLUMNS, Sent(of_rows=[X[rows]])) for rows in (small, large)]
    found = expose(X, held[::turn], seed=0)
    assert found.rebuilt == pytest.approx(1, abs=1e-3)
    assert found.recognised == pytest.approx(1, abs=1e-3)


def test_rows_that_stand_in_what_left_are_recognised_however_few():
    rows = np.arange(5)
    found = exposed(Sent(of_rows=[X[rows]], points=[X[rows]]), rows)
    assert np.isnan(found.rebuilt)
    assert found.recognised == found.as_they_are == 1
