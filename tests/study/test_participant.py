"""Who acts, with which keys and rows."""

import pytest

from consilience.exceptions import StudyError
from consilience.study.identity import Identity
from consilience.study.participant import Participant


def test_a_party_knows_its_place_and_its_keys(case):
    me = case.participant("a/lab")
    assert (me.place.row, me.place.column) == ("a", "lab")
    assert me.identity.public == case.study.public_keys("a/lab")


def test_a_party_reads_its_rows_with_its_own_row_key(case):
    me = case.participant("a/lab")
    rows = me.read_rows(case.source("a/lab"))
    together = case.participant("a/life").read_rows(case.source("a/life"))
    assert (rows.pseudonyms == together.pseudonyms).all()
    assert rows.table is None
    assert me.read_rows(case.source("a/lab"), with_table=True).table is not None


def test_draws_are_those_of_a_role_a_study_and_a_purpose(case):
    me = case.participant("a/lab")
    first = me.draws("audit").random()
    assert case.participant("a/lab").draws("audit").random() == first
    case.terms["name"] = "another study"
    others = [me.draws("reduction"), case.participant("b/lab").draws("audit")]
    others += [case.participant("a/lab").draws("audit")]
    assert len({first, *(other.random() for other in others)}) == 4


def test_the_analyst_takes_part_and_a_stranger_does_not(case):
    assert case.participant("analyst").identity.name == "analyst"
    with pytest.raises(StudyError, match="'west/lab' is not a party"):
        case.participant("west/lab")


def test_keys_the_others_do_not_know_are_refused(case):
    case.terms["keys"]["a/lab"] = Identity.new("a/lab").public.model_dump()
    with pytest.raises(StudyError, match="other public keys of 'a/lab' than your private folder"):
        _ = case.participant("a/lab").identity


def test_a_folder_of_somebody_else_is_refused(case):
    me = Participant(case.study, "a/lab", case.private("b/lab"))
    with pytest.raises(StudyError, match="holds the identity of 'b/lab'"):
        _ = me.identity
