"""A real browser for the pages: Debian's chromium, driven over a pipe by the DevTools protocol."""

import base64
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
PATIENCE = 180

# Chromium reads commands from descriptor 3 and writes what happens to descriptor 4.
SPAWN = """
import fcntl, os, sys
commands, events = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(events, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


# The least contrast between a text and what is behind it.
CONTRAST = """
(() => {
  const light = (c) => {
    const [r, g, b] = c.match(/[0-9.]+/g).slice(0, 3).map((v) => {
      v = v / 255;
      return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(c)) return c;
    }
    return "rgb(255, 255, 255)";
  };
  let least = 99;
  const texts = "h1, h2, h3, p, b, dt, dd, li, th, td, caption, figcaption, span, code, small, a";
  for (const e of document.querySelectorAll(texts)) {
    if (!e.checkVisibility() || !e.textContent.trim()) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))];
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
})()
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

    def open(self, page: Path | str, width: int = 1000, dark: bool = False) -> None:
        """Open a file or an address and wait until it is loaded; events so far are forgotten."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        address = page if isinstance(page, str) else page.as_uri()
        self.arrive(lambda: self.call("Page.navigate", url=address))

    def click(self, mark: str) -> None:
        """Click on what a selector names, and wait for the page it leads to."""
        found = f"document.querySelector({json.dumps(mark)})"
        assert self.evaluate(f"{found} !== null && !{found}.disabled"), f"no {mark} to click"
        self.arrive(lambda: self.evaluate(f"{found}.click()"))

    def fill(self, mark: str, text: str) -> None:
        """Put a text into a field, or choose or tick it."""
        script = """(mark, text) => {
            const field = document.querySelector(mark);
            if (!field) return false;
            if (field.type === "radio" || field.type === "checkbox") field.checked = true;
            else field.value = text;
            field.dispatchEvent(new Event("input", {bubbles: true}));
            return true;
        }"""
        said = ", ".join(map(json.dumps, (mark, text)))
        assert self.evaluate(f"({script})({said})"), f"no {mark} to fill"

    def drop(self, mark: str, *files: Path, leaves: bool = True) -> None:
        """Give files to a field of files, and wait for the page to come back."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=mark)["nodeId"]
        names = [str(file) for file in files]

        def give():
            self.call("DOM.setFileInputFiles", nodeId=node, files=names)

        if leaves:
            self.arrive(give)
        else:
            give()

    def until(self, script: str) -> None:
        """Wait until a script says yes; the page may load again meanwhile."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(script, leaving=True):
            assert time.monotonic() < end, f"waited in vain for {script}"
            time.sleep(0.05)

    def wait_for_event(self, method: str) -> dict:
        """Return the first event of a kind since the page before was left; wait for it."""
        while True:
            found = [event for event in self.events if event["method"] == method]
            if found:
                return found[0]["params"]
            self._receive()

    def shoot(self, path: Path) -> None:
        """Write a picture of the whole page."""
        self.until("document.documentElement.scrollWidth > 0")
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def arrive(self, leave) -> None:
        """Do something that leads to another page, and wait until that is loaded.

        The page one leaves is marked: an event of it that comes late is not taken for the new one.
        """
        self.evaluate("window.left = true")
        self.events.clear()
        leave()
        self.until("!window.left && document.readyState === 'complete'")

    def evaluate(self, script: str, wait: bool = False, leaving: bool = False):
        """Return the value of a script in the page; of a promise, if it is waited for.

        A page that is being left has no values; that is an error unless one is `leaving`.
        """
        asked = {"expression": script, "returnByValue": True, "awaitPromise": wait}
        answer = self._answer("Runtime.evaluate", asked)
        if leaving and "error" in answer:
            return None
        assert "error" not in answer, answer
        return answer["result"]["result"].get("value")

    def least_contrast(self) -> float:
        """Return the least contrast of a text on the page to what is behind it; 4.5 is enough."""
        return self.evaluate(CONTRAST)

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
        answer = self._answer(method, parameters)
        assert "error" not in answer, answer
        return answer["result"]

    def _answer(self, method: str, parameters: dict) -> dict:
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self._receive()
            if message.get("id") == self._number:
                return message

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
