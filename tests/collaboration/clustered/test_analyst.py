"""One analyst per group, each distinct group learnt once, queries answered by the right one."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from consilience.collaboration.clustered import ClusteredAnalyst
from consilience.collaboration.learning import LearningParty
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
    assert set(analyst.scores) == {k / 10 for k in range(1, 10)}
    assert analyst.scores[0.9] < max(analyst.scores.values()) - 0.2
    # Nine thresholds, but few distinct groups: at most 7 of four institutions, and the final ones.
    assert analyst.n_fits <= 7 + 4


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
