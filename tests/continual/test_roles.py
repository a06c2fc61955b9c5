import numpy as np
import pytest

from consilience.continual.roles import analyst_of, party_of
from consilience.exceptions import StudyError
from consilience.study.study import Study

TERMS = """
name = "wards"
grid = {rows = ["north", "south"], columns = ["all"]}
[schema.all]
x = {kind = "numeric", bounds = [0, 10]}
y = {kind = "numeric", bounds = [0, 1000]}
"""


def test_roles_are_made_as_the_study_says():
    study = Study.from_text(TERMS + "[stream]\nepsilon = 5.0\nbudget = 15.0\nanswer = 'nodes'\n")
    party, analyst = party_of(study, "north/all"), analyst_of(study)
    assert party.budget.limit == 15.0
    (update,) = party.begin(np.full((40, 2), 5.0))
    assert len(np.unique(update.nodes)) == update.nodes.size, "a study that asks for noise gets it"
    assert party.network.profile.name == analyst.network.profile.name == "improved"
    assert list(analyst.received) == ["north/all", "south/all"]


def test_improved_nodes_leave_as_fractions_of_the_public_range():
    party = party_of(Study.from_text(TERMS + "[stream]\n"), "north/all")
    (update,) = party.begin(np.array([[5.0, 500.0], [10.0, 0.0]]))
    assert sorted(update.nodes.tolist()) == [[0.5, 0.5], [1.0, 0.0]]


def test_strangers_and_other_studies_are_refused():
    with pytest.raises(StudyError, match="'west/all' is not a party"):
        party_of(Study.from_text(TERMS + "[stream]\n"), "west/all")
    with pytest.raises(StudyError, match="a study of clusters"):
        analyst_of(Study.from_text(TERMS))


def test_noise_is_on_what_the_study_says():
    pytest.importorskip("opendp")
    terms = "[stream]\nepsilon = 5.0\nnoise = 'centers'\nprofile = 'reference'\n"
    party = party_of(Study.from_text(TERMS + terms), "north/all")
    X = np.random.default_rng(0).uniform(size=(200, 2)) * [10, 1000]
    (update,) = party.begin(X)
    assert len(update.nodes) < 100
    assert update.counts.sum() > 100
    assert party.budget.spent == 5.0
