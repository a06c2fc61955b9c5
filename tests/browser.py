"""A real browser for the pages: Debian's chromium, driven over a pipe by the DevTools protocol."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
PATIENCE = 60

# Chromium reads commands from descriptor 3 and writes what happens to descriptor 4.
SPAWN = """
import fcntl, os, sys
commands, events = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(events, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """Opens one page and keeps what the browser says about it."""

    def __init__(self, profile: Path) -> None:
        for_browser, self._commands = os.pipe()
        self._events, from_browser = os.pipe()
        self._buffer, self._number, self._session, self.events = b"", 0, None, []
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        quiet = ["--disable-background-networking", "--no-first-run", "--hide-scrollbars"]
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-c", SPAWN, str(for_browser), str(from_browser), CHROMIUM),
                *(*flags, *quiet, "--remote-debugging-pipe", f"--user-data-dir={profile}"),
            ],
            pass_fds=(for_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(for_browser)
        os.close(from_browser)

    def attach(self) -> None:
        """Open an empty page and listen to it."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def open(self, path: Path | str, width: int = 1000) -> None:
        """Open a file or an address, wait until it is loaded; events so far are forgotten."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.events.clear()
        self.call("Page.navigate", url=path if isinstance(path, str) else path.as_uri())
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self._receive()

    def evaluate(self, script: str):
        """Return the value of a script in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        return answer["result"].get("value")

    def requests(self) -> list[str]:
        """Return the addresses the page asked for."""
        found = [e for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [e["params"]["request"]["url"] for e in found]

    def complaints(self) -> list[dict]:
        """Return what stands on the console."""
        names = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
        return [e for e in self.events if e["method"] in names]

    def call(self, method: str, **parameters):
        """Send one command and return its result."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self._receive()
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    def close(self) -> None:
        """End the browser and the processes it started."""
        os.close(self._commands)
        os.close(self._events)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _receive(self) -> dict:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._events], [], [], max(0, end - time.monotonic()))
            data = os.read(self._events, 2**16) if ready else b""
            if not data:
                raise RuntimeError("chromium says nothing more")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message
