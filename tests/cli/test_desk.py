"""The verb itself; what it serves is tried in tests/desk."""

import sys
from importlib import import_module

import pytest

pytest.importorskip("uvicorn")


def test_what_is_preloaded_is_there():
    from consilience.cli.desk import PRELOAD

    assert all(import_module(name) for name in PRELOAD)


def test_a_command_of_a_desk_says_its_steps(capfd, monkeypatch, case):
    from consilience.cli import desk
    from consilience.cli.shared import console

    monkeypatch.setattr(console, "_says_steps", False)
    words = [*case.contribute_command("a/lab"), "--dry-run"]
    monkeypatch.setattr(sys, "argv", ["consilience", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        desk.perform()
    assert not end.value.code
    assert "reading, reducing and auditing" in capfd.readouterr().err


def test_a_port_in_use_is_refused(cli, tmp_path):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = cli("desk", tmp_path, "--no-browser", "--port", taken.getsockname()[1])
    assert said.code == 2
    assert "cannot be used" in said.err
