import pytest

from consilience.exceptions import StudyError
from consilience.study.study import Study

TERMS = """
name = "wards"
grid = {rows = ["north", "south"], columns = ["all"]}
[schema.all]
x = {kind = "numeric", bounds = [0, 10]}
y = {kind = "numeric", bounds = [0, 1000]}
"""


def test_stream_needs_one_column_group():
    terms = TERMS.replace('["all"]', '["all", "more"]') + "[stream]\n"
    terms += "[schema.more]\nu = {kind = 'numeric', bounds = [0, 1]}\n"
    terms += "v = {kind = 'numeric', bounds = [0, 1]}\n"
    with pytest.raises(StudyError, match="one column group"):
        Study.from_text(terms)


def test_study_without_a_stream_keeps_its_digest():
    assert "stream" not in Study.from_text(TERMS).terms()


@pytest.mark.parametrize("epsilon", ["0.0", "-1.0", "inf"])
def test_epsilon_that_means_nothing_is_refused_in_the_study(epsilon):
    with pytest.raises(StudyError, match="epsilon"):
        Study.from_text(TERMS + f"[stream]\nepsilon = {epsilon}\n")
