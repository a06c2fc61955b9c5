"""From a table to what leaves."""

import pytest

from consilience.by_files import by_files
from consilience.cli.shared.sending import Consent, send_table
from consilience.exceptions import StudyError


def test_what_was_agreed_to_leaves_and_is_noted(case):
    me, kind = case.participant("a/lab"), by_files(case.study, "contribute")
    written, leaving = send_table(me, kind, case.source("a/lab"), case.folder, Consent(yes=True))
    assert [path.name for path in written] == ["a.lab.contribution"]
    assert leaving.entry == "contribution"
    assert len(me.folder.ledger.contributions(case.study.digest)) == 1


def test_without_consent_nothing_leaves(case, monkeypatch):
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    me, kind = case.participant("a/lab"), by_files(case.study, "contribute")
    with pytest.raises(StudyError, match="you did not agree"):
        send_table(me, kind, case.source("a/lab"), case.folder, Consent())
    assert not me.folder.ledger.contributions(case.study.digest)
    assert not list(case.folder.glob("*.contribution"))
