from consilience.cli.shared.key_letters import make_keys, send_keys, take_keys


def test_what_one_party_makes_another_takes_once(case, tmp_path):
    for path in case.folder.glob("private/*/*.key"):
        path.unlink()
    first, second = (case.participant(name) for name in ("a/lab", "a/life"))
    assert make_keys(first) == [
        "made row.key, shared by a/lab, a/life",
        "made column.key, shared by a/lab, b/lab",
    ]
    assert make_keys(first) == []
    keys = tmp_path / "keys"
    written = send_keys(first, keys)
    assert [path.name for path in written] == [
        "a.life.row-a.keys",
        "b.lab.column-lab.keys",
    ]
    assert take_keys(second, written[:1]) == ["took row.key from a/lab"]
    assert take_keys(second, written[:1]) == []
    assert first.folder.read_key("row") == second.folder.read_key("row")
    secret = first.folder.read_key("row")
    assert not any(secret in path.read_bytes() for path in keys.iterdir())
    assert not any(secret.hex().encode() in path.read_bytes() for path in keys.iterdir())
