"""Rounds of peers through a carrier; whole runs are in test_join."""

from consilience.by_files import by_files
from consilience.carriers.carrier import Carrier
from consilience.carriers.in_process import Memory
from consilience.cli.shared.post import Post
from consilience.cli.shared.rounds import play_rounds
from consilience.cli.shared.sending import Consent


def test_a_peer_says_what_it_can_and_names_whom_it_waits_for(of_kind):
    case = of_kind("peers")
    carrier, (first, *others) = Carrier(Memory()), case.parties
    post = Post(carrier, case.participant(first), case.folder / "home")
    given = (by_files(case.study, "peer"), case.source(first), Consent(yes=True), lambda *_: None)
    assert play_rounds(post, *given) == ", ".join(others)
    said = {other: len(carrier.list(other)) for other in others}
    assert min(said.values()) >= 1
    assert play_rounds(post, *given) == ", ".join(others)
    assert {other: len(carrier.list(other)) for other in others} == said


def test_a_peer_without_its_row_key_waits_for_it(of_kind):
    case = of_kind("peers")
    first, second, *_ = case.parties
    for key in case.private(second).path.glob("*.key"):
        key.unlink()
    post = Post(Carrier(Memory()), case.participant(second), case.folder / "home")
    kind = by_files(case.study, "peer")
    waiting = play_rounds(post, kind, case.source(second), Consent(yes=True), lambda *_: None)
    assert waiting == f"keys of {first}"
