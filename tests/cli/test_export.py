import json

import pytest

PARTY = "a/lab"


@pytest.mark.parametrize(("form", "file"), [("crate", "bagit.txt"), ("acro", "results.json")])
def test_both_forms_are_written_once(cli, case, form, file):
    assert cli(*case.contribute_command(PARTY)).code == 0
    out = case.folder / form
    words = ("export", case.path, case.sent(PARTY), "--form", form, "--out", out)
    result = cli(*words)
    assert result.code == 0, result.err
    assert (out / file).exists()
    result = cli(*words)
    assert (result.code, "never overwritten" in result.err) == (2, True)


def test_evidence_that_does_not_hold_is_not_exported(cli, case):
    assert cli(*case.contribute_command(PARTY)).code == 0
    statement = case.folder / "out" / "a.lab.contribution.statement.json"
    fields = json.loads(statement.read_text())
    fields["signatures"] = []
    statement.write_text(json.dumps(fields))
    result = cli("export", case.path, case.sent(PARTY), "--out", case.folder / "x")
    assert (result.code, "is not signed" in result.err) == (2, True)
    assert not (case.folder / "x").exists()
