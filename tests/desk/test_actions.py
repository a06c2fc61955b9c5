import pytest

from consilience.cli.app import VERBS
from consilience.desk.actions import ACTIONS, command_of
from consilience.exceptions import StudyError

CONSENT = {"by": "Dr. Novak", "agreed": "yes"}


def test_an_act_is_the_command_a_person_would_type(seat):
    shown = command_of("check", seat, {}).shown
    assert shown == (
        "consilience check study.toml --as a/lab --data a.lab.csv --id 'patient id' "
        "--preview .desk/preview.csv"
    )


@pytest.mark.parametrize("missing", ["by", "agreed"])
def test_nothing_leaves_without_a_name_and_a_tick(seat, missing):
    with pytest.raises(StudyError, match="tick the box and type your name"):
        command_of("contribute", seat, {**CONSENT, missing: ""})


def test_a_name_is_never_an_option(seat):
    words = command_of("contribute", seat, {**CONSENT, "by": "--override"}).words
    assert "--by=--override" in words
    assert "--override" not in words


def test_every_act_is_a_verb(seat, case):
    seat.remember(place="https://box:8443")
    arrived = [f"arrived/x/a.{ending}" for ending in ("answer", "contribution", "backup.age")]
    for file in (*arrived, "public/a.public.toml"):
        (seat.path / file).parent.mkdir(parents=True, exist_ok=True)
        (seat.path / file).touch()
    (seat.path / "tables").mkdir()
    (seat.path / "tables" / "a.csv").touch()
    form = {**CONSENT, "group-0": "lab", "rows": "a b"}
    assert {command_of(action, seat, form).words[0] for action in ACTIONS} <= set(VERBS)


def test_a_draft_is_made_of_the_tables_that_were_named(seat):
    (seat.path / "tables").mkdir()
    for name in ("a.csv", "b.csv"):
        (seat.path / "tables" / name).touch()
    form = {"group-1": "life", "rows": "north south", "kind": "clusters", "clusters": "2-4"}
    words = command_of("init", seat, form).words
    assert words[words.index("--from") + 1] == "life=tables/b.csv"
    assert words[words.index("--rows") + 1] == "north,south"


def test_what_is_not_there_is_asked_for(seat):
    for action in ("label", "analyse", "collect", "carry"):
        with pytest.raises(StudyError):
            command_of(action, seat, {})
    with pytest.raises(StudyError, match="no such action"):
        command_of("rm", seat, {})


def test_passphrases_that_differ_are_refused_and_one_is_not_shown(seat):
    with pytest.raises(StudyError, match="differ"):
        command_of("backup", seat, {"passphrase": "one long one", "repeated": "other"})
    same = {"passphrase": "correct horse", "repeated": "correct horse"}
    command = command_of("backup", seat, same)
    assert "horse" not in command.shown
    assert command.given == "correct horse\n"


def test_a_passphrase_of_a_restored_back_up_is_not_shown(seat):
    with pytest.raises(StudyError, match="no back-up is here"):
        command_of("restore", seat, {"passphrase": "correct horse"})
    (seat.path / "arrived" / "by-hand").mkdir(parents=True)
    (seat.path / "arrived" / "by-hand" / "a.lab.backup.age").touch()
    command = command_of("restore", seat, {"passphrase": "correct horse"})
    assert command.shown.endswith("--restore arrived/by-hand/a.lab.backup.age")
    assert command.given == "correct horse\n"
