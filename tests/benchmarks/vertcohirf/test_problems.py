import numpy as np
import pytest

from benchmarks.vertcohirf import problems
from benchmarks.vertcohirf.methods import MISREAD
from benchmarks.vertcohirf.problems import Problem

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 20)
X = 9 * np.eye(3)[Y] @ RNG.normal(size=(3, 6)) + RNG.normal(size=(60, 6))


@pytest.fixture
def problem():
    return Problem(X, Y, [np.arange(3), np.arange(3, 6)], seed=0)


@pytest.mark.parametrize("name", ["k-means alone", "Distr.KMeans", MISREAD, "VertCoHiRF(k-means)"])
def test_every_kind_of_method_spends_its_trials_and_finds_clear_groups(problem, monkeypatch, name):
    spent = []
    search = problems.search
    monkeypatch.setattr(problems, "search", lambda *a: (spent.append(a[2]), search(*a))[1])
    score, each = problem.best_per_peer(name, "ARI", 12)
    assert spent == ([12, 12] if name == "k-means alone" else [12])
    assert len(each) == 2
    assert 0.3 < score <= 1


def test_a_setting_is_fitted_once_for_both_metrics(problem):
    problem.best("Distr.KMeans", "ARI", 6)
    known = dict(problem._known)
    problem.best("Distr.KMeans", "SIL", 6)
    assert problem._known.keys() == known.keys()


def test_too_many_clusters_and_too_little_memory_are_failed_trials(problem):
    assert np.isnan(problem._scores([np.arange(60)], "ARI")[0])
    assert problem._once(("x",), lambda: (_ for _ in ()).throw(MemoryError)) == []
    assert np.isnan(problem._scores([], "SIL")[0])
