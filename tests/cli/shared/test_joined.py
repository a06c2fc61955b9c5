"""A role that has joined."""

import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.in_process import Memory
from consilience.cli.shared.joined import Joined
from consilience.cli.shared.sending import Consent
from consilience.exceptions import StudyError


def joined(case, carrier, role, source=None):
    home = case.folder if role == "analyst" else case.folder / "elsewhere"
    home.mkdir(exist_ok=True)
    private = case.private(role).path
    return Joined(carrier, role, home, private, source, Consent(yes=True), lambda *_, **__: None)


def test_a_party_needs_a_table_and_a_study(case):
    carrier = Carrier(Memory())
    party = joined(case, carrier, "a/lab")
    assert party.look() == "a study: nobody has put one there"
    assert joined(case, carrier, "analyst").look() == ", ".join(case.parties)
    with pytest.raises(StudyError, match="name yours with --data"):
        party.look()


def test_a_study_of_peers_has_no_analyst(of_kind):
    case = of_kind("peers")
    with pytest.raises(StudyError, match="has nothing to do"):
        joined(case, Carrier(Memory()), "analyst").look()


def test_only_a_stream_lasts(of_kind):
    for kind, lasts in (("stream", True), ("clusters", False)):
        analyst = joined(of_kind(kind), Carrier(Memory()), "analyst")
        analyst.look()
        assert analyst.lasts is lasts
