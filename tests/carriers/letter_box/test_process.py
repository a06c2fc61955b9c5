"""The process of a letter box; whole studies through it are in tests/cli/test_serve.py."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from conftest import environment

BECOME = """
import sys
from pathlib import Path
from consilience.carriers.letter_box.process import become
from consilience.study.study import Study
keys = Study.load(Path(sys.argv[2])).heirs.now
become(Path(sys.argv[1]), keys, ("127.0.0.1", int(sys.argv[3])), None, 10**9)
"""


def begin(case, port=0):
    (case.folder / "box" / "letters").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", BECOME, case.folder / "box", case.path, str(port)]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)


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
        server.wait()
        server.stdout.close()


def test_a_port_that_is_taken_is_said_so(case):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = begin(case, taken.getsockname()[1])
        assert server.wait(120) == 1
        server.stdout.close()


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process there becomes no other")
