"""The analyst of summaries: weighted clusters, their sizes, and what it refuses."""

import numpy as np
import pytest

from consilience.exceptions import MessageError
from consilience.messages import LabelCounts, Summary
from consilience.summaries.analyst import Analyst
from consilience.summaries.placing import place_rows
from consilience.summaries.units import Units

UNITS = Units(np.zeros(2), np.full(2, 10.0), np.full(2, 10.0))
PLACES = np.array([[1.0, 1.0], [9.0, 1.0], [5.0, 9.0]])


def summary(sender="a", centers=PLACES, weights=(30.0, 20.0, 10.0), errors=None, study=""):
    given = None if errors is None else np.array(errors)
    head = {"study": study, "sender": sender, "recipient": "analyst"}
    return Summary(**head, centers=centers, weights=np.array(weights), errors=given)


def test_everybody_is_answered_when_the_last_summary_has_come():
    analyst = Analyst(["a", "b"], UNITS, n_clusters=3)
    assert analyst.receive(summary("a")) == []
    assert analyst.missing == ["b"]
    answers = analyst.receive(summary("b", PLACES + 0.2, (3.0, 2.0, 1.0)))
    assert [answer.recipient for answer in answers] == ["a", "b"]
    np.testing.assert_allclose(answers[0].weights, [33, 22, 11])
    np.testing.assert_allclose(answers[0].centers[0], [1 + 0.2 / 11] * 2)


def test_the_noise_of_sizes_adds_up_as_independent_draws_do():
    analyst = Analyst(["a", "b"], UNITS, n_clusters=3)
    analyst.receive(summary("a", errors=[3.0, 3.0, 3.0]))
    analyst.receive(summary("b", errors=[4.0, 4.0, 4.0]))
    np.testing.assert_allclose(analyst.errors, [5, 5, 5])


def test_auto_finds_as_many_clusters_as_there_are_places():
    rng = np.random.default_rng(0)
    centers = np.repeat(PLACES, 8, axis=0) + rng.normal(size=(24, 2)) / 5
    analyst = Analyst(["a"], UNITS)
    analyst.receive(summary(centers=centers, weights=[5.0] * 24))
    assert len(analyst.centers) == 3


def test_a_centre_without_weight_does_not_count():
    analyst = Analyst(["a"], UNITS, n_clusters=3)
    analyst.receive(summary(weights=(30.0, 0.0, 10.0)))
    assert len(analyst.centers) == 2


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (summary("c"), "no party of the study"),
        (summary("a", study="other"), "for study 'other'"),
        (summary("a", PLACES[:, :1]), "centres of 1 columns, the study has 2"),
        (
            LabelCounts(study="", sender="a", recipient="analyst", counts=np.array([1, 2])),
            "cannot use a LabelCounts",
        ),
    ],
)
def test_what_does_not_belong_here_is_refused(message, reason):
    with pytest.raises(MessageError, match=reason):
        Analyst(["a", "b"], UNITS).receive(message)


def test_nothing_cannot_be_clustered():
    with pytest.raises(MessageError, match="nothing to cluster"):
        Analyst(["a"], UNITS).solve()


def test_a_mixture_finds_long_clusters_that_k_means_cuts():
    rng = np.random.default_rng(0)
    long = rng.normal(size=(60, 2)) * [2.0, 0.1] + np.array([5.0, 4.0])
    centers = np.clip(np.vstack([long, long + np.array([0.0, 1.5])]), 0, 10)
    right = np.repeat([0, 1], 60)
    found = {}
    for mixture in (False, True):
        analyst = Analyst(["a"], UNITS, n_clusters=2, mixture=mixture)
        [answer] = analyst.receive(summary(centers=centers, weights=[5.0] * 120))
        labels = place_rows(UNITS, centers, answer)
        found[mixture] = max(np.mean(labels == right), np.mean(labels != right))
    assert found[True] == 1.0 > found[False]


def test_clusters_of_a_repeated_study_keep_their_names():
    first = Analyst(["a"], UNITS, n_clusters=3)
    first.receive(summary())
    again = Analyst(["a"], UNITS, n_clusters=3, former=first.named)
    [answer] = again.receive(summary(centers=PLACES + 0.3, weights=(10.0, 20.0, 30.0)))
    assert answer.names.tolist() == [2, 1, 0]
    np.testing.assert_allclose(answer.centers, PLACES[::-1] + 0.3)
