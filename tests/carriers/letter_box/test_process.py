"""The process of a letter box; whole studies through it are in tests/cli/test_serve.py."""

import json
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from conftest import environment
from consilience.carriers.carrier import Carrier
from consilience.carriers.letter_box.client import LetterBox

BECOME = """
import sys
from pathlib import Path
from consilience.carriers.letter_box.process import become
from consilience.study.study import Study
keys = Study.load(Path(sys.argv[2])).heirs.now
place, as_json = ("127.0.0.1", int(sys.argv[3])), len(sys.argv) > 4
become(Path(sys.argv[1]), keys, place, None, 10**9, None, as_json)
"""


def begin(case, port=0, *more):
    (case.folder / "box" / "letters").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", BECOME, case.folder / "box", case.path, str(port), *more]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment(), stdout=pipe, stderr=pipe, text=True)


def test_it_serves_what_it_was_told_and_loads_no_more(case):
    server = begin(case)
    try:
        address = server.stdout.readline().removeprefix("listening at ").strip()
        assert httpx.get(f"{address}/health", timeout=60).text == "ok\n"
        settings = json.loads((case.folder / "box" / "serving.json").read_text())
        assert set(settings["keys"]) == {"analyst", *case.parties}
        maps = Path(f"/proc/{server.pid}/maps")
        loaded = maps.read_text() if maps.exists() else ""
        assert "numpy" not in loaded
        assert "pandas" not in loaded
    finally:
        server.kill()
        server.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_what_happens_without_names_and_ends_when_told_to(case, number):
    server = begin(case, 0, "--json")
    try:
        said = json.loads(server.stdout.readline())
        (case.folder / "x").write_bytes(b"sealed")
        with closing(LetterBox(said["address"], case.identities["a/lab"])) as box:
            Carrier(box).put(case.folder / "x", sender="a/lab", recipient="analyst")
        server.send_signal(number)
        out, err = server.communicate(timeout=60)
    finally:
        server.kill()
    assert (server.returncode, err) == (0, "")
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["letter", "stopped"]
    assert "lab" not in out


def test_a_port_that_is_taken_is_said_so(case):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = begin(case, taken.getsockname()[1])
        assert "in use" in server.communicate(timeout=120)[1]
        assert server.returncode == 1


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process there becomes no other")
