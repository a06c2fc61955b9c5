"""Roles do what the terms say."""

import numpy as np
import pytest

from consilience.exceptions import StudyError
from consilience.study.study import Study
from consilience.summaries.roles import analyst_of, party_of
from summaries.test_terms import TERMS


def test_roles_of_a_study_find_its_clusters():
    exact = {"guarantee": "k-anonymous", "min_rows": 5, "n_clusters": 2}
    study = Study.from_terms({**TERMS, "summaries": exact})
    X = np.array([[10.0, 1.0, 0.0], [90.0, 0.0, 1.0]]).repeat(10, axis=0)
    analyst = analyst_of(study)
    for name in study.grid.parties:
        party = party_of(study, name)
        [message] = party.begin(X)
        answers = analyst.receive(message)
    party.receive(answers[-1])
    assert np.bincount(party.label(X)).tolist() == [10, 10]


def test_a_stranger_is_no_party():
    with pytest.raises(StudyError, match="not a party"):
        party_of(Study.from_terms(TERMS), "c/lab")
