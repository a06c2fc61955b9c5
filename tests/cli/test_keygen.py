import stat

import pytest

from consilience.study.identity import Identity
from consilience.study.study import Study


@pytest.fixture
def bare(case):
    """A study without keys and identities."""
    del case.terms["keys"]
    for path in case.folder.glob("private/*/identity.toml"):
        path.unlink()
    return case.write()


def test_public_half_goes_into_the_study_and_secret_half_nowhere_else(cli, bare):
    before = bare.path.read_text(encoding="utf-8")
    result = cli("keygen", "--name", "a/lab", "--study", bare.path)
    assert result.code == 0, result.err
    path = bare.private("a/lab").path / "identity.toml"
    identity = Identity.from_text(path.read_text())
    assert Study.load(bare.path).keys == {"a/lab": identity.public}
    assert bare.path.read_text(encoding="utf-8").startswith(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert identity.public.sign in result.out
    for secret in (identity.signing.private_bytes_raw().hex(), str(identity.sealing)):
        assert secret not in result.out + result.err + bare.path.read_text(encoding="utf-8")
    for role in ("analyst", "a/life", "b/lab", "b/life"):
        assert cli("keygen", "--name", role, "--study", bare.path).code == 0
    assert len(Study.load(bare.path).keys) == 5


def test_printed_lines_can_be_added_by_hand(cli, bare, monkeypatch):
    monkeypatch.chdir(bare.folder)
    result = cli("keygen", "--name", "analyst")
    assert result.code == 0, result.err
    text = bare.path.read_text(encoding="utf-8") + result.out
    (identity,) = bare.folder.glob("private/analyst/identity.toml")
    public = Identity.from_text(identity.read_text()).public
    assert Study.from_text(text).keys["analyst"] == public


def test_identity_is_never_overwritten_and_the_study_stays(cli, bare):
    assert cli("keygen", "--name", "a/lab", "--study", bare.path).code == 0
    path = bare.private("a/lab").path / "identity.toml"
    secret, text = path.read_bytes(), bare.path.read_bytes()
    result = cli("keygen", "--name", "a/lab", "--study", bare.path)
    assert (result.code, "already has public keys" in result.err) == (2, True)
    bare.write()
    text = bare.path.read_bytes()
    result = cli("keygen", "--name", "a/lab", "--study", bare.path)
    assert (result.code, "never overwritten" in result.err) == (2, True)
    assert (path.read_bytes(), bare.path.read_bytes()) == (secret, text)
    assert not list(bare.folder.glob(".study*"))


def test_full_disk_leaves_neither_half(nursery, bare):
    text = bare.path.read_bytes()
    for limit in (5, len(text) // 2, len(text) + 20):
        result = nursery.run("keygen", "--name", "a/lab", "--study", bare.path, limit=limit)
        assert (result.code, "Traceback" in result.err) == (1, False), result.err
        assert not (bare.private("a/lab").path / "identity.toml").exists()
        assert bare.path.read_bytes() == text
    assert nursery.run("keygen", "--name", "a/lab", "--study", bare.path).code == 0


@pytest.mark.parametrize("name", ["c/lab", "A/lab", "", "..", "a/../b", 'a/l"\n[x]', "analysts"])
def test_names_that_are_no_roles_are_refused(cli, bare, name, monkeypatch):
    monkeypatch.chdir(bare.folder)
    before = sorted(bare.folder.rglob("*"))
    for more in (["--study", bare.path], []):
        if name == "c/lab" and not more:
            continue  # a role, of a study that is not at hand
        result = cli("keygen", "--name", name, *more)
        assert result.code == 2
        assert "is no role of the study" in result.err or "must be row/column" in result.err
    assert sorted(bare.folder.rglob("*")) == before
