"""Groups by label counts alone: who may send what, newcomers, and who is missing."""

import numpy as np
import pytest

from consilience.collaboration.learning.groups.grouping_analyst import GroupingAnalyst
from consilience.collaboration.learning.party import LearningParty
from consilience.exceptions import MessageError
from consilience.messages import LabelCounts

COUNTS = {"a": [9, 1], "b": [0, 8], "c": [8, 2], "d": [5, 5]}


def _counts(row, counts, study="", column="all"):
    sent = {"study": study, "sender": f"{row}/{column}", "recipient": "analyst"}
    return LabelCounts(**sent, counts=np.array(counts))


def _analyst(**more):
    settings = {"holder": "all", "n_classes": 2, "threshold": 0.2, **more}
    return GroupingAnalyst("abcd", **settings)


def test_groups_are_told_to_all_when_the_last_counts_arrive():
    analyst = _analyst()
    for row, counts in COUNTS.items():
        told = analyst.receive(_counts(row, counts))
        assert bool(told) == (row == "d")
    assert [m.recipient for m in told] == ["a/all", "b/all", "c/all", "d/all"]
    assert all(m.groups.tolist() == [0, 1, 0, 2] for m in told)
    assert told[0].threshold == 0.2
    assert told[0].tree.shape == (3, 4)


def test_a_newcomer_takes_the_nearest_group_and_moves_nobody():
    analyst = _analyst(newcomers=["d"], threshold=0.6)
    for row, counts in COUNTS.items():
        told = analyst.receive(_counts(row, counts))
    # With everybody .6 would merge d with a and c; as a newcomer it is nearest to them as well,
    # but the tree is that of the three others.
    assert told[0].groups.tolist() == [0, 1, 0, 0]
    assert told[0].tree.shape == (2, 4)
    far = _analyst(newcomers=["d"], threshold=0.2)
    for row, counts in COUNTS.items():
        told = far.receive(_counts(row, counts))
    assert told[0].groups.tolist() == [0, 1, 0, 0]


def test_those_who_sent_nothing_have_no_group():
    analyst = _analyst(threshold="gap")
    analyst.receive(_counts("a", [9, 1]))
    analyst.receive(_counts("c", [0, 1]))
    assert analyst.missing == ["b/all", "d/all"]
    assert analyst.solve()[0].groups.tolist() == [0, -1, 1, -1]


def test_one_institution_is_a_group():
    analyst = GroupingAnalyst("a", holder="all", n_classes=2, threshold=0.5)
    (told,) = analyst.receive(_counts("a", [1, 0]))
    assert told.groups.tolist() == [0]
    assert told.tree.shape == (0, 4)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (_counts("a", [1, 2, 3]), "counts of 3 classes, but the study has 2"),
        (_counts("e", [1, 2]), "holds no classes in this study"),
        (_counts("a", [1, 2], column="survey"), "holds no classes in this study"),
        (_counts("a", [1, 2], study="other"), "for study 'other'"),
    ],
)
def test_other_counts_are_refused(message, reason):
    with pytest.raises(MessageError, match=reason):
        _analyst().receive(message)


def test_rows_are_not_even_looked_at():
    party = LearningParty("a/all", np.ones((9, 2)), classes=np.array([0, 1]))
    X, y = np.random.default_rng(0).normal(size=(5, 2)), np.array([0, 1, 0, 1, 1])
    with pytest.raises(MessageError, match="cannot use a LabelledContribution; nothing more"):
        _analyst().receive(*party.begin(X, y=y))


def test_no_counts_make_no_groups():
    with pytest.raises(MessageError, match="no counts have arrived but of newcomers"):
        _analyst().solve()
    analyst = _analyst(newcomers=["d"])
    analyst.receive(_counts("d", [1, 1]))
    with pytest.raises(MessageError, match="no counts have arrived but of newcomers"):
        analyst.solve()


@pytest.mark.parametrize("newcomers", [["x"], ["a", "b", "c", "d"]])
def test_newcomers_must_be_some_of_the_institutions(newcomers):
    with pytest.raises(ValueError, match="must be row institutions of the study"):
        _analyst(newcomers=newcomers)
