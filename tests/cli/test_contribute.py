import gzip
import hashlib
import io
import json
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consilience.messages import LabelCounts
from consilience.study.study import ANALYST
from consilience.transports.bundle import open_bundle, read_bundle

ID = "patient id"
PARTY = "a/lab"
SOURCE = Path(__file__).parents[2] / "src"


def files_below(folder):
    """Return every file with its bytes, to see that nothing was written."""
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_contribution_is_what_was_shown_and_noted(cli, case):
    result = cli(*case.contribute_command(PARTY))
    assert result.code == 0, result.err
    shown = result.out.replace(",", "")
    message, _ = read_bundle(case.sent(PARTY), study=case.study, identity=case.identities[ANALYST])
    n, k = message.representation.shape
    assert f"{n} rows x {k} dimensions" in shown
    (entry,) = case.private(PARTY).ledger.entries()
    manifest = open_bundle(case.sent(PARTY), case.identities[PARTY])[0]
    assert (entry["what"], entry["to"], entry["rows"]) == ("contribution", ANALYST, n)
    assert entry["study"] == case.study.digest
    assert entry["bytes"] == manifest.n_bytes
    assert str(manifest.n_bytes) in shown
    assert entry["members"] == {m.name: m.sha256 for m in manifest.members}
    assert "would rebuild" in " ".join(result.err.split())


def test_nothing_is_written_outside_the_chosen_folders(cli, case):
    before = set(files_below(case.folder))
    assert cli(*case.contribute_command(PARTY)).code == 0
    private = case.private(PARTY).path
    ledger = {private / f"ledger.{ending}" for ending in ("jsonl", "head", "lock")}
    [reduction], sent = private.glob("reduction-*.safetensors"), case.sent(PARTY)
    [order] = private.glob("sent-*.safetensors")
    written = {*ledger, private / "letters.lock", private / "pinned.json", reduction, order}
    public = {sent.with_name(sent.name + end) for end in ("", ".statement.json", ".statement.txt")}
    assert set(files_below(case.folder)) - before == written | public
    for path in written:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_rows_are_sent_in_the_order_of_pseudonyms(cli, case):
    cli(*case.contribute_command(PARTY))
    message, _ = read_bundle(case.sent(PARTY), study=case.study, identity=case.identities[ANALYST])
    codes = [code.tobytes() for code in message.pseudonyms]
    assert codes == sorted(codes)


def test_without_consent_nothing_leaves(cli, case, monkeypatch):
    before = files_below(case.folder)
    command = [part for part in case.contribute_command(PARTY) if part != "--yes"]
    for said in ("n\n", ""):
        monkeypatch.setattr("sys.stdin", io.StringIO(said))
        result = cli(*command)
        assert result.code == 2
        assert "nothing was written: you did not agree" in result.err
        assert files_below(case.folder) == before
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert cli(*command).code == 0


def change_cell(column, value):
    def change(table):
        table = table.astype(object)
        table.iloc[3, table.columns.get_loc(column)] = value
        return table

    return change


TABLES = {
    "missing column": (lambda t: t.drop(columns="age"), "has no column 'age'"),
    "extra column": (lambda t: t.assign(more=1), "also has 'more'"),
    "no id column": (lambda t: t.drop(columns=ID), "has no column 'patient id'"),
    "text in a number": (
        change_cell("age", "old"),
        "'age' has 1 value that cannot be read as finite",
    ),
    "infinite": (change_cell("age", "inf"), "'age' has 1 value that cannot be read as finite"),
    "too many digits": (change_cell("age", "9" * 400), "'age' has 1 value that cannot be read"),
    "out of bounds": (change_cell("age", 121.5), "outside the study's bounds [0, 120]"),
    "unknown category": (change_cell("ward", "west"), "1 value outside the declared"),
    "number in a category": (change_cell("grade", 2), "1 value outside the declared"),
    "missing value": (change_cell("age", ""), "'age' has 1 missing value"),
    "no rows": (lambda t: t.iloc[:0], "the table has no rows"),
    "empty id": (change_cell(ID, " "), "1 rows have an empty id"),
    "id twice": (lambda t: pd.concat([t, t.iloc[:2]]), "2 rows repeat the id"),
    "id twice but for case": (
        lambda t: pd.concat([t, t.iloc[:1].assign(**{ID: t[ID].iloc[0].lower() + " "})]),
        "1 rows repeat the id",
    ),
}


def change_table(case, party, change):
    case.tables[party] = change(case.tables[party])
    case.save_tables()


def refused(cli, case, reason, *more):
    before = files_below(case.folder)
    result = cli(*case.contribute_command(PARTY, *more))
    assert result.code == 2, result
    assert result.err.startswith("refused: ")
    assert result.err.count("\n") == 1
    assert reason in result.err
    assert files_below(case.folder) == before
    return result


@pytest.mark.parametrize(("change", "reason"), TABLES.values(), ids=TABLES)
def test_table_that_does_not_fit_is_refused(cli, case, change, reason):
    change(case.tables[PARTY]).to_csv(case.data(PARTY), index=False)
    refused(cli, case, reason)


HEADER = "age,pressure (mmHg),patient id,ward,grade\n"
GOOD = "40,120,P1,north,low\n50,130,P2,None,mid\n"
RAW = {
    "empty file": b"",
    "line feeds": b"\n\n\n",
    "header alone": HEADER.encode(),
    "binary": bytes(range(256)) * 4,
    "no known letters": (HEADER + "40,120,P1,north,low\n").encode() + b"50,130,P\x81,None,mid\n",
    "UTF-16 without its mark": (HEADER + GOOD).encode("utf-16-le"),
    "rows longer than the header": (HEADER + "40,120,P1,north,low,9\n50,130,P2,None,mid,9\n"),
    "one row longer than the header": HEADER + GOOD + "60,140,P3,north,low,9\n",
    "one row shorter than the header": HEADER + GOOD + "60,140,P3\n",
    "open quote": HEADER + GOOD + '"60,140,P3,north,low\n',
}
WRITINGS = {
    "UTF-16": (HEADER + GOOD).encode("utf-16"),
    "semicolons": (HEADER + GOOD).replace(",", ";").encode(),
    "cp1252": (HEADER + GOOD).replace("P1", "Pä").encode("cp1252"),
}


@pytest.mark.parametrize("data", WRITINGS.values(), ids=WRITINGS)
def test_a_table_may_be_written_in_other_ways(cli, case, data):
    case.data(PARTY).write_bytes(data)
    assert cli(*case.contribute_command(PARTY)).code == 0


@pytest.mark.parametrize("data", RAW.values(), ids=RAW)
def test_file_that_is_no_table_is_refused(cli, case, data):
    case.data(PARTY).write_bytes(data if isinstance(data, bytes) else data.encode())
    refused(cli, case, "")


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b[:40], lambda b: b"no gzip"])
def test_damaged_gzip_file_is_refused(cli, case, damage):
    packed = case.folder / "table.csv.gz"
    good = gzip.compress((HEADER + GOOD).encode(), mtime=0)
    packed.write_bytes(damage(good))
    command = case.contribute_command(PARTY, "--data", packed)
    result = cli(*command)
    assert result.code == 2
    assert "table.csv.gz cannot be read as a table" in result.err
    packed.write_bytes(good)
    assert cli(*command).code == 0


def test_parquet_with_lists_for_numbers_is_refused(cli, case):
    pytest.importorskip("pyarrow")
    table = case.tables[PARTY].copy()
    path = case.folder / "table.parquet"
    table.to_parquet(path)
    assert cli(*case.contribute_command(PARTY, "--data", path)).code == 0
    table["age"] = [[1.0, 2.0]] * len(table)
    table.to_parquet(path)
    result = cli(*case.contribute_command(PARTY, "--data", path))
    assert result.code == 2
    assert "'age' has 30 values that cannot be read as finite numbers" in result.err
    path.write_bytes(path.read_bytes()[:-30])
    result = cli(*case.contribute_command(PARTY, "--data", path))
    assert result.code == 2
    assert "cannot be read as a table" in result.err


def test_rows_left_out_by_a_rule_are_counted(cli, new_case):
    case = new_case(ids={"duplicates": "first", "empty": "drop"})
    table = case.tables[PARTY].astype(object)
    pd.concat([table, table.iloc[:2], table.iloc[:3].assign(**{ID: ""})]).to_csv(
        case.data(PARTY), index=False
    )
    result = cli(*case.contribute_command(PARTY))
    assert result.code == 0, result.err
    assert "3 rows have an empty id, and are left out" in result.err
    assert "2 rows repeat the id of an earlier row, and are left out" in result.err


def test_keys_that_others_can_read_are_refused(cli, case):
    for name in ("identity.toml", "column.key", "row.key"):
        path = case.private(PARTY).path / name
        path.chmod(0o644)
        refused(cli, case, "can be read by others on this machine: run chmod 600")
        path.chmod(0o600)
    assert cli(*case.contribute_command(PARTY)).code == 0


def test_missing_or_damaged_keys_are_refused_without_showing_them(cli, case):
    for name in ("identity.toml", "column.key", "row.key"):
        path = case.private(PARTY).path / name
        text = path.read_text()
        path.unlink()
        refused(cli, case, f"{name} is missing")
        path.touch(mode=0o600)
        for damaged in (text[:-20], "", text.replace("a", "g"), "\x00" * 70):
            path.write_text(damaged)
            result = refused(cli, case, "damaged")
            assert not any(line[-30:] in result.err for line in text.splitlines() if line)
        path.write_text(text)


def test_roles_must_be_in_the_study_with_their_own_keys(cli, case, new_case):
    before = files_below(case.folder)
    other = new_case()
    for role, private, reason in (
        ("c/lab", case.private(PARTY).path, "'c/lab' is not a party of the study"),
        (PARTY, case.private("b/lab").path, "holds the identity of 'b/lab', not of 'a/lab'"),
        (PARTY, other.private(PARTY).path, "other public keys of 'a/lab'"),
        (PARTY, case.folder / "nowhere", "identity.toml is missing"),
    ):
        result = cli(*case.contribute_command(PARTY, "--as", role, "--private", private))
        assert result.code == 2
        assert reason in result.err
    del case.terms["keys"][ANALYST]
    case.write()
    result = cli(*case.contribute_command(PARTY))
    assert "the study has no public keys of 'analyst'" in result.err
    assert files_below(case.folder) == {**before, case.path: case.path.read_bytes()}


def test_error_text_is_one_line_without_markup_or_commands(cli, case):
    odd = case.folder / "[red] [bold]\x1b[2J.csv"
    odd.write_text("x\n1\n")
    result = cli(*case.contribute_command(PARTY, "--data", odd, "--ignore", "[/x]"))
    assert result.code == 2
    assert "[red] [bold]?[2J.csv has no columns ['[/x]']" in result.err
    assert result.err.count("\n") == 1


def test_ledger_is_json_lines(cli, case):
    for _ in range(2):
        assert cli(*case.contribute_command(PARTY)).code == 0
    lines = (case.private(PARTY).path / "ledger.jsonl").read_text().splitlines()
    assert [json.loads(line)["file"] for line in lines] == ["a.lab.contribution"] * 2


def test_noise_of_the_study_is_shown_noted_and_added_up(cli, new_case):
    pytest.importorskip("opendp")
    case = new_case(reduction={"epsilon": 40.0, "budget": 100.0})
    for total in (40.0, 80.0):
        change_table(case, PARTY, lambda t: t.iloc[1:])
        result = cli(*case.contribute_command(PARTY))
        assert result.code == 0, result.err
        entry = case.private(PARTY).ledger.entries()[-1]
        assert (entry["epsilon"], entry["spent"]) == (40.0, total)
        assert f"epsilon {total:g} of 100" in result.out
    change_table(case, PARTY, lambda t: t.iloc[1:])
    refused(cli, case, "contribution costs epsilon 40.0, but 80.0 of 100.0 is spent")


def test_budget_does_not_begin_anew_with_changed_terms(cli, new_case):
    pytest.importorskip("opendp")
    case = new_case(reduction={"epsilon": 40.0, "budget": 60.0})
    assert cli(*case.contribute_command(PARTY)).code == 0
    case.terms["clustering"]["seed"] += 1
    case.terms["reduction"]["epsilon"] += 1
    case.write()
    refused(cli, case, "but 40.0 of 60.0 is spent", "--accept")


def test_the_same_rows_are_not_drawn_again_for_other_terms(cli, new_case):
    pytest.importorskip("opendp")
    case = new_case(reduction={"epsilon": 40.0, "budget": 40.0})
    for _ in range(2):
        result = cli(*case.contribute_command(PARTY, "--accept"))
        assert result.code == 0, result.err
        case.terms["clustering"]["seed"] += 1
        case.write()
    entries = case.private(PARTY).ledger.entries()
    assert [e["what"] for e in entries] == ["charge", "drawn", "contribution", "contribution"]
    assert entries[-1]["spent"] == 40.0


def test_other_terms_than_those_relied_on_are_shown_and_refused_without_accept(cli, case):
    assert cli(*case.contribute_command(PARTY)).code == 0
    case.terms["clustering"]["n_clusters"] = 4
    case.write()
    said = refused(cli, case, "this is not the study you relied on so far").err
    assert "clustering.n_clusters is 4 here and 3 there" in said
    assert cli(*case.contribute_command(PARTY, "--accept")).code == 0
    assert cli(*case.contribute_command(PARTY)).code == 0


def test_fingerprints_of_study_and_recipient_are_shown(cli, case):
    shown = cli(*case.contribute_command(PARTY)).out
    keys = case.study.public_keys(ANALYST)
    for digits in (case.study.fingerprint, keys.fingerprint):
        assert all(group in shown for group in digits.split())


def test_noise_comes_too_late_for_what_left_without_it(cli, new_case):
    pytest.importorskip("opendp")
    case = new_case()
    assert "without noise" not in " ".join(cli(*case.contribute_command(PARTY)).err.split())
    case.terms["reduction"] = {**case.terms.get("reduction", {}), "epsilon": 40.0}
    case.write()
    for _ in range(2):
        warned = " ".join(cli(*case.contribute_command(PARTY, "--accept")).err.split())
        assert "1 earlier contribution left without noise, the last on" in warned
        assert "noise does not protect what left before it" in warned


def test_noise_that_was_seen_and_declined_is_paid_and_shown_again(cli, new_case, monkeypatch):
    pytest.importorskip("opendp")
    case = new_case(reduction={"epsilon": 40.0, "budget": 40.0})
    command = [part for part in case.contribute_command(PARTY) if part != "--yes"]
    for _ in range(3):
        monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
        result = cli(*command)
        assert result.code == 2
        assert "epsilon 40 of 40" in result.out
    private = case.private(PARTY)
    assert [e["what"] for e in private.ledger.entries()] == ["charge", "drawn"]
    [kept] = private.path.glob("draw-*")
    seen = kept.read_bytes()
    assert cli(*case.contribute_command(PARTY)).code == 0
    assert kept.read_bytes() == seen


def test_noisy_rows_are_what_is_sent(cli, new_case):
    pytest.importorskip("opendp")
    case = new_case(reduction={"epsilon": 0.5})
    sent = []
    for _ in range(2):
        change_table(case, PARTY, lambda t: t.iloc[1:])
        assert cli(*case.contribute_command(PARTY)).code == 0
        analyst = case.identities[ANALYST]
        sent.append(read_bundle(case.sent(PARTY), study=case.study, identity=analyst)[0])
    # Noise of 12 ranges or more on each value; without it coordinates stay within a few.
    assert all(abs(m.representation).max() > 12 for m in sent)
    assert not np.isin(sent[0].representation, sent[1].representation).any()


def test_study_with_noise_is_solved_and_labelled(new_case, cli):
    pytest.importorskip("opendp")
    case = new_case(reduction={"epsilon": 5000.0}).contribute()
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    assert case.labels(PARTY).notna().all()


def test_missing_extra_is_refused_with_the_command(cli, new_case, monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    case = new_case(reduction={"epsilon": 40.0})
    refused(cli, case, "consilience[dp]")


# Classes leave with the rows of their holder, or as counts alone.


def test_the_holder_sends_classes_and_the_others_none(cli, of_kind):
    case = of_kind("classes")
    change_table(case, PARTY, lambda t: t.assign(ill=t.ill.where(np.arange(len(t)) >= 6)))
    shown = " ".join(cli(*case.contribute_command(PARTY)).out.split())
    assert "24 of 30: the analyst learns them" in shown
    assert "the analyst learns them" not in cli(*case.contribute_command("a/life")).out


CLASSES = {
    "numbers": (lambda t: t.assign(ill=np.linspace(0.125, 9.875, 30)), "30 rows with a class that"),
    "no such class": (lambda t: t.assign(ill="perhaps"), "not among the 2 classes"),
    "no column": (lambda t: t.drop(columns="ill"), "has no column 'ill'"),
}


@pytest.mark.parametrize("kind", ["classes", "groups"])
@pytest.mark.parametrize(("change", "reason"), CLASSES.values(), ids=CLASSES)
def test_what_is_no_class_is_refused_without_showing_it(cli, of_kind, kind, change, reason):
    case = of_kind(kind)
    change_table(case, PARTY, change)
    said = refused(cli, case, reason).err
    assert "9.875" not in said
    assert "perhaps" not in said


def test_counts_leave_and_nothing_of_any_row(cli, of_kind):
    case = of_kind("groups")
    change_table(case, PARTY, lambda t: t.assign(ill=["yes"] * 8 + ["no"] * 22))
    shown = " ".join(cli(*case.contribute_command(PARTY)).out.split())
    assert "no: 22, yes: 8" in shown
    assert "nothing: no coordinates, no class, no pseudonym" in shown
    message, _ = read_bundle(case.sent(PARTY), study=case.study, identity=case.identities[ANALYST])
    assert isinstance(message, LabelCounts)
    assert message.counts.tolist() == [22, 8]
    result = cli(*case.contribute_command("a/life"))
    assert (result.code, "'a/life' has nothing to send" in result.err) == (2, True)
    change_table(case, PARTY, lambda t: t.assign(ill=None))
    result = cli(*case.contribute_command(PARTY))
    assert "has no row of any of the 2 classes of the study" in result.err


def test_noise_on_counts_is_charged_until_the_budget_ends(cli, of_kind):
    pytest.importorskip("opendp")
    case = of_kind("groups")
    case.terms["learning"] |= {"epsilon": 1.0, "budget": 1.5}
    case.write()
    result = cli(*case.contribute_command(PARTY))
    assert result.code == 0, result.err
    assert "epsilon 1 of 1.5" in " ".join(result.out.split())
    entry = case.private(PARTY).ledger.entries()[-1]
    assert (entry["epsilon"], entry["spent"]) == (1.0, 1.0)
    first = case.private(PARTY).ledger.entries()
    assert cli(*case.contribute_command(PARTY)).code == 0
    assert case.private(PARTY).ledger.entries()[:-1] == first
    change_table(case, PARTY, lambda t: t.iloc[1:])
    refused(cli, case, "costs epsilon 1.0, but 1.0 of 1.5 is spent")


def test_readable_models_of_all_features_need_the_keys_of_all_columns(cli, of_kind):
    case = of_kind("classes")
    case.terms["learning"] |= {"explain": "all"}
    case.write()
    refused(cli, case, "column-life.key is missing")
    case.private(PARTY).write_key("column-life", case.column_keys["life"])
    assert cli(*case.contribute_command(PARTY)).code == 0


@pytest.fixture
def public(of_kind):
    """Agree on public rows, made from private ones column by column so that no row is kept."""

    def agree(change, **anchor):
        case = of_kind("classes")
        tables = [case.tables[p].drop(columns=[ID, "ill"], errors="ignore") for p in case.parties]
        rows = pd.concat([t.head(24).reset_index(drop=True) for t in tables[:2]], axis=1)
        mixed = {name: rows[name].sample(frac=1, random_state=k) for k, name in enumerate(rows)}
        table = change(pd.DataFrame({n: v.to_numpy() for n, v in mixed.items()}), rows)
        table.to_csv(case.folder / "public.csv", index=False)
        digest = hashlib.sha256((case.folder / "public.csv").read_bytes()).hexdigest()
        named = {"kind": "smote", "public": "public.csv", "public_sha256": digest, **anchor}
        case.terms["anchor"] = named
        for party in case.parties:
            case.private(party).write_key("common", b"m" * 32)
        return case.write()

    return agree


PUBLIC = {
    "private rows": (lambda mixed, rows: rows, {}, "publishing them leaks"),
    "more neighbours than rows": (
        lambda mixed, rows: mixed,
        {"n_neighbors": 24},
        "n_neighbors == 24, must be between 1 and 23",
    ),
    "a missing value": (
        lambda mixed, rows: mixed.assign(steps=mixed.steps.where(mixed.index != 3)),
        {},
        "1 of the 24 public rows in public.csv have missing values",
    ),
    "no such column": (lambda mixed, rows: mixed.drop(columns="sleep"), {}, "lacks the columns"),
}


@pytest.mark.parametrize(("change", "anchor", "reason"), PUBLIC.values(), ids=PUBLIC)
def test_public_rows_that_make_no_anchor_are_refused(cli, public, change, anchor, reason):
    refused(cli, public(change, **anchor), reason)


@pytest.mark.parametrize("rule", ["drop", "fill"])
def test_no_rule_for_missing_values_makes_public_rows_complete(cli, public, rule):
    change = PUBLIC["a missing value"][0]
    case = public(change)
    case.terms["schema"]["life"] = {
        name: {**column, "missing": rule} for name, column in case.terms["schema"]["life"].items()
    }
    case.write()
    refused(cli, case, "1 of the 24 public rows")


def test_public_rows_are_the_very_file_that_was_agreed(cli, public):
    case = public(lambda mixed, rows: mixed)
    assert cli(*case.contribute_command(PARTY)).code == 0
    with (case.folder / "public.csv").open("a") as stream:
        stream.write("\n")
    result = cli(*case.contribute_command(PARTY))
    assert result.code == 2
    assert "is not the file of public rows that was agreed" in result.err


def test_a_dry_run_shows_all_and_leaves_no_trace(cli, new_case):
    case = new_case()
    before = files_below(case.folder)
    result = cli(*case.contribute_command(PARTY, "--dry-run"))
    assert result.code == 0, result.err
    assert "What would leave a/lab for analyst" in result.out
    assert "this was a dry run" in result.out
    assert files_below(case.folder) == before


def test_a_dry_run_spends_nothing(cli, new_case):
    pytest.importorskip("opendp")
    case = new_case(reduction={"epsilon": 50.0, "budget": 50.0})
    before = files_below(case.folder)
    for _ in range(3):
        assert cli(*case.contribute_command(PARTY, "--dry-run")).code == 0
    assert files_below(case.folder) == before
    assert cli(*case.contribute_command(PARTY)).code == 0


def test_a_query_is_noted_by_its_digest_and_its_table_contributes(cli, case, tmp_path):
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("pyarrow")
    with closing(sqlite3.connect(tmp_path / "ward.db")) as connection, connection:
        case.tables[PARTY].to_sql("patients", connection, index=False)
    query = tmp_path / "patients.sql"
    query.write_text("SELECT * FROM patients")
    words = ["--data", f"sqlite:///{tmp_path / 'ward.db'}", "--query", query]
    result = cli(*case.contribute_command(PARTY, *words))
    assert result.code == 0, result.err
    entry = case.private(PARTY).ledger.entries()[-1]
    assert entry["query"] == hashlib.sha256(query.read_bytes()).hexdigest()
    assert str(tmp_path) not in json.dumps(entry)


def test_it_says_what_comes_next(cli, case):
    assert (
        "next: carry a.lab.contribution to the analyst" in cli(*case.contribute_command(PARTY)).err
    )
