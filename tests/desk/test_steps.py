from consilience.desk.seat import Seat
from consilience.desk.steps import next_step, steps_of


def pages(seat):
    return [step.page for step in steps_of(seat)]


def test_the_way_of_a_party_and_of_the_analyst(seat):
    assert pages(seat) == ["study", "keys", "table", "leave", "result"]
    assert next_step(seat).page == "table"
    seat.remember(role="analyst")
    assert pages(seat) == ["study", "keys", "inbox", "answer"]
    assert "Waits for a/lab" in next_step(seat).said


def test_a_study_begins_with_a_draft_and_who_one_is(seat, tmp_path):
    assert pages(Seat("x", tmp_path)) == ["draft"]
    seat.remember(role="")
    assert next_step(seat).page == "study"


def test_what_left_is_a_step_done(seat, cli, case):
    assert cli(*case.contribute_command("a/lab", "--out", case.folder)).code == 0
    done = {step.page: step.done for step in steps_of(seat)}
    assert done["leave"]
    assert not done["result"]
    (seat.path / "labels.csv").touch()
    assert {step.page: step.done for step in steps_of(seat)}["result"]
