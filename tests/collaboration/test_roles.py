import numpy as np
import pytest

from consilience.collaboration.anchors.keyed import anchor_digest, draw_anchor
from consilience.collaboration.roles import analyst_of, party_of
from consilience.collaboration.terms import Clusters
from consilience.exceptions import MessageError, StudyError
from consilience.messages import Contribution

KEY = bytes(range(32))


def test_party_draws_the_anchor_of_its_column_key(solved):
    study = solved.study
    X = np.random.default_rng(0).uniform(size=(9, 6))
    (sent,) = party_of(study, "a/lab", KEY).begin(X)
    anchor = draw_anchor("gaussian", KEY, *study.schema_of("lab").bounds, 400)
    assert sent.anchor_digest == anchor_digest(anchor)
    assert sent.anchor.shape == (400, study.of(Clusters).n_components(study, "lab"))
    assert (sent.study, sent.recipient) == (study.digest, "analyst")
    (other,) = party_of(study, "a/lab", bytes(32)).begin(X)
    assert other.anchor_digest != sent.anchor_digest


def test_number_of_anchor_rows_is_a_term(new_case):
    study = new_case(anchor={"n_rows": 50, "kind": "uniform"}).study
    (sent,) = party_of(study, "b/life", KEY).begin(np.zeros((3, 4)))
    assert len(sent.anchor) == 50


def test_each_party_turns_what_it_sends_unless_the_study_says_no(new_case):
    X = np.random.default_rng(0).uniform(size=(9, 6))
    for rotate in (True, False):
        study = new_case(reduction={"rotate": rotate}).study
        one, two = (party_of(study, "a/lab", KEY).begin(X)[0].representation for _ in range(2))
        assert np.allclose(one, two) != rotate
        assert np.allclose(one @ one.T, two @ two.T)


def test_strangers_and_absent_places_are_no_parties(new_case):
    study = new_case(grid={"absent": ["b/life"]}).study
    for name in ("b/life", "c/lab", "a", "analyst", ""):
        with pytest.raises(StudyError, match="is not a party of the study"):
            party_of(study, name, KEY)


def test_analyst_knows_the_terms_and_no_secret(new_case):
    study = new_case(grid={"absent": ["b/life"]}).study
    analyst = analyst_of(study)
    assert analyst.missing == ["a/lab", "a/life", "b/lab"]
    header = {"recipient": "analyst", "anchor_digest": ""}
    for sender, digest, width, reason in (
        ("a/lab", "other", 3, "for study 'other'"),
        ("b/life", study.digest, 2, "is not a party"),
        ("a/lab", study.digest, 6, "a/lab sent 6 dimensions, but the study says 3"),
    ):
        X = np.ones((4, width))
        message = Contribution(
            sender=sender, study=digest, representation=X, anchor=X, **header
        )  # fmt: skip
        with pytest.raises(MessageError, match=reason):
            analyst.receive(message)
    assert len(analyst.missing) == 3
