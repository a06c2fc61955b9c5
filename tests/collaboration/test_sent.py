"""What a party sent: from its own ledger, of one study."""

from consilience.collaboration.sent import entries_of, sent_section
from consilience.report.page import Note, Table
from consilience.study.study import Study

STUDY = Study.from_terms(
    {
        "name": "s",
        "grid": {"rows": ["a"], "columns": ["lab"]},
        "schema": {"lab": {f"x{k}": {"kind": "numeric", "bounds": [0, 1]} for k in range(3)}},
    }
)
ENTRY = {
    "when": "2026-02-03T04:05:06+00:00",
    "what": "contribution",
    "to": "analyst",
    "study": STUDY.digest,
    "file": "a.lab.contribution",
    "rows": 40,
    "dimensions": 1,
    "anchor_rows": 222,
    "bytes": 98765,
}
OTHER = {"what": "contribution", "study": "other", "rows": 31337}


def test_entries_of_this_study_are_shown_and_those_of_others_counted():
    section = sent_section(STUDY, [ENTRY, OTHER])
    (table,) = (part for part in section.parts if isinstance(part, Table))
    (row,) = table.rows
    assert row[:4] == ["2026-02-03 04:05:06", "contribution", "analyst", "a.lab.contribution"]
    assert row[4:] == [40, 1, 222, 98765, None]
    assert section.parts[-1] == "Entries of other studies, not shown: 1."
    assert entries_of(STUDY, [ENTRY, OTHER]) == [ENTRY]


def test_who_decided_against_the_audit_is_named():
    (table,) = sent_section(STUDY, [ENTRY | {"by": "Dr. No"}]).parts[1:]
    assert table.rows[0][1] == "contribution by Dr. No"


def test_only_what_is_asked_for_is_shown():
    (table,) = sent_section(STUDY, [ENTRY | {"epsilon": 2.0}], {"epsilon": "noise"}).parts[1:]
    assert table.header[4:] == ["noise"]
    assert table.rows[0][4:] == [2.0]


def test_an_empty_ledger_is_warned_of():
    assert [p.warning for p in sent_section(STUDY, []).parts if isinstance(p, Note)] == [True]
