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


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        ("noise = 'centers'", "say nothing without stream.epsilon"),
        ("epsilon = 1.0\ndelta = 1e-6", "goes with stream.noise"),
        ("epsilon = 1.0\nnoise = 'centers'\ndelta = 1.0", "delta"),
    ],
)
def test_terms_of_noise_that_contradict_each_other_are_refused(stream, reason):
    with pytest.raises(StudyError, match=reason):
        Study.from_text(TERMS + f"[stream]\n{stream}\n")


def test_a_study_that_does_not_say_what_the_noise_is_on_keeps_its_digest():
    terms = Study.from_text(TERMS + "[stream]\nepsilon = 1.0\n").terms()
    assert {"noise", "delta"}.isdisjoint(terms["stream"])
