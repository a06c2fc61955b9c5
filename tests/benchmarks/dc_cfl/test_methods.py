"""The methods of DC-CFL's tables: settings by validation rows, thresholds learnt once."""

import pytest
from sklearn.linear_model import LogisticRegression

from benchmarks.dc_cfl import methods
from benchmarks.dc_cfl.methods import (
    FEDERATED,
    Collaboration,
    Thresholds,
    local_accuracy,
    validate,
    watch,
)
from consilience.baselines import LocalNetworks


def test_the_grid_of_settings_is_the_papers():
    sizes = {method: len(grid) for method, (_, grid) in FEDERATED.items()}
    assert sizes == {"FedAvg": 3, "FedProx": 12, "Ditto": 4, "FedClust": 9}


def test_validation_throws_out_a_rate_that_learns_nothing(problem, monkeypatch):
    make, _ = FEDERATED["FedAvg"]
    grid = ({"learning_rate": 1e-9}, {"learning_rate": 0.05})
    monkeypatch.setitem(methods.FEDERATED, "FedAvg", (make, grid))
    scores = {s["learning_rate"]: accuracy for s, accuracy in validate(problem, "FedAvg")}
    assert scores[0.05] > scores[1e-9] + 0.2


def test_thresholds_of_fedclust_with_the_same_groups_are_tried_once(problem):
    distinct = list(methods._distinct(problem, FEDERATED["FedClust"][1]))
    assert 1 <= len(distinct) < 9


def test_a_watched_method_is_judged_after_each_round(problem):
    model, curve, n_diverged = watch(problem, "FedAvg", [{"learning_rate": 0.05}], 3)
    assert len(curve) == 3
    assert curve[-1] == problem.accuracy(model)
    assert n_diverged == 0


def test_settings_that_diverge_are_passed_over(problem):
    ranked = [{"learning_rate": 1e4}, {"learning_rate": 0.05}]
    model, _, n_diverged = watch(problem, "FedAvg", ranked, 2)
    assert n_diverged == 1
    assert model.learning_rate == 0.05
    with pytest.raises(ValueError, match="FedAvg diverge"):
        watch(problem, "FedAvg", ranked[:1], 2)


def test_thresholds_with_the_same_groups_are_learnt_once(problem, monkeypatch):
    calls = []

    def groups(self, threshold):
        calls.append(threshold)
        return None, 0.5

    monkeypatch.setattr(Collaboration, "groups", groups)
    thresholds = Thresholds(Collaboration(problem, None))
    for t in (0.01, 0.011, 1.0, 0.012):
        assert thresholds.accuracy(t) == 0.5
    assert calls == [0.01, 1.0]
    assert thresholds.n_groups(1.0) == 1


def test_groups_of_the_thresholds_are_those_of_the_estimator(problem):
    collaboration = Collaboration(problem, LogisticRegression())
    model, accuracy = collaboration.groups(0.4)
    assert len(set(model.groups_.values())) == Thresholds(collaboration).n_groups(0.4)
    assert accuracy > collaboration.one_model() - 0.05


@pytest.mark.parametrize("learner", [LocalNetworks(), LogisticRegression()])
def test_local_learners_know_their_own_classes(problem, learner):
    assert local_accuracy(problem, learner) > 0.8
