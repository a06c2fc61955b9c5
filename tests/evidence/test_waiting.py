import pytest

from consilience.evidence.release import seal_release, write_statement
from consilience.evidence.statement import Circumstances
from consilience.evidence.waiting import bundles_waiting, waiting_folder
from consilience.study.together import replace_together
from consilience.transports.bundle import manifest_of

PARTY = "a/lab"


@pytest.fixture
def put(case, tmp_path):
    me, [letter] = case.participant(PARTY), case.leaving(PARTY).letters
    manifest = manifest_of(letter.message, case.study, "a test")
    known, name = Circumstances("contribution", {"rows": 30}), "x.contribution"
    with replace_together(waiting_folder(me)) as opened:
        envelope = seal_release(opened, name, me, letter.message, manifest, known)
    with replace_together(tmp_path) as opened:
        write_statement(opened, name, envelope)
    return me, manifest, waiting_folder(me) / name, envelope


def test_what_waits_leaves_as_it_is_and_the_ledger_can_say_it(put, tmp_path):
    me, manifest, path, _ = put
    sealed = path.read_bytes()
    [bundle], notes = bundles_waiting(me, tmp_path)
    assert notes == []
    what, details = bundle.entry()
    assert (what, details["rows"], details["digest"]) == ("contribution", 30, manifest.digest)
    assert bundle.leave(tmp_path).read_bytes() == sealed
    assert bundles_waiting(me, tmp_path) == ([], [])


def test_a_statement_that_was_exchanged_outside_is_not_believed(put, tmp_path, case):
    me, *_, envelope = put
    (tmp_path / "x.contribution.statement.json").write_text("{}")
    [bundle], _ = bundles_waiting(me, tmp_path)
    assert bundle.checked.envelope == envelope
