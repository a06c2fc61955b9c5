import base64
import json
import re
import struct

import numpy as np
import pandas as pd
import pyrage
import pytest

from consilience.messages import Answer, Contribution, Query
from consilience.study import ANALYST, Identity
from consilience.study.keys import derive_key
from consilience.transports.bundle import CONTEXT, MAGIC, read_bundle

ID = "patient id"


def test_summary_counts_what_arrived(cli, new_case):
    case = new_case()
    case.tables["a/life"] = case.tables["a/life"].iloc[4:]
    case.save_tables()
    case.contribute()
    result = cli(*case.analyse_command("--json"))
    assert result.code == 0, result.err
    summary = json.loads(result.out)
    assert summary["answered"] == case.parties
    assert summary["rows"] == summary["complete"] == {"a": 26, "b": 24}
    assert summary["unmatched"] == {"a": [4, 0], "b": [0, 0]}
    assert sum(summary["cluster_sizes"]) == 50
    assert summary["digest"] == case.study.digest


def test_analyst_needs_none_of_the_secrets(cli, case):
    case.contribute()
    for party in case.parties:
        for path in case.private(party).path.iterdir():
            path.unlink()
    assert sorted(p.name for p in case.private(ANALYST).path.iterdir()) == ["identity.toml"]
    assert cli(*case.analyse_command()).code == 0


def test_running_again_replaces_the_answers_with_the_same(cli, case):
    case.contribute()
    read = [
        {
            party: read_bundle(
                case.answer(party), study=case.study, identity=case.identities[party]
            )[0].labels.tolist()
            for party in case.parties
        }
        for _ in range(2)
        if cli(*case.analyse_command()).code == 0
    ]
    assert read[0] == read[1]


def test_missing_party_is_named_and_the_study_decides(cli, new_case):
    for rule, code in (("refuse", 2), ("go on", 0)):
        case = new_case(grid={"missing_party": rule})
        case.contribute()
        paths = [case.sent(p) for p in case.parties if p != "b/life"]
        result = cli(*case.analyse_command(paths=paths))
        assert result.code == code
        assert "['b/life']" in result.err
        answered = {p for p in case.parties if case.answer(p).exists()}
        assert answered == (set() if code else {"a/lab", "a/life", "b/lab"})
        # One more contribution: it works again, with all of them.
        assert cli(*case.analyse_command()).code == 0
        assert all(case.answer(p).exists() for p in case.parties)


def test_unmatched_rows_may_be_refused(cli, new_case):
    case = new_case(ids={"unmatched": "refuse"})
    case.tables["a/life"] = case.tables["a/life"].iloc[4:]
    case.save_tables()
    case.contribute()
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "(a/lab 4, a/life 0)" in result.err
    assert not (case.folder / "answers").exists()


def change_key(case, party, kind):
    """Give a party another secret than those it shares it with."""
    (case.private(party).path / f"{kind}.key").unlink()
    case.private(party).write_key(kind, bytes(32))


def test_parties_of_a_row_with_different_row_keys_share_no_row(cli, case):
    change_key(case, "a/life", "row")
    case.contribute()
    result = cli(*case.analyse_command("--json"))
    assert result.code == 0
    assert json.loads(result.out)["rows"] == {"a": 0, "b": 24}


def test_parties_of_a_column_with_different_column_keys_are_refused(cli, case):
    change_key(case, "b/lab", "column")
    case.contribute()
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "b/lab used another anchor than ['a/lab']" in result.err


# Faults: a clear message, exit code 2, and the answers of an earlier run as they were.


@pytest.fixture
def faulty(solved, cli, tmp_path):
    """Give the analyst another file in place of one contribution; return what it says."""

    def give(path, party="a/lab"):
        before = {p: solved.answer(p).read_bytes() for p in solved.parties}
        paths = [path if p == party else solved.sent(p) for p in solved.parties]
        result = cli(*solved.analyse_command(paths=paths))
        assert result.code == 2
        assert result.err.startswith("refused: ")
        assert result.err.count("\n") == 1
        assert {p: solved.answer(p).read_bytes() for p in solved.parties} == before
        return result.err

    return give


def test_damaged_contributions_are_refused(faulty, solved, tmp_path):
    good = solved.sent("a/lab").read_bytes()
    bad = tmp_path / "bad.contribution"
    for data in (b"", good[:-1], good[: len(good) // 2], good[:5] + b"x" + good[6:], b"{}" * 99):
        bad.write_bytes(data)
        assert "bad.contribution cannot be opened by 'analyst'" in faulty(bad)


def test_duplicated_contribution_is_refused(faulty, solved):
    reason = "b.lab.contribution and b.lab.contribution are both contributions of 'b/lab'"
    assert reason in faulty(solved.sent("b/lab"))


def test_answer_and_query_are_no_contributions(faulty, solved, tmp_path):
    assert "addressed to 'a/lab', not to 'analyst'" in faulty(solved.answer("a/lab"))
    header = {"study": solved.study.digest, "sender": "a/lab", "recipient": ANALYST}
    query = Query(**header, representation=np.ones((2, 3)))
    solved.send(query, tmp_path / "query")
    assert "query holds a Query, no contribution" in faulty(tmp_path / "query")
    labels = Answer(**header, labels=np.zeros(3, dtype=np.int64), n_clusters=1)
    solved.send(labels, tmp_path / "labels")
    assert "labels holds a Answer, no contribution" in faulty(tmp_path / "labels")


def test_contribution_of_an_older_study_is_refused_with_the_difference(faulty, solved, tmp_path):
    older = type(solved)(**{**vars(solved), "terms": {**solved.terms, "name": "an older study"}})
    header = {"study": older.study.digest, "sender": "a/lab", "recipient": ANALYST}
    X = np.ones((3, 3))
    older.send(
        Contribution(**header, representation=X, anchor=X, anchor_digest=""), tmp_path / "old"
    )
    reason = 'name is "a small study" here and "an older study" there'
    assert reason in faulty(tmp_path / "old")


def test_contribution_signed_or_sealed_by_others_is_refused(faulty, solved, tmp_path):
    identities, path = solved.identities, tmp_path / "other"
    plain = pyrage.decrypt(solved.sent("a/lab").read_bytes(), [identities[ANALYST].sealing])
    start = len(MAGIC) + 8
    n = int.from_bytes(plain[len(MAGIC) : start], "little")
    head, body = plain[start : start + n], plain[start + n + 64 :]
    signature = Identity.new("a/lab").sign(CONTEXT + head)
    forged = plain[: start + n] + signature + body
    path.write_bytes(pyrage.encrypt(forged, [identities[ANALYST].public.recipient]))
    assert "claims to come from 'a/lab', but is not signed with that role's key" in faulty(path)
    path.write_bytes(pyrage.encrypt(plain, [identities["b/life"].public.recipient]))
    assert "sealed to somebody else" in faulty(path)


def contribution(case, party="a/lab", **changes):
    path, identity = case.sent(party), case.identities[ANALYST]
    good, _ = read_bundle(path, study=case.study, identity=identity)
    return Contribution(**{**vars(good), **changes})


WRONG = {
    "fewer anchor rows": ({"anchor": np.ones((7, 3))}, "and a/lab 7"),
    "no pseudonyms": ({"pseudonyms": None}, "sent no pseudonyms"),
    "pseudonyms twice": ({"pseudonyms": np.zeros((30, 16), dtype=np.uint8)}, "pseudonyms twice"),
    "another width": (
        {"representation": np.ones((30, 2)), "anchor": np.ones((400, 2))},
        "2 dimensions",
    ),
}


@pytest.mark.parametrize(("changes", "reason"), WRONG.values(), ids=WRONG)
def test_contribution_that_does_not_fit_the_others_is_refused(
    faulty, solved, tmp_path, changes, reason
):
    solved.send(contribution(solved, **changes), tmp_path / "wrong")
    assert reason in faulty(tmp_path / "wrong")


def test_wrong_role_or_key_of_the_analyst_is_refused(cli, solved, new_case):
    result = cli(*solved.analyse_command("--as", "a/lab"))
    assert (result.code, "only the analyst solves" in result.err) == (2, True)
    other = new_case()
    result = cli(*solved.analyse_command("--private", other.private(ANALYST).path))
    assert (result.code, "other public keys of 'analyst'" in result.err) == (2, True)


def test_kill_during_analyse_leaves_no_half_answer(nursery, cli, case):
    case.contribute()
    codes = []
    for delay in np.linspace(0.0, 0.5, 10):
        codes.append(nursery.run(*case.analyse_command(), kill_after=delay).code)
        for party in case.parties:
            if case.answer(party).exists():
                read_bundle(case.answer(party), study=case.study, identity=case.identities[party])
    assert set(codes) <= {0, -9}
    assert -9 in codes
    result = nursery.run(*case.analyse_command())
    assert result.code == 0, result.err
    assert all(case.labels(party).notna().all() for party in case.parties)


def test_kill_in_the_middle_of_writing_leaves_no_half_answer(nursery, new_case):
    case = new_case(rows=("a",), columns=("lab",), n=(20_000,)).contribute()
    out = case.folder / "answers"

    def read():
        read_bundle(case.answer("a/lab"), study=case.study, identity=case.identities["a/lab"])

    nursery.run(*case.analyse_command(), kill_when=lambda: out.exists() and any(out.iterdir()))
    if case.answer("a/lab").exists():
        read()
    assert nursery.run(*case.analyse_command()).code == 0
    read()


def test_full_disk_during_analyse_leaves_the_earlier_answers(nursery, new_case):
    case = new_case(n=(24, 300)).contribute()
    assert nursery.run(*case.analyse_command()).code == 0
    before = {p: case.answer(p).read_bytes() for p in case.parties}
    sizes = sorted(map(len, before.values()))
    # The seal has a random length: limits stay well below the size of the largest answer.
    for limit in (10, 1000, sizes[0] // 2, sizes[-1] // 2, 3 * sizes[-1] // 4):
        result = nursery.run(*case.analyse_command(), limit=limit)
        assert result.code == 1, result.err
        assert "failed: " in result.err
        assert "Traceback" not in result.err
        assert {p: case.answer(p).read_bytes() for p in case.parties} == before
        assert len(list((case.folder / "answers").iterdir())) == len(case.parties)


# Canaries: nothing a party keeps is in what others receive, or in any word said anywhere.


def canaries_of(case):
    """Return the secrets, ids and raw values of each party, in every form they might leak in."""
    found = {}
    for party in case.parties:
        row, column = party.split("/")
        secrets = [case.column_keys[column], case.row_keys[row]]
        secrets += [derive_key(case.row_keys[row], "pseudonym")]
        secrets += [derive_key(case.column_keys[column], "anchor gaussian")]
        secrets += [case.identities[party].signing.private_bytes_raw()]
        forms = [*secrets, *(s.hex().encode() for s in secrets)]
        forms += [str(case.identities[party].sealing).encode()]
        for name, values in case.tables[party].items():
            if name == ID:
                forms += [str(v).encode() for v in values]
                forms += [str(v).casefold().encode() for v in values]
            elif values.dtype == float:
                for value in values:
                    # Six digits in a row are no accident, the eight bytes even less.
                    forms += [struct.pack("<d", value), struct.pack(">d", value)]
                    digits = f"{value:.6g}"
                    forms += [digits.encode()] if len(digits) > 6 else []
        found[party] = forms
    return found


def leaks(canaries, *texts):
    """Return the canaries that are in what was said or sent."""
    data = b"\n".join(t if isinstance(t, bytes) else t.encode() for t in texts)
    return [form for form in canaries if form in data]


def said(result):
    return result.out + result.err


@pytest.fixture
def planted(new_case):
    """A study whose values and ids cannot be taken for anything else."""
    case = new_case(answer="representation")
    rng = np.random.default_rng(1)
    for party, table in case.tables.items():
        for name in table.columns:
            if table[name].dtype == float:
                scale = case.terms["schema"][party.split("/")[1]][name]["bounds"][1]
                table[name] = rng.uniform(0.1 * scale, 0.9 * scale, len(table))
        table[ID] = table[ID].map(lambda i: f"CANARY-{i}-{party[0]}{'x' * 8}")  # noqa: B023
    case.save_tables()
    return case


def plain_of(case, path, role):
    return pyrage.decrypt(path.read_bytes(), [case.identities[role].sealing])


def test_canaries_stay_at_home(cli, planted):
    case = planted
    canaries = canaries_of(case)
    everything = [form for forms in canaries.values() for form in forms]
    for party in case.parties:
        result = cli(*case.contribute_command(party))
        assert result.code == 0, result.err
        # What the party itself is shown names columns and counts only.
        assert not leaks(everything, said(result))
    received = [plain_of(case, case.sent(p), ANALYST) for p in case.parties]
    sealed = [case.sent(p).read_bytes() for p in case.parties]
    assert not leaks(everything, *received, *sealed)
    for command in (case.analyse_command(), case.analyse_command("--json")):
        result = cli(*command)
        assert result.code == 0, result.err
        assert not leaks(everything, said(result))
    for party in case.parties:
        others = [f for p in case.parties if p != party for f in canaries[p]]
        own = {*canaries[party]}
        others = [form for form in others if form not in own]  # keys and ids they share
        answer = plain_of(case, case.answer(party), party)
        result = cli("show", case.path, case.answer(party), "--as", party)
        labelled = cli(*case.label_command(party))
        ledger = (case.private(party).path / "ledger.jsonl").read_bytes()
        assert not leaks(others, answer, said(result), said(labelled), ledger)
        assert not leaks(everything, said(result), said(labelled), ledger)
        assert not leaks(everything, answer)
    analyst = b"".join(p.read_bytes() for p in case.private(ANALYST).path.iterdir())
    assert not leaks(everything, analyst, case.path.read_bytes())


def test_audit_and_report_show_no_canary(cli, planted):
    case = planted.contribute()
    assert cli(*case.analyse_command()).code == 0
    canaries = canaries_of(case)
    everything = [form for forms in canaries.values() for form in forms]
    page, picture = case.folder / "page.html", case.folder / "frontier.svg"
    own = ("--as", "a/lab", "--data", case.data("a/lab"), "--id", ID)
    for more in (
        ("--json",),
        ("--frontier", "--json"),
        ("--frontier", "--epsilon", "50", "--picture", picture, "--report", page),
    ):
        result = cli("audit", case.path, *own, "--repeats", "2", *more)
        assert result.code == 0, result.err
        assert not leaks(everything, said(result))
    assert not leaks(everything, *texts_of(page), picture.read_bytes())
    inbox = [case.sent(party) for party in case.parties]
    result = cli("report", case.path, "--as", ANALYST, *inbox, "--out", page)
    assert result.code == 0, result.err
    assert not leaks(everything, said(result), *texts_of(page))
    result = cli("report", case.path, *own, case.answer("a/lab"), "--out", page)
    assert result.code == 0, result.err
    # Not even on the page that stays at home: it has statistics of columns and no cell.
    assert not leaks(everything, said(result), *texts_of(page))


def texts_of(page):
    """Return a page and the pictures inside it."""
    html = page.read_text(encoding="utf-8")
    return [html, *(base64.b64decode(code) for code in re.findall(r"base64,([^\"]+)", html))]


def test_canary_test_sees_a_planted_leak(planted):
    case = planted
    canaries = canaries_of(case)["a/lab"]
    case.contribute()
    rows = case.participant("a/lab").read_rows(case.source("a/lab"))
    raw = contribution(case, representation=np.ascontiguousarray(rows.matrix[:, :3]))
    case.send(raw, case.folder / "raw")
    assert leaks(canaries, plain_of(case, case.folder / "raw", ANALYST))
    ids = np.frombuffer(b"".join(i[:16].encode() for i in rows.ids), dtype=np.uint8)
    named = contribution(case, pseudonyms=ids.reshape(-1, 16), anchor_digest=rows.ids.iloc[0])
    case.send(named, case.folder / "named")
    assert leaks(canaries, plain_of(case, case.folder / "named", ANALYST))
    keyed = contribution(case, anchor_digest=case.row_keys["a"].hex())
    case.send(keyed, case.folder / "keyed")
    assert leaks(canaries, plain_of(case, case.folder / "keyed", ANALYST))
    assert leaks(canaries, f"refused: age is {case.tables['a/lab']['age'].iloc[0]:.6g}")


SECRET_TEXT = "CANARYTEXT4711"
SECRET_NUMBER = 98765.4321987


def broken_tables(table):
    """Yield tables that will be refused because of a canary, or near one."""
    for name in table.columns:
        for value in (SECRET_TEXT, SECRET_NUMBER, f"{SECRET_TEXT}\x00", f'"{SECRET_TEXT}', ""):
            broken = table.astype(object)
            broken.iloc[2, broken.columns.get_loc(name)] = value
            yield broken.to_csv(index=False)
    text = table.to_csv(index=False)
    yield text + f"{SECRET_TEXT},{SECRET_NUMBER},{SECRET_TEXT},1,2,3,4,5\n"
    yield text.replace("\n", f",{SECRET_TEXT}\n").replace(f",{SECRET_TEXT}", "", 1)
    yield text.replace(",", ";")
    yield text + f'"{SECRET_TEXT}'
    yield text + table.iloc[:1].to_csv(index=False, header=False)
    yield pd.concat([table, table]).to_csv(index=False)


def test_errors_of_failing_commands_hold_no_canary(cli, planted):
    case = planted
    everything = [form for forms in canaries_of(case).values() for form in forms]
    everything += [SECRET_TEXT.encode(), SECRET_TEXT.lower().encode(), b"98765.4"]
    failed = 0
    audit = ("audit", case.path, "--as", "a/lab", "--data", case.data("a/lab"), "--id", ID)
    audit += ("--repeats", "2")
    for text in broken_tables(case.tables["a/lab"]):
        for encoding in ("utf-8", "utf-16"):
            case.data("a/lab").write_text(text, encoding=encoding)
            for command in (case.contribute_command("a/lab"), audit)[: 2 - (encoding != "utf-8")]:
                result = cli(*command)
                failed += result.code == 2
                assert result.code in (0, 2)
                assert not leaks(everything, said(result))
    assert failed > 45
    case.save_tables()
    key = case.private("a/lab").path / "row.key"
    for damaged in (key.read_text()[:-9], key.read_text().replace("\n", "g\n")):
        key.write_text(damaged)
        result = cli(*case.contribute_command("a/lab"))
        assert (result.code, leaks(everything, said(result))) == (2, [])
