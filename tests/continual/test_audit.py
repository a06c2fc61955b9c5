import numpy as np
import pytest

from consilience.continual.audit import MIN_ROWS, audit_stream
from consilience.exceptions import StudyError
from consilience.study.study import Study

TEXT = """
name = "example"
grid = {{rows = ["north", "south"], columns = ["lab"]}}
{stream}
[schema.lab]
a = {{kind = "numeric", bounds = [-9, 9]}}
b = {{kind = "numeric", bounds = [-9, 9]}}
c = {{kind = "numeric", bounds = [-9, 9]}}
"""


def study(stream):
    return Study.from_text(TEXT.format(stream=stream))


@pytest.fixture
def X():
    return np.clip(np.random.default_rng(0).normal(size=(600, 3)), -9, 9)


def audit(X, stream, **more):
    return audit_stream(study(stream), "north/lab", X, n_repeats=3, seed=0, **more)


def test_rows_that_leave_as_they_are_are_red_however_few(X):
    found = audit(X, "stream = {}")
    for finding in found.findings:
        assert finding.exposed.mean > 0
        assert finding.level == "red"
        assert finding.advantage.mean > finding.control_advantage.mean + 0.1
    assert "exactly" in found.worst_line
    assert "Set stream.epsilon" in found.advice[0]


def test_strong_noise_tells_no_more_than_chance(X):
    found = audit(X, "stream = {epsilon = 3.0}")
    for finding in found.findings:
        assert finding.exposed.mean == 0
        assert abs(finding.advantage.mean - finding.control_advantage.mean) < 0.12
        assert finding.level == "green"
    assert "two windows has spent 6" in found.advice[0]


def test_a_second_small_window_tells_more_than_its_nodes(X):
    first, second, returned = audit(X, "stream = {}").findings
    assert second.exposed.mean > first.exposed.mean
    assert returned.exposed.mean >= first.exposed.mean


def test_a_budget_for_one_window_leaves_nothing_to_difference(X):
    first, *later = audit(X, "stream = {epsilon = 3.0, budget = 4.0}").findings
    assert first.level == "green"
    assert [f.level for f in later] == ["not run"] * 2
    assert "stream.budget" in later[0].reason


def test_table_and_text_have_the_form_of_every_audit(X):
    found = audit(X, "stream = {}")
    who, holding, rebuild, recognise, level = found.rows()[0]
    assert (who, level) == ("The analyst alone", "red")
    assert "nodes" in holding
    assert "exactly" in rebuild
    assert "advantage" in recognise
    assert "who took part with advantage" in found.to_text()
    assert "exposed" in found.to_json()


@pytest.mark.parametrize("rows", [np.zeros((MIN_ROWS - 1, 3)), np.zeros((MIN_ROWS, 3))])
def test_what_cannot_be_audited_is_said_and_never_green(rows):
    found = audit(rows, "stream = {}")
    assert {f.level for f in found.findings} == {"not run"}
    assert found.worst_line.startswith("Not audited: ")


def test_audit_is_repeatable_with_a_seed(X):
    one, two = (audit(X, "stream = {epsilon = 50.0}") for _ in range(2))
    assert one.to_json() == two.to_json()


def test_other_studies_and_strangers_are_refused(X):
    with pytest.raises(StudyError, match="a study of clusters"):
        audit(X, "")
    with pytest.raises(StudyError, match="not a party of the study"):
        audit_stream(study("stream = {}"), "west/lab", X)
