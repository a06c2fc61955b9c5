"""Names of clusters outlive a study."""

import numpy as np
import pytest

from consilience.exceptions import StudyError
from consilience.study.participant import Participant
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.summaries.kept import keep_named, read_named
from consilience.summaries.succession import follow
from summaries.test_terms import TERMS


@pytest.fixture
def analyst(tmp_path):
    def make(**changes):
        folder = PrivateFolder(tmp_path)
        return Participant(Study.from_terms({**TERMS, **changes}), ANALYST, folder)

    return make


def test_another_study_of_the_same_columns_finds_the_names(analyst):
    assert read_named(analyst()) is None
    named = follow(np.array([[0.1, 0.5, -0.5], [-0.2, 0.5, 0.5]]), None)
    keep_named(analyst(), named)
    found = read_named(analyst(name="next year", summaries={"spreads": {"age": 50.0}}))
    np.testing.assert_allclose(found.centers[:, 0], [0.2, -0.4])
    assert (found.names.tolist(), found.unused) == ([0, 1], 2)


def test_other_columns_have_other_clusters(analyst):
    keep_named(analyst(), follow(np.zeros((1, 3)), None))
    schema = {"lab": {"size": {"kind": "numeric", "bounds": [0, 1]}}}
    assert read_named(analyst(schema=schema)) is None


def test_a_damaged_file_is_named(analyst, tmp_path):
    keep_named(analyst(), follow(np.zeros((1, 3)), None))
    [path] = tmp_path.glob("clusters-*")
    path.write_bytes(b"nothing")
    with pytest.raises(StudyError, match="damaged"):
        read_named(analyst())
