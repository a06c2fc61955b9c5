import io

WORDS = "five plain words are fine"


def test_a_lost_folder_comes_back(cli, case, monkeypatch, tmp_path):
    own, out = case.private("a/lab"), tmp_path / "a.age"
    before = own.read_key("row")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{WORDS}\n"))
    assert cli("backup", case.path, "--as", "a/lab", "--out", out).code == 0
    own.path.rename(tmp_path / "gone")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{WORDS}\n"))
    said = cli("backup", case.path, "--as", "a/lab", "--restore", out)
    assert said.code == 0
    assert "identity.toml" in said.out
    assert own.read_key("row") == before
    assert WORDS not in said.out + said.err


def test_without_a_passphrase_nothing_is_written(cli, case, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    said = cli("backup", case.path, "--as", "a/lab", "--out", tmp_path / "a.age")
    assert said.code == 2
    assert "no passphrase" in said.err
    assert not (tmp_path / "a.age").exists()
