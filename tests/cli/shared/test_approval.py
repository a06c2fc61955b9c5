import pytest

from consilience.cli.shared.approval import rely_on
from consilience.exceptions import StudyError
from consilience.study.pins import pin

PARTY = "a/lab"


def test_another_study_than_the_pinned_one_is_refused_unless_accepted(case, tmp_path):
    pin(case.private(PARTY).path, case.study)
    assert rely_on(case.participant(PARTY), tmp_path, accept=False, anew=False) == []
    case.terms["clustering"]["seed"] += 1
    with pytest.raises(StudyError, match="not the study you relied on"):
        rely_on(case.participant(PARTY), tmp_path, accept=False, anew=False)
    assert rely_on(case.participant(PARTY), tmp_path, accept=True, anew=False) == []
