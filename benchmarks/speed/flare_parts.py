"""The parts of an NVFlare job that sends one file of each site to the server, and nothing else.

NVFlare loads them, in its processes; :mod:`benchmarks.speed.carriers` submits the job. A file goes
as the bytes of a task's result, NVFlare's own way, and stays in the server's memory: it is not
written to disk there, as it is by a letter box.
"""

import json
import os
import time
from pathlib import Path

from nvflare.apis.controller_spec import Task
from nvflare.apis.executor import Executor
from nvflare.apis.fl_constant import ReturnCode
from nvflare.apis.impl.controller import Controller
from nvflare.apis.shareable import Shareable, make_reply

FOLDER = "CONSILIENCE_POST"
WARM, SEND = "warm", "send"


class Taker(Controller):
    """The server's part: asks every site once for nothing, then for its file; notes the time."""

    def __init__(self, n_sites, result):
        super().__init__()
        self.n_sites, self.result = n_sites, result
        self.begun, self.ended, self.n_bytes = [], [], 0

    def start_controller(self, fl_ctx):
        """Nothing is to be made ready."""

    def control_flow(self, abort_signal, fl_ctx):
        """Ask all sites."""
        for name in (WARM, SEND):
            task = Task(name=name, data=Shareable(), result_received_cb=self._take, timeout=600)
            self.broadcast_and_wait(
                task, fl_ctx, min_responses=self.n_sites, abort_signal=abort_signal
            )
        part = Path(self.result).with_suffix(".part")
        taken = max(self.ended) - min(self.begun)
        part.write_text(json.dumps({"s": taken, "bytes": self.n_bytes}))
        part.replace(self.result)

    def stop_controller(self, fl_ctx):
        """Nothing is left to do."""

    def _take(self, client_task, fl_ctx):
        if client_task.task.name == SEND:
            self.ended.append(time.perf_counter())
            self.begun.append(client_task.result["begun"])
            self.n_bytes += len(client_task.result["file"])


class Sender(Executor):
    """A site's part: gives the file that lies in the folder of its environment."""

    def execute(self, task_name, shareable, fl_ctx, abort_signal):
        """Give nothing to warm up, then the file, and when it was begun."""
        reply = make_reply(ReturnCode.OK)
        if task_name == SEND:
            reply["begun"] = time.perf_counter()
            reply["file"] = (Path(os.environ[FOLDER]) / "letter").read_bytes()
        return reply
