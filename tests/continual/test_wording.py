from consilience.continual.wording import describe_stream
from consilience.report.page import Table
from consilience.study.study import Study

TERMS = """
name = "wards"
grid = {rows = ["north", "south"], columns = ["all"]}
[schema.all]
x = {kind = "numeric", bounds = [0, 10]}
y = {kind = "numeric", bounds = [0, 1000]}
[stream]
"""


def words(terms):
    section = describe_stream(Study.from_text(TERMS + terms))
    (table,) = (part for part in section.parts if isinstance(part, Table))
    return {str(row[0]): str(row[1]) for row in table.rows}


def test_noise_budget_and_what_is_received_are_said():
    said = words("epsilon = 5.0\nbudget = 15.0\nanswer = 'nodes'\n")
    assert said["Noise in every window"] == "Laplace, epsilon 5 per record"
    assert said["Budget of a record"] == "15"
    assert "analyst's nodes" in said["What each party receives"]


def test_the_lack_of_noise_and_of_a_limit_is_said():
    said = words("")
    assert said["Noise in every window"] == "none"
    assert said["Budget of a record"] == "no limit"
    assert "analyst's nodes" not in said["What each party receives"]
