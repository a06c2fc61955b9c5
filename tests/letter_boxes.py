"""A letter box in a thread of the test, on loopback."""

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Running:
    """A letter box that runs, and how to reach it as a role."""

    address: str
    root: Any
    app: Any
    case: Any
    opened: list = field(default_factory=list)

    def open(self, role, **more):
        """Return its shelf as a role sees it."""
        from consilience.carriers.letter_box.client import LetterBox

        box = LetterBox(self.address, self.case.identities[role], **more)
        self.opened.append(box)
        return box


@contextmanager
def run_letter_box(case, root, tls=None, port=0, limits=None, notice=None):
    """Serve the letter box of a case until the end of the block."""
    from consilience.carriers.letter_box.box import Box
    from consilience.carriers.letter_box.listening import listen, make_server
    from consilience.carriers.letter_box.server import make_app

    root.mkdir(exist_ok=True)
    app = make_app(case.study.heirs.now, Box(root, limits), notice=notice)
    server = make_server(app, tls)
    with listen("127.0.0.1", port) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        scheme, pin = ("http", "") if tls is None else ("https", f"#sha256={tls.fingerprint}")
        address = f"{scheme}://127.0.0.1:{bound.getsockname()[1]}{pin}"
        running = Running(address, root, app, case)
        try:
            yield running
        finally:
            for box in running.opened:
                box.close()
            server.should_exit = server.force_exit = True
            thread.join()
