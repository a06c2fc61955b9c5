import pytest

from consilience.consensus.terms import Peers
from consilience.exceptions import StudyError
from consilience.study.study import Study

BASE = """
name = "example"
grid = {rows = ["people"], columns = ["bank", "insurer"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 1]}
[schema.insurer]
claims = {kind = "numeric", bounds = [0, 1]}
"""
PLACE = """
[consensus.places."people/bank"]
endpoint = "tcp://bank.example:7700"
curve = "{curve}"
"""


def test_terms_of_peers_are_part_of_the_digest():
    one = Study.from_text(BASE + "[consensus]\nseed = 1\n")
    two = Study.from_text(BASE + "[consensus]\nseed = 2\n")
    assert one.digest != two.digest
    assert one.of(Peers).consensus.when_absent == "abort"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("[consensus]\nwhen_absent = 'shrug'\n", "when_absent"),
        ("[consensus]\ntimeout = 0\n", "timeout"),
        ("[consensus]\nseeds = 3\n", "seeds"),
        (PLACE.format(curve="short"), "curve"),
        (PLACE.format(curve="a" * 40).replace("people/bank", "people/x"), "no parties"),
        (PLACE.format(curve="a" * 40).replace("tcp://", "http://"), "endpoint"),
    ],
)
def test_terms_that_make_no_sense_are_named(more, reason):
    with pytest.raises(StudyError, match=reason):
        Study.from_text(BASE + more)


def test_consensus_needs_one_row_institution():
    text = BASE.replace('rows = ["people"]', 'rows = ["north", "south"]')
    with pytest.raises(StudyError, match="one row institution"):
        Study.from_text(text + "[consensus]\n")
