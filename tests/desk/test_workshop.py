import json
import sys
import time
from pathlib import Path

import pytest

from consilience.desk.commands import Command
from consilience.desk.workshop import Workshop
from consilience.exceptions import StudyError


def speak():
    """Answer as a command does: by its words."""
    if "wait" in sys.argv:
        sys.stderr.write("reading …\n")
        sys.stderr.flush()
        time.sleep(60)
    if "read" in sys.argv:
        sys.stdout.write(json.dumps(str(len(sys.stdin.readline()))))
    else:
        sys.stdout.write(json.dumps({"folder": Path.cwd().name}))
    sys.exit(3 if "fail" in sys.argv else 0)


def ended(job):
    end = time.monotonic() + 60
    while job.running:
        assert time.monotonic() < end
        time.sleep(0.01)
    return job


@pytest.fixture(scope="module")
def workshop():
    return Workshop(speak)


def test_a_command_runs_in_the_folder_of_its_study_and_is_kept(workshop, seat):
    job = ended(workshop.start("check", Command(("say",)), seat))
    assert job.state == "done"
    assert seat.result("check")["found"] == {"folder": seat.path.name}
    assert seat.result("check")["command"] == "consilience say"
    assert not seat.kept("job.out").exists()


def test_a_passphrase_goes_in_by_standard_input(workshop, seat):
    job = ended(workshop.start("backup", Command(("read",), given="secret\n"), seat))
    assert job.found == "7"
    assert "secret" not in str(seat.result("backup"))


def test_one_at_a_time_and_it_can_be_stopped(workshop, seat):
    job = workshop.start("audit", Command(("wait",)), seat)
    with pytest.raises(StudyError, match="still at work"):
        workshop.start("check", Command(("say",)), seat)
    end = time.monotonic() + 60
    while not job.said and time.monotonic() < end:
        time.sleep(0.01)
    assert job.said == ["reading …"]
    job.cancel()
    assert ended(job).state == "stopped"
    assert job.seconds < 50
    assert seat.result("audit") is None


def test_a_refusal_is_told(workshop, seat):
    job = ended(workshop.start("x", Command(("read", "fail")), seat))
    assert (job.code, job.state) == (3, "done")  # it said what it found
    assert ended(workshop.start("x", Command(("read",)), seat)).state == "done"
