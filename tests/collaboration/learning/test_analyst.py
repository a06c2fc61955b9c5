"""The learning analyst: whose labels, which rows, what it answers."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.party import LearningParty
from consilience.collaboration.learning.portable import thaw
from consilience.exceptions import MessageError

CLASSES = np.array([0, 1])
RNG = np.random.default_rng(0)
ANCHOR = RNG.normal(size=(40, 4))
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] + X[:, 2] > 0).astype(int)


def _parties(**more):
    columns = {"p": [0, 1], "q": [2, 3]}
    return {
        f"{row}/{name}": (
            LearningParty(
                f"{row}/{name}",
                ANCHOR[:, part],
                classes=CLASSES,
                n_components=2,
                rng=np.random.default_rng(1),
                **more,
            ),
            np.arange(60)[i::2],
            part,
        )
        for i, row in enumerate("ab")
        for name, part in columns.items()
    }


def _gather(analyst, parties, labels, order=None):
    answers = []
    for name, (party, rows, part) in parties.items():
        rows = rows if order is None else rows[order]
        y = Y[rows] if name in labels else None
        (sent,) = party.begin(X[np.ix_(rows, part)], y=y)
        answers = analyst.receive(sent)
    return answers


def test_with_all_dimensions_it_is_ridge_on_the_pooled_rows():
    analyst = LearningAnalyst("ab", "pq")
    answers = _gather(analyst, _parties(), {"a/p", "b/p"})
    assert {a.recipient for a in answers} == {"a/p", "a/q", "b/p", "b/q"}
    told = np.concatenate([a.values for a in answers if a.recipient in ("a/p", "b/p")])
    truth = np.concatenate([Y[::2], Y[1::2]])
    assert (told.argmax(axis=1) == truth).mean() > 0.9
    assert set(told.ravel()) == {0.0, 1.0}


def test_an_institution_without_labels_is_told_by_the_others():
    analyst = LearningAnalyst("ab", "pq")
    answers = _gather(analyst, _parties(), {"a/q"})
    told = next(a.values for a in answers if a.recipient == "b/p")
    assert (told.argmax(axis=1) == Y[1::2]).mean() > 0.85


def test_scores_are_sent_where_the_study_allows_them():
    analyst = LearningAnalyst("ab", "pq", answer="scores")
    answers = _gather(analyst, _parties(), {"a/p", "b/p"})
    assert len(np.unique(answers[0].values)) > 10


def test_anchor_predictions_come_to_every_party_and_differ_by_institution_only_in_its_map():
    analyst = LearningAnalyst("ab", "pq", anchor=True)
    answers = _gather(analyst, _parties(), {"a/p", "b/p"})
    about = {a.recipient: a.anchor for a in answers}
    assert {len(v) for v in about.values()} == {40}
    # Nothing was reduced away, so both institutions see one anchor.
    assert np.array_equal(about["a/p"], about["b/q"])


def test_labels_meet_their_rows_by_pseudonym():
    analyst = LearningAnalyst("a", "pq")
    parties = {n: p for n, p in _parties().items() if n.startswith("a")}
    ids = np.arange(30, dtype=np.uint8)[:, None].repeat(16, axis=1)
    party, rows, part = parties["a/p"]
    analyst.receive(*party.begin(X[np.ix_(rows, part)], ids, Y[rows]))
    party, rows, part = parties["a/q"]
    shuffled = np.random.default_rng(3).permutation(30)[:25]
    own = X[np.ix_(rows[shuffled], part)]
    answers = analyst.receive(*party.begin(own, ids[shuffled]))
    told = {a.recipient: a.values for a in answers}
    assert (told["a/q"].argmax(axis=1) == Y[rows[shuffled]]).mean() > 0.9
    left_out = np.setdiff1d(np.arange(30), shuffled)
    assert (told["a/p"][left_out] == 0).all()


def test_no_labels_at_all_is_refused():
    with pytest.raises(MessageError, match="no contribution carries targets"):
        _gather(LearningAnalyst("ab", "pq"), _parties(), set())


def test_other_classes_than_the_study_are_refused():
    parties = _parties()
    _, rows, part = parties["b/p"]
    other = LearningParty("b/p", ANCHOR[:, part], classes=np.array([0, 1, 2]), n_components=2)
    parties["b/p"] = other, rows, part
    with pytest.raises(MessageError, match=r"targets of \[2, 3\] columns"):
        _gather(LearningAnalyst("ab", "pq"), parties, {"a/p", "b/p"})


def test_rows_of_unknown_class_are_told_and_not_learnt_from():
    parties = {n: p for n, p in _parties().items() if n.startswith("a")}
    analyst = LearningAnalyst("a", "pq")
    y = np.array([None] * 30, dtype=object)
    y[:20] = Y[::2][:20]
    for name, (party, rows, part) in parties.items():
        own = y if name == "a/p" else None
        answers = analyst.receive(*party.begin(X[np.ix_(rows, part)], y=own))
    told = answers[0].values.argmax(axis=1)
    assert (told[20:] == Y[::2][20:]).mean() > 0.75


def _unlike(**more):
    """Two institutions of opposite mixes, told about rows that could be of either class."""
    rng = np.random.default_rng(3)
    analyst = LearningAnalyst("ab", ["all"], estimator=LogisticRegression(), **more)
    parties = {row: LearningParty(f"{row}/all", ANCHOR, classes=CLASSES) for row in "ab"}
    for row, share in zip("ab", (0.9, 0.1), strict=True):
        y = (rng.random(400) < share).astype(int)
        (sent,) = parties[row].begin(0.5 * y[:, None] + rng.normal(size=(400, 4)), y=y)
        answers = analyst.receive(sent)
    return analyst, parties, answers


def test_each_institution_is_told_for_its_own_mix_of_classes():
    analyst, parties, _ = _unlike(prior="own")
    unclear = np.full((1, 4), 0.25)
    told = [analyst.receive(*parties[row].ask(unclear))[0].values.argmax() for row in "ab"]
    assert told == [1, 0]
    plain, asked, _ = _unlike()
    same = {plain.receive(*asked[row].ask(unclear))[0].values.argmax() for row in "ab"}
    assert len(same) == 1


def test_a_model_is_carried_with_the_mix_of_its_institution():
    _, _, answers = _unlike(prior="own", answer="model")
    models = [thaw(answer.model) for answer in answers]
    assert models[0].log_ratio[1] > 0.3 > -0.3 > models[1].log_ratio[1]


def test_held_out_rows_are_told_for_the_mix_of_their_institution():
    own, pooled = (_unlike(prior=prior)[0].hold_out() for prior in ("own", "pooled"))
    right = [np.mean([np.mean(h.truth == h.told) for h in held.values()]) for held in (own, pooled)]
    assert right[0] > 0.85 > right[1] + 0.05


def test_an_institution_without_labels_expects_the_mix_of_all():
    analyst = LearningAnalyst("ab", "pq", prior="own")
    _gather(analyst, _parties(), {"a/q"})
    assert np.allclose(analyst._models["b"].log_ratio, 0, atol=0.02)
