"""A party that counts: what it sends, takes and refuses."""

import numpy as np
import pytest

from consilience.collaboration.learning.groups.party import CountingParty
from consilience.exceptions import BudgetError, MessageError
from consilience.messages import Failure, Grouping
from consilience.privacy.budget import Budget
from consilience.privacy.noise import CountNoise

CLASSES = np.array(["no", "yes"])
Y = np.array(["yes", "no", "yes", None], dtype=object)
TOLD = {"groups": np.array([0, 0]), "threshold": 0.3, "tree": np.empty((0, 4))}


def party(**more):
    return CountingParty("a/lab", CLASSES, study="s", **more)


def grouping(study="s"):
    return Grouping(study=study, sender="analyst", recipient="a/lab", **TOLD)


def test_rows_without_a_class_are_not_counted():
    (sent,) = party().begin(Y)
    assert sent.counts.tolist() == [1, 2]
    assert (sent.sender, sent.recipient, sent.study) == ("a/lab", "analyst", "s")


def test_a_class_the_study_does_not_know_is_refused_without_being_named():
    with pytest.raises(ValueError, match="1 rows have a class that is not among") as caught:
        party().begin(np.array(["maybe"], dtype=object))
    assert "maybe" not in str(caught.value)


def test_the_budget_is_charged_before_noise_is_drawn_and_holds():
    pytest.importorskip("opendp")
    noisy = party(noise=CountNoise(2.0), budget=Budget(3.0))
    (sent,) = noisy.begin(Y)
    assert noisy.budget.spent == 2.0
    assert sent.counts.min() >= 0
    with pytest.raises(BudgetError):
        noisy.begin(Y)


def test_groups_are_taken_and_everything_else_is_refused():
    me = party()
    assert me.receive(grouping()) == []
    assert me.answer.threshold == 0.3
    with pytest.raises(MessageError, match="received an answer to study 'other'"):
        me.receive(grouping("other"))
    refusal = Failure(study="s", sender="analyst", recipient="a/lab", reason="why")
    with pytest.raises(MessageError, match="cannot use a Failure"):
        me.receive(refusal)
