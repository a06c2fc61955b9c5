import os
import stat

import pytest

from conftest import run
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


def test_run_again_it_changes_nothing_and_says_the_same(cli, bare):
    first = cli("keygen", "--name", "a/lab", "--study", bare.path)
    path = bare.private("a/lab").path / "identity.toml"
    secret, text = path.read_bytes(), bare.path.read_bytes()
    again = cli("keygen", "--name", "a/lab", "--study", bare.path)
    assert again == first
    assert (path.read_bytes(), bare.path.read_bytes()) == (secret, text)
    alone = cli("keygen", "--name", "a/lab", "--private", path.parent, "--out", bare.folder)
    assert alone.out == first.out
    assert (bare.folder / "a.lab.public.toml").read_text().strip() == first.out.strip()


def test_a_study_without_the_keys_that_are_there_gets_them(cli, bare):
    first = cli("keygen", "--name", "a/lab", "--study", bare.path)
    whole = bare.path.read_bytes()
    bare.write()
    assert cli("keygen", "--name", "a/lab", "--study", bare.path) == first
    assert bare.path.read_bytes() == whole


def test_other_keys_of_the_role_are_never_replaced(cli, bare):
    assert cli("keygen", "--name", "a/lab", "--study", bare.path).code == 0
    path = bare.private("a/lab").path / "identity.toml"
    text = bare.path.read_bytes()
    path.unlink()
    result = cli("keygen", "--name", "a/lab", "--study", bare.path)
    assert (result.code, "identity.toml is missing" in result.err) == (2, True)
    bare.private("a/lab").write_identity(Identity.new("a/lab"))
    result = cli("keygen", "--name", "a/lab", "--study", bare.path)
    assert (result.code, "has other public keys of 'a/lab'" in result.err) == (2, True)
    assert bare.path.read_bytes() == text


def test_full_disk_is_made_good_by_running_again(nursery, bare):
    text = bare.path.read_bytes()
    for limit in (5, len(text) // 2, len(text) + 20):
        result = nursery.run("keygen", "--name", "a/lab", "--study", bare.path, limit=limit)
        assert (result.code, "Traceback" in result.err) == (1, False), result.err
        assert "Make space" in result.err
        assert bare.path.read_bytes() == text
    assert nursery.run("keygen", "--name", "a/lab", "--study", bare.path).code == 0
    assert Study.load(bare.path).keys["a/lab"] == bare.private("a/lab").identity_of("a/lab").public


@pytest.mark.parametrize("step", range(8))
def test_killed_at_any_step_it_goes_on(cli, bare, dying, step):
    dying(step, "keygen", "--name", "a/lab", "--study", bare.path)
    result = cli("keygen", "--name", "a/lab", "--study", bare.path)
    assert result.code == 0, result.err
    assert Study.load(bare.path).keys == {
        "a/lab": bare.private("a/lab").read_identity("a/lab").public
    }


def test_all_roles_at_once_and_each_twice_lose_no_key(bare):
    roles = ["analyst", *bare.parties]
    running = []
    for role in 2 * roles:
        child = os.fork()
        if not child:
            os._exit(run("keygen", "--name", role, "--study", bare.path).code)
        running.append(child)
    assert {os.waitpid(child, 0)[1] for child in running} == {0}
    keys = Study.load(bare.path).keys
    assert keys == {role: bare.private(role).read_identity(role).public for role in roles}


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
