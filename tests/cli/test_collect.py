import pytest

from consilience.study.study import ANALYST, Study


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
