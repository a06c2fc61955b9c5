"""What all verbs share: help, refusals, what is loaded, whose keys fit, and what stays at home."""

import base64
import errno
import os
import re
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyrage
import pytest
import typer
from typer.testing import CliRunner

import consilience
from consilience.cli import app as application
from consilience.cli.app import VERBS, app, main
from consilience.exceptions import StudyError
from consilience.study.keys import derive_key
from consilience.study.method import KINDS, load_kind
from consilience.study.study import ANALYST
from consilience.transports.bundle import read_bundle

ID = "patient id"
COMMANDS = typer.main.get_command(app).commands
HEAVY = {"sklearn", "matplotlib", "scipy"}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_teaches_with_an_example(name):
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert "Example" in COMMANDS[name].help


def test_refusal_is_one_line_and_exit_code_2(monkeypatch, capsys):
    def refuse():
        raise StudyError("n_clusters == 0, must be >= 1.")

    monkeypatch.setattr(application, "app", refuse)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err.strip() == "refused: n_clusters == 0, must be >= 1."


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "x.answer"), "Make space"),
        (OSError(errno.EACCES, "Permission denied", "x"), "failed: Permission denied: x."),
        (MemoryError(), "too little memory"),
    ],
)
def test_a_failure_of_the_machine_is_one_line_and_exit_code_1(monkeypatch, capsys, error, told):
    def fail():
        raise error

    monkeypatch.setattr(application, "app", fail)
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    said = capsys.readouterr().err
    assert (said.count("\n"), told in said, said.startswith("failed: ")) == (1, True, True)


def test_the_overview_shows_the_first_sentence_of_every_verb():
    for name, line in VERBS.items():
        assert " ".join(COMMANDS[name].help.partition("\n\n")[0].split()) == line


def test_an_unknown_verb_is_refused_by_name():
    result = CliRunner().invoke(app, ["pool"])
    assert result.exit_code == 2
    assert "No such command 'pool'" in result.output


def modules_after(code):
    """Run code in a process of its own; return the modules it loaded."""
    source = str(Path(consilience.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules, file=sys.stderr)"],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


def modules_of(*arguments):
    words = [*map(str, arguments)]
    return modules_after(
        f"from consilience.cli.app import app; app({words!r}, standalone_mode=False)"
    )


def test_the_overview_loads_nothing_that_computes():
    assert not modules_of("--help") & {"numpy", "pandas", *HEAVY}


def test_verbs_that_compute_nothing_load_nothing_that_does(solved, tmp_path):
    (tmp_path / "lab.csv").write_text("who,age,bmi\nP1,23,20\nP2,61,30\n")
    grid = ("--rows", "a,b", "--columns", "lab", "--from-csv", f"lab={tmp_path / 'lab.csv'}")
    study = tmp_path / "study.toml"
    assert not modules_of("init", *grid, "--id", "who", "--out", tmp_path) & HEAVY
    assert not modules_of("keygen", "--name", "a/lab", "--study", study) & HEAVY
    assert not modules_of("show", solved.path, solved.sent("a/lab"), "--as", "a/lab") & HEAVY


@pytest.mark.parametrize("kind", KINDS)
def test_reading_a_study_loads_the_terms_of_its_kind_and_no_more(of_kind, kind):
    path = str(of_kind(kind).path)
    modules = modules_after(
        "from pathlib import Path; from consilience.study.study import Study;"
        f"Study.load(Path({path!r}))"
    )
    folders = tuple(KINDS.values())
    files = {name for name in modules if name.startswith(folders) and name not in folders}
    assert f"{KINDS[kind]}.terms" in files
    assert {name.rpartition(".")[2] for name in files} == {"terms"}
    assert not modules & HEAVY


ROLE_VERBS = ("contribute", "analyse", "label", "report", "peer", "stream")


def private_files(case):
    return {path: path.read_bytes() for path in case.folder.glob("private/*/*")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_verb_of_other_kinds_is_refused_with_those_of_this_one(cli, of_kind, command, kind):
    case, verbs = of_kind(kind), load_kind(kind, "by_files").VERBS
    before, party = private_files(case), case.parties[0]
    wrong = [verb for verb in ROLE_VERBS if verb not in verbs]
    assert wrong
    for verb in wrong:
        result = cli(*command(case, verb, party))
        assert result.code == 2, verb
        assert f"`consilience {verb}` has nothing to do in 'a small study'" in result.err
        assert f"a study of {kind}" in result.err
        assert all(f"`consilience {right}`" in result.err for right in verbs)
    assert private_files(case) == before
    assert not (case.folder / "out").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_keys_that_are_not_those_of_the_study_are_refused(cli, of_kind, command, kind):
    case, other = of_kind(kind), of_kind(kind)
    verbs = load_kind(kind, "by_files").VERBS
    party = case.parties[0]
    for verb in (verb for verb in ROLE_VERBS if verb in verbs):
        role = ANALYST if verb == "analyse" else party
        before = private_files(other)
        private = other.private(role).path
        result = cli(*command(case, verb, party, "--private", private))
        assert result.code == 2, verb
        assert f"the study has other public keys of {role!r} than your private folder" in result.err
        # Nothing is noted as sent that was not, and no state is kept of it.
        assert private_files(other) == before
    assert not list(case.folder.glob("out/*"))


def test_names_that_strangers_chose_reach_no_terminal_as_they_are(cli, of_kind, answered):
    evil = "\x1b]0;owned\x07\x9b31m[red]"
    learning = {"holder": "lab", "target": "ill", "classes": [f"no{evil}", f"yes{evil}"]}
    columns = ("lab",)
    for kind, more in (
        ("classes", {"explain": "column"}),
        ("groups", {"labels": "distribution", "threshold": 0.2}),
    ):
        case = of_kind(kind, columns=columns, learning={**learning, **more}, name=f"a{evil}")
        for party, table in case.tables.items():
            table["ill"] = [f"no{evil}", f"yes{evil}"] * (len(table) // 2)
            table.to_csv(case.data(party), index=False)
        said = [cli(*case.contribute_command(party)) for party in case.parties]
        odd = case.folder / f"a{evil}.contribution".replace("/", "")
        odd.write_bytes(case.sent("a/lab").read_bytes())
        paths = [odd, case.sent("b/lab")]
        said += [cli(*case.analyse_command(paths=paths))]
        said += [cli(*case.analyse_command("--json", paths=paths))]
        said += [cli(*case.label_command("a/lab"))]
        said += [cli("show", case.path, odd, "--as", "a/lab")]
        said += [cli("show", case.path, odd, "--as", "a/lab", "--json")]
        assert [result.code for result in said] == [0] * len(said), said
        text = "".join(result.out + result.err for result in said)
        assert "no?]0;owned??31m[red]" in text
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


# Canaries: nothing a party keeps is in what others receive, or in any word said anywhere.


def first_six(value):
    """Return six digits: in a row they are no accident, where no thousands of numbers stand."""
    digits = f"{value:.6g}"
    return [digits.encode()] if len(digits) > 6 else []


def eight_decimals(value):
    """Return more decimals than coordinates of pictures have, of which there are thousands."""
    whole, _, decimals = repr(float(value)).partition(".")
    return [f"{whole}.{decimals[:8]}".encode()] if len(decimals) >= 8 else []


def canaries_of(case, digits=first_six):
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
                    forms += [struct.pack("<d", value), struct.pack(">d", value)]
                    forms += digits(value)
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
    in_pictures = [f for forms in canaries_of(case, eight_decimals).values() for f in forms]
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
    assert not leaks(everything, page.read_text(encoding="utf-8"))
    assert not leaks(in_pictures, *pictures_of(page), picture.read_bytes())
    inbox = [case.sent(party) for party in case.parties]
    result = cli("report", case.path, "--as", ANALYST, *inbox, "--out", page)
    assert result.code == 0, result.err
    assert not leaks(everything, said(result), page.read_text(encoding="utf-8"))
    assert not leaks(in_pictures, *pictures_of(page))
    result = cli("report", case.path, *own, case.answer("a/lab"), "--out", page)
    assert result.code == 0, result.err
    # Not even on the page that stays at home: it has statistics of columns and no cell.
    assert not leaks(everything, said(result), page.read_text(encoding="utf-8"))
    assert not leaks(in_pictures, *pictures_of(page))


def pictures_of(page):
    """Return the pictures inside a page."""
    found = re.findall(r"base64,([^\"]+)", page.read_text(encoding="utf-8"))
    assert found
    return [base64.b64decode(code) for code in found]


def test_canary_test_sees_a_planted_leak(planted):
    case = planted
    canaries = canaries_of(case)["a/lab"]
    case.contribute()
    rows = case.participant("a/lab").read_rows(case.source("a/lab"))
    path, analyst = case.sent("a/lab"), case.identities[ANALYST]
    good, _ = read_bundle(path, study=case.study, identity=analyst)
    raw = replace(good, representation=np.ascontiguousarray(rows.matrix[:, :3]))
    case.send(raw, case.folder / "raw")
    assert leaks(canaries, plain_of(case, case.folder / "raw", ANALYST))
    ids = np.frombuffer(b"".join(i[:16].encode() for i in rows.ids), dtype=np.uint8)
    named = replace(good, pseudonyms=ids.reshape(-1, 16), anchor_digest=rows.ids.iloc[0])
    case.send(named, case.folder / "named")
    assert leaks(canaries, plain_of(case, case.folder / "named", ANALYST))
    keyed = replace(good, anchor_digest=case.row_keys["a"].hex())
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


def test_the_version_is_that_of_the_package(cli):
    result = cli("--version")
    assert (result.code, result.out.strip()) == (0, f"consilience {consilience.__version__}")
    assert re.match(r"\d+\.\d+", consilience.__version__)
