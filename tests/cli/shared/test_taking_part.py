"""One look at a carrier, again and again."""

import pytest

from consilience.by_files import by_files
from consilience.carriers.carrier import Carrier
from consilience.carriers.in_process import Memory
from consilience.cli.shared.post import Post
from consilience.cli.shared.sending import Consent
from consilience.cli.shared.taking_part import ANSWER, answer_all, take_part
from consilience.study.identity import Identity


@pytest.fixture
def posts(case):
    carrier = Carrier(Memory())
    return lambda role: Post(carrier, case.participant(role), case.folder / role.replace("/", "."))


def silent(name, **facts):
    """Hear of an event."""


def test_an_analyst_answers_once_and_again_when_something_is_new(case, posts):
    events, kind = [], by_files(case.study, "analyse")

    def heard(name, **facts):
        events.append((name, facts))

    def look():
        return answer_all(posts("analyst"), kind, heard, now=False, newcomers=[])

    for party in case.parties[:3]:
        take_part(posts(party), case.source(party), Consent(yes=True), silent, again=False)
    assert look() == "b/life"
    assert events == []
    last = case.parties[3]
    take_part(posts(last), case.source(last), Consent(yes=True), silent, again=False)
    assert (look(), look()) == ("", "")
    assert events == [("answered", {"parties": case.parties})]
    table = case.tables[last].iloc[:-3]
    table.to_csv(case.data(last), index=False)
    again = take_part(posts(last), case.source(last), Consent(yes=True), silent, again=True)
    assert again == ANSWER
    look()
    assert len(events) == 2


def test_what_needs_approval_waits_for_it(new_case):
    approver = Identity.new("dpo")
    case = new_case(approvals=1, approvers={"a/lab": {"dpo": approver.public.model_dump()}})
    post = Post(Carrier(Memory()), case.participant("a/lab"), case.folder / "home")
    for _ in range(2):
        waiting = take_part(post, case.source("a/lab"), Consent(yes=True), silent, again=False)
        assert waiting.startswith("1 more approval of ")
        assert waiting.endswith("a.lab.contribution.statement.json")
    assert post.carrier.list("analyst") == []
