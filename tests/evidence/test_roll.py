"""One list of contributions for all answers, named in each by its digest."""

import hashlib

import pytest

from consilience.evidence.roll import ROLL, Roll
from consilience.evidence.statement import ENDING
from consilience.study.envelope import Envelope


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    from conftest import make_case, run

    case = make_case(tmp_path_factory.mktemp("roll") / "study").contribute()
    assert run(*case.analyse_command()).code == 0
    return case


def said(case, party):
    path = case.answer(party)
    return Envelope.from_text(path.with_name(path.name + ENDING).read_bytes()).statement[
        "predicate"
    ]


def test_the_order_of_arrival_changes_nothing_and_a_contribution_does():
    one, two, other = ("a/lab", "11"), ("b/lab", "22"), ("b/lab", "33")
    assert Roll((one, two)).digest == Roll((two, one)).digest == Roll((two, one, two)).digest
    assert Roll((one, other)).digest != Roll((one, two)).digest


def test_it_lists_what_every_party_sent_and_every_answer_names_it(answered):
    roll = (answered.folder / "answers" / ROLL).read_bytes()
    listed = dict(line.split("  ")[::-1] for line in roll.decode().splitlines())
    assert list(listed) == sorted(answered.parties)
    for party in answered.parties:
        sent = answered.letter("analyst", answered.sent(party)).stated.digest
        assert listed[party] == sent
        stated = said(answered, party)
        assert stated["answers"] == [{"from": party, "digest": sent}]
        assert stated["roll"]["sha256"] == hashlib.sha256(roll).hexdigest()


def test_another_list_beside_an_answer_is_refused(answered, cli):
    command = ("verify", answered.path, answered.answer("a/lab"))
    result = cli(*command)
    assert result.code == 0, result.err
    roll = answered.folder / "answers" / ROLL
    assert hashlib.sha256(roll.read_bytes()).hexdigest() in result.out.replace("\n  ", "")
    roll.write_bytes(roll.read_bytes()[:-1])
    result = cli(*command)
    assert result.code == 2
    assert "is not the list the statement of a.lab.answer names" in result.err
