"""One analyst per group, each distinct group learnt once, queries answered by the right one."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from consilience.collaboration.learning.clustered_analyst import ClusteredAnalyst, _hide
from consilience.collaboration.learning.party import LearningParty
from consilience.collaboration.learning.portable import thaw
from consilience.exceptions import MessageError

RNG = np.random.default_rng(0)
ANCHOR = RNG.normal(size=(60, 3))
CLASSES = np.array([0, 1])


def _rows(sign, n=60):
    """Draw rows whose class depends on the first feature, the other way round for sign -1."""
    X = RNG.normal(size=(n, 3))
    return X, (sign * X[:, 0] > 0.5 * sign).astype(int)


def _study(analyst, signs=(1, 1, -1, -1)):
    parties = {}
    for k, sign in enumerate(signs):
        X, y = _rows(sign)
        party = LearningParty(f"{k}/all", ANCHOR, classes=CLASSES, n_components=3)
        for answer in analyst.receive(*party.begin(X, y=y)):
            parties[answer.recipient][0].receive(answer) if answer.recipient in parties else None
        parties[f"{k}/all"] = party, X, y
    return parties


def test_opposite_rules_need_two_models():
    # Label mixes: about .31 of class 1 for sign 1, about .69 for sign -1.
    analyst = ClusteredAnalyst("0123", ["all"], threshold=0.25, estimator=LogisticRegression())
    parties = _study(analyst)
    assert analyst.groups == {"0": 0, "1": 0, "2": 1, "3": 1}
    for name, (party, X, y) in parties.items():
        (answer,) = analyst.receive(*party.ask(X))
        assert answer.recipient == name
        assert (answer.values.argmax(axis=1) == y).mean() > 0.9


def test_auto_finds_that_and_learns_each_group_once():
    analyst = ClusteredAnalyst("0123", ["all"], threshold="auto", estimator=LogisticRegression())
    _study(analyst)
    assert len(set(analyst.groups.values())) >= 2
    assert set(analyst.scores) == {k / 10 for k in range(11)}
    assert analyst.scores[0.9] < max(analyst.scores.values()) - 0.2
    # Eleven thresholds, few distinct groups: at most 7 of four institutions, and the final ones.
    assert analyst.n_fits <= 7 + 4


def test_who_has_two_labelled_rows_has_a_say():
    sent = LearningParty("0/all", ANCHOR, classes=CLASSES).begin(
        _rows(1)[0][:2], y=np.array([0, 1])
    )
    shown, truth = _hide(sent, 0, 0)
    assert truth.sum() == 1
    assert shown[0].targets.sum() == 1


def test_a_question_before_the_answer_is_refused():
    analyst = ClusteredAnalyst("01", ["all"], threshold=0.5)
    party = LearningParty("0/all", ANCHOR, classes=CLASSES)
    party.begin(_rows(1)[0])
    with pytest.raises(MessageError, match="before the study was solved"):
        analyst.receive(*party.ask(_rows(1)[0]))


def test_an_institution_that_sends_no_labels_is_refused():
    analyst = ClusteredAnalyst("0", ["all"], threshold=0.5)
    party = LearningParty("0/all", ANCHOR, classes=CLASSES)
    with pytest.raises(MessageError, match="'0' sent no labels"):
        analyst.receive(*party.begin(_rows(1)[0]))


def test_a_newcomer_is_served_by_the_nearest_group():
    settings = {"threshold": 0.05, "estimator": LogisticRegression()}
    analyst = ClusteredAnalyst("0123", ["all"], newcomers=["3"], **settings)
    parties = _study(analyst)
    assert analyst.groups["3"] == analyst.groups["2"]
    assert analyst.tree.shape == (2, 4)
    party, X, y = parties["3/all"]
    (answer,) = analyst.receive(*party.ask(X))
    assert (answer.values.argmax(axis=1) == y).mean() > 0.9
    alone = ClusteredAnalyst("01", ["all"], newcomers=["0"], **settings)
    alone.receive(*LearningParty("0/all", ANCHOR, classes=CLASSES).begin(X, y=y))
    with pytest.raises(MessageError, match="only newcomers have contributed"):
        alone.solve()


def test_groups_that_others_found_are_kept():
    analyst = ClusteredAnalyst("0123", ["all"], threshold=0.25, estimator=LogisticRegression())
    analyst.groups = {"0": 0, "1": 1, "2": 0, "3": 1}
    _study(analyst)
    assert analyst.groups == {"0": 0, "1": 1, "2": 0, "3": 1}
    assert not hasattr(analyst, "distributions")


def test_the_model_of_the_group_goes_to_its_members():
    analyst = ClusteredAnalyst(
        "0123", ["all"], threshold="auto", estimator=LogisticRegression(), answer="model"
    )
    parties, answers = {}, []
    for k, sign in enumerate((1, 1, -1, -1)):
        X, y = _rows(sign)
        party = LearningParty(f"{k}/all", ANCHOR, classes=CLASSES, n_components=3)
        answers = analyst.receive(*party.begin(X, y=y))
        parties[f"{k}/all"] = party, X
    for answer in answers:
        party, X = parties[answer.recipient]
        Z = party.reduction.transform(X) @ answer.linear + answer.offset
        told = thaw(answer.model).predict(Z)
        assert np.array_equal(told.argmax(axis=1), answer.values.argmax(axis=1))
        same = [
            other.recipient[0] for other in answers if np.array_equal(other.model, answer.model)
        ]
        own = analyst.groups[answer.recipient[0]]
        assert same == [row for row, g in analyst.groups.items() if g == own]


def test_a_learner_that_cannot_be_carried_is_refused_before_anything_arrives():
    with pytest.raises(ValueError, match="SVC is not among the learners"):
        ClusteredAnalyst("01", ["all"], threshold=0.5, estimator=SVC(), answer="model")


def test_unequal_widths_of_anchors_and_targets_are_refused():
    analyst = ClusteredAnalyst("01", ["all"], threshold=1.0)
    X, y = _rows(1)
    analyst.receive(*LearningParty("0/all", ANCHOR, classes=CLASSES).begin(X, y=y))
    other = LearningParty("1/all", ANCHOR[:50], classes=CLASSES)
    with pytest.raises(MessageError, match="sent 50 anchor rows and 0/all 60"):
        analyst.receive(*other.begin(X, y=y))
    wider = LearningParty("1/all", ANCHOR, classes=np.array([0, 1, 2]))
    with pytest.raises(MessageError, match=r"targets of \[2, 3\] columns"):
        analyst.receive(*wider.begin(X, y=y))
