import pytest

from consilience.consensus.wording import describe_peers
from consilience.report.page import Table
from consilience.study.study import Study

TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank", "insurer"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 1]}
[schema.insurer]
claims = {kind = "numeric", bounds = [0, 1]}
[consensus]
"""


def words(more=""):
    section = describe_peers(Study.from_text(TEXT + more))
    table = next(part for part in section.parts if isinstance(part, Table))
    return " ".join(str(cell) for row in table.rows for cell in row)


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("", "stops the others"),
        ('when_absent = "go on without"', "its veto with it"),
        ('veto = "persistent"', "any one peer, for good"),
        ("max_labels = 40", "more than 40 labels"),
        ('when_guarded = "exclude"', "without its labels and ranks"),
        ('ranking = "median"', "by their median"),
    ],
)
def test_every_term_that_decides_something_is_said(term, said):
    assert said in words(term)
    assert term == "" or said not in words()
