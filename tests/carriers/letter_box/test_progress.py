"""How far a study is, by the times of files alone."""

import os

import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.letter_box.box import Box
from consilience.carriers.letter_box.notice import Notice, NoticedRole
from consilience.carriers.letter_box.progress import Attendance, read_progress
from consilience.carriers.parcel import EVERYONE, SLIP

STEPS = {"absent": "", "turn": "", "waiting": "", "done": ""}


def role(name, *waits_for, answers=False):
    return NoticedRole(name=name, waits_for=waits_for, answers=answers, steps=STEPS)


ONE_ROUND = Notice(
    title="",
    about="",
    roles=(role("analyst", "a", "b", answers=True), role("a", "analyst"), role("b", "analyst")),
)
PEERS = Notice(title="", about="", roles=(role("a", "b"), role("b", "a")))


class Place:
    """A folder into which letters are put at times of one's choice."""

    def __init__(self, folder):
        self.folder, self.root = folder, folder / "letters"
        self.root.mkdir()
        self.attendance = Attendance(folder / "seen")

    def put(self, sender, recipient, when, content=b"x"):
        (self.folder / "letter").write_bytes(content)
        carrier = Carrier(Folder(self.root))
        parcel = carrier.put(self.folder / "letter", sender=sender, recipient=recipient)
        os.utime(self.root / parcel.folder / SLIP, (when, when))

    def look(self, notice=ONE_ROUND):
        return read_progress(notice, Box(self.root), Folder(self.root).find(), self.attendance)

    def states(self, notice=ONE_ROUND):
        return [standing.state for standing in self.look(notice).standings]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_a_round_goes_from_absent_to_done(place):
    assert place.states() == ["absent", "absent", "absent"]
    for name in ("analyst", "a", "b"):
        place.attendance.note(name)
    assert place.states() == ["waiting", "turn", "turn"]
    place.put("a", "analyst", 100)
    assert place.states() == ["waiting", "waiting", "turn"]
    place.put("b", "analyst", 200)
    assert place.states() == ["turn", "waiting", "waiting"]
    place.put("analyst", "a", 300)
    assert place.states() == ["turn", "done", "waiting"]
    place.put("analyst", "b", 300)
    assert place.states() == ["done", "done", "done"]


def test_who_sends_again_waits_for_another_answer(place):
    for sender, to, when in (("a", "analyst", 100), ("b", "analyst", 100)):
        place.put(sender, to, when)
    for party in ("a", "b"):
        place.put("analyst", party, 200)
    place.put("a", "analyst", 300, b"another")
    assert place.states() == ["turn", "waiting", "done"]
    [owing] = [s for s in place.look().standings if s.owes]
    assert (owing.role.name, owing.owes, owing.owes_since(0)) == ("analyst", ("a",), 300)


def test_what_is_missing_is_missing_since_the_study_was_there(place):
    place.put("analyst", EVERYONE, 50)
    place.put("a", "analyst", 100)
    progress = place.look()
    assert progress.begun == 50
    [owing] = [s for s in progress.standings if s.owes]
    assert (owing.role.name, owing.owes_since(progress.begun)) == ("b", 50)


def test_peers_write_in_any_order(place):
    place.put("a", "b", 100)
    assert place.states(PEERS) == ["waiting", "absent"]
    place.put("b", "a", 90)
    assert place.states(PEERS) == ["done", "done"]


def test_letters_nobody_waits_for_are_nobodys_business(place):
    place.put("a", "b", 100)
    assert place.look().arrived == ()
    place.put("b", "analyst", 90)
    place.put("a", "analyst", 80)
    came = [letter[:3] for letter in place.look().arrived]
    assert came == [(80.0, "a", "analyst"), (90.0, "b", "analyst")]


def test_how_large_a_letter_is_is_told_only_if_that_is_allowed(place):
    place.put("a", "analyst", 80, b"0123456789")
    assert place.look().arrived == ((80.0, "a", "analyst", None),)
    allowed = ONE_ROUND.model_copy(update={"show_sizes": True})
    assert place.look(allowed).arrived == ((80.0, "a", "analyst", 10),)


def test_attendance_outlives_a_server_and_needs_no_disk(tmp_path):
    assert Attendance(tmp_path / "seen").note("a/lab")
    again = Attendance(tmp_path / "seen")
    assert again.when("a/lab") is not None
    assert not again.note("a/lab")
    (tmp_path / "file").write_text("")
    assert Attendance(tmp_path / "file" / "seen").note("a/lab")  # noted nowhere, and no error
