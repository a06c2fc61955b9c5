"""A party of summaries: what leaves, what it labels at home, and what it refuses."""

import numpy as np
import pytest

from consilience.exceptions import MessageError
from consilience.mapped import in_file, in_memory
from consilience.messages import Failure, Summary
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.summaries.party import MAX_BYTES, Party
from consilience.summaries.units import Units

UNITS = Units(np.zeros(2), np.full(2, 10.0), np.full(2, 10.0))


def rows(n=200, d=2):
    return np.random.default_rng(0).uniform(0, 10, size=(n, d))


def answer(centers, study=""):
    head = {"study": study, "sender": "analyst", "recipient": "a"}
    return Summary(**head, centers=np.array(centers), weights=np.ones(len(centers)))


def test_every_mean_stands_for_as_many_rows_as_promised():
    [sent] = Party("a", UNITS, min_rows=10).begin(rows())
    assert sent.weights.min() >= 10
    np.testing.assert_allclose(sent.weights @ sent.centers / 200, rows().mean(axis=0))


def test_several_rows_of_a_person_count_as_one():
    [sent] = Party("a", UNITS, min_rows=10, rows_per_person=3).begin(rows())
    assert sent.weights.min() >= 30


@pytest.mark.parametrize("n", [5_000, 40_000])
def test_a_summary_stays_small_however_many_rows_there_are(n):
    [sent] = Party("a", UNITS, min_rows=2).begin(rows(n))
    assert sent.centers.nbytes + sent.weights.nbytes <= MAX_BYTES


def test_with_noise_nothing_equals_what_it_would_be_without():
    one, two = (
        Party("a", UNITS, noise=ConcentratedNoise(1.0, 1e-6)).begin(rows(2000))[0] for _ in "ab"
    )
    assert one.errors is not None
    assert not np.isin(one.weights, two.weights).any()


def test_rows_get_the_nearest_centre():
    party = Party("a", UNITS, min_rows=2)
    party.receive(answer([[1.0, 1.0], [9.0, 9.0]]))
    assert party.label(np.array([[0.0, 2.0], [8.0, 7.0]])).tolist() == [0, 1]


def test_without_any_guarantee_there_is_no_party():
    with pytest.raises(ValueError, match="both None"):
        Party("a", UNITS)


def test_labels_need_an_answer():
    with pytest.raises(MessageError, match="no answer yet"):
        Party("a", UNITS, min_rows=2).label(rows())


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (answer([[1.0, 1.0]], study="other"), "answer to study 'other'"),
        (answer([[1.0]]), "centres of 1 columns"),
        (Failure(study="", sender="analyst", recipient="a", reason="no"), "cannot use a Failure"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(message, reason):
    with pytest.raises(MessageError, match=reason):
        Party("a", UNITS, min_rows=2).receive(message)


def test_with_both_promises_too_few_rows_send_nothing():
    pytest.importorskip("opendp")
    noise = ConcentratedNoise(50.0, 1e-6, insecure_seed=0)
    with pytest.raises(ValueError, match="must have >= 200"):
        Party("a", UNITS, noise=noise, min_rows=200).begin(np.full((30, 2), 3.0))


def test_all_classes_of_the_study_are_summarised_and_those_without_rows_do_not_show():
    pytest.importorskip("opendp")
    rng = np.random.default_rng(0)
    X, codes = rng.uniform(0, 10, size=(2000, 2)), np.repeat([0, 2], 1000)
    noise = ConcentratedNoise(4.0, 1e-6, insecure_seed=0)
    [sent] = Party("a", UNITS, noise=noise).begin(X, codes, 3)
    assert set(sent.classes) == {0, 2}
    for code in (0, 2):
        assert abs(sent.weights[sent.classes == code].sum() - 1000) < 100


def test_of_a_few_rows_the_heaviest_class_is_left():
    pytest.importorskip("opendp")
    noise = ConcentratedNoise(0.1, 1e-6, insecure_seed=0)
    [sent] = Party("a", UNITS, noise=noise).begin(np.full((4, 2), 3.0), np.array([0, 1, 1, 0]), 2)
    assert len(np.unique(sent.classes)) == 1


@pytest.mark.parametrize("classes", [None, np.arange(3_000) % 3 - 1])
def test_rows_in_a_file_give_the_same_noisy_summary(tmp_path, classes):
    """Also where each class is summarised by itself, and some rows have none."""
    pytest.importorskip("opendp")
    X = rows(3_000)
    keep = in_file(tmp_path)
    sent = []
    for held, where in ((X, in_memory), (keep(len(X), [X[:700], X[700:]]), keep)):
        party = Party("a", UNITS, noise=ConcentratedNoise(4.0, 1e-6, insecure_seed=1))
        sent += party.begin(held, classes, 2, where)
    assert sent[0].centers.tobytes() == sent[1].centers.tobytes()
    assert sent[0].weights.tobytes() == sent[1].weights.tobytes()
