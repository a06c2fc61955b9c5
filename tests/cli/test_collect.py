import re

import pandas as pd
import pytest

from consilience.study.study import ANALYST, Study

ID = "patient id"


@pytest.fixture
def bare(case, monkeypatch):
    del case.terms["keys"]
    for path in case.folder.glob("private/*/identity.toml"):
        path.unlink()
    monkeypatch.chdir(case.folder)
    return case.write()


def test_one_command_puts_the_keys_of_all_roles_into_the_study(cli, bare):
    roles = (ANALYST, *bare.parties)
    for role in roles:
        assert cli("keygen", "--name", role).code == 0
    files = sorted(bare.folder.glob("*.public.toml"))
    result = cli("collect", bare.path, *files)
    assert result.code == 0, result.err
    study = Study.load(bare.path)
    assert set(study.keys) == set(roles)
    shown = " ".join(result.out.split())
    assert study.keys["a/lab"].fingerprint in shown
    assert study.fingerprint in shown
    assert "missing" not in result.err
    before = bare.path.read_bytes()
    assert "nothing, all of it was there" in cli("collect", bare.path, *files).out
    assert bare.path.read_bytes() == before
    for party in bare.parties:
        assert cli(*bare.contribute_command(party)).code == 0


def test_it_says_who_is_missing_and_goes_on_later(cli, bare):
    assert cli("keygen", "--name", "a/lab").code == 0
    result = cli("collect", bare.path, bare.folder / "a.lab.public.toml")
    assert "keys are still missing of analyst, a/life, b/lab, b/life" in result.err


def test_contradicting_keys_change_nothing(cli, bare, tmp_path):
    assert cli("keygen", "--name", "a/lab").code == 0
    first = bare.folder / "a.lab.public.toml"
    cli("collect", bare.path, first)
    before = bare.path.read_bytes()
    other = ("--private", tmp_path / "other", "--out", tmp_path)
    assert cli("keygen", "--name", "a/lab", *other).code == 0
    result = cli("collect", bare.path, tmp_path / "a.lab.public.toml")
    assert (result.code, "says otherwise" in result.err) == (2, True)
    assert bare.path.read_bytes() == before


def test_what_is_no_text_or_too_long_is_refused(cli, bare):
    odd = bare.folder / "odd"
    for data, reason in ((b"\xff", "not a text file"), (b" " * 70_000, "larger than")):
        odd.write_bytes(data)
        result = cli("collect", bare.path, odd)
        assert (result.code, reason in result.err) == (2, True)


def test_a_study_of_six_parties_takes_twenty_two_commands(cli, new_case, tmp_path, monkeypatch):
    case = new_case(rows=("a", "b", "c"), n=(40, 36, 30))
    monkeypatch.chdir(tmp_path)
    for column in ("lab", "life"):
        known = [case.tables[party] for party in case.parties if party.endswith(column)]
        pd.concat(known).to_csv(tmp_path / f"{column}.csv", index=False)
    ran = []

    def run(*words):
        ran.append(words)
        result = cli(*words)
        assert result.code == 0, result.err
        return result

    examples = "lab=lab.csv,life=life.csv"
    grid = ("--rows", "a,b,c", "--columns", "lab,life", "--from", examples, "--id", ID)
    run("init", *grid, "--clusters", 3)
    draft = tmp_path / "study.toml"
    draft.write_text(re.sub(r"max_exact_rows = [\d.]+", "", draft.read_text()))
    for role in (ANALYST, *case.parties):
        run("keygen", "--name", role)
    run("collect", draft, *sorted(tmp_path.glob("*.public.toml")))
    for party in case.parties:
        own = ("--as", party, "--data", case.data(party), "--id", ID, "--yes")
        run("contribute", draft, *own, "--out", "sent")
    run("analyse", draft, *sorted((tmp_path / "sent").glob("*.contribution")))
    for party in case.parties:
        name = party.replace("/", ".")
        own = ("--as", party, "--data", case.data(party), "--id", ID)
        run("label", draft, tmp_path / "answers" / f"{name}.answer", *own)
    assert len(ran) == 22
    assert not list(tmp_path.glob("private/analyst/*.key"))


def test_who_keeps_the_study_puts_in_their_own_keys_with_the_others(cli, bare):
    for role in bare.parties:
        assert cli("keygen", "--name", role).code == 0
    files = sorted(bare.folder.glob("*.public.toml"))
    for _ in range(2):
        result = cli("collect", bare.path, *files, "--as", ANALYST)
        assert result.code == 0, result.err
        assert "missing" not in result.err
    assert set(Study.load(bare.path).keys) == {ANALYST, *bare.parties}
    for party in bare.parties:
        assert cli(*bare.contribute_command(party)).code == 0
    result = cli("collect", bare.path, *files, "--as", "a/nobody")
    assert (result.code, "no such role" in result.err) == (2, True)
