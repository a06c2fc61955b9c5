"""The parts of a job that NVFlare runs: one at the server, one at each site.

A site's folder is named by ``CONSILIENCE_POST`` in the environment of its NVFlare client, or is
``consilience-post`` in the workspace of the client.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from consilience.carriers.flare.exchange import Hub, Spoke
from consilience.carriers.folder import Folder
from consilience.exceptions import CarrierError

try:
    from nvflare.apis.controller_spec import Task
    from nvflare.apis.executor import Executor
    from nvflare.apis.fl_constant import ReturnCode
    from nvflare.apis.fl_context import FLContext
    from nvflare.apis.impl.controller import Controller
    from nvflare.apis.shareable import Shareable, make_reply
    from nvflare.apis.signal import Signal
except ImportError:
    # NVFlare loads these parts; where it is not, there is nothing to load them.
    Controller = Executor = object

__all__ = ["FOLDER", "TASK", "TOPIC", "PostOffice", "Postman", "folder_of_site"]

TASK, TOPIC = "consilience.carry", "consilience.exchange"
GIVEN, SIZES = "files", "sizes"
FOLDER, DEFAULT_FOLDER = "CONSILIENCE_POST", "consilience-post"
PATIENCE = 60.0
LOOK_AGAIN = 2.0


class PostOffice(Controller):  # type: ignore[misc]
    """The server's part: keeps sealed files of all sites until each has those for its roles.

    Parameters
    ----------
    sites : dict of str to list of str
        The roles of each site.
    minutes : float
        How long the job runs; submitted again it goes on.
    """

    def __init__(self, sites: dict[str, list[str]], minutes: float) -> None:
        super().__init__()
        self.sites, self.minutes = sites, minutes
        self._hub: Hub | None = None

    def start_controller(self, fl_ctx: FLContext) -> None:
        """Begin to answer sites."""
        engine = fl_ctx.get_engine()
        run = engine.get_workspace().get_run_dir(fl_ctx.get_job_id())
        folder = Path(run) / "post"
        folder.mkdir(parents=True, exist_ok=True)
        self._hub = Hub(Folder(folder), self.sites)
        engine.register_aux_message_handler(TOPIC, self._answer)

    def control_flow(self, abort_signal: Signal, fl_ctx: FLContext) -> None:
        """Ask all sites to carry, and wait until the time is over."""
        task = Task(name=TASK, data=Shareable(), timeout=int(self.minutes * 60))
        self.broadcast_and_wait(
            task, fl_ctx, min_responses=len(self.sites), abort_signal=abort_signal
        )

    def stop_controller(self, fl_ctx: FLContext) -> None:
        """Nothing is left to do: what was kept goes with the job."""

    def _answer(self, topic: str, request: Shareable, fl_ctx: FLContext) -> Shareable:
        site = fl_ctx.get_peer_context().get_identity_name()
        assert self._hub is not None
        try:
            given, sizes = self._hub.answer(site, request.get(GIVEN, {}), request.get(SIZES, {}))
        except CarrierError as error:
            self.log_error(fl_ctx, str(error))
            return make_reply(ReturnCode.BAD_REQUEST_DATA)
        reply = make_reply(ReturnCode.OK)
        reply[GIVEN], reply[SIZES] = given, sizes
        return reply


class Postman(Executor):  # type: ignore[misc]
    """A site's part: brings files from its folder to the server, and those for it back.

    Parameters
    ----------
    sites : dict of str to list of str
        The roles of each site.
    minutes : float
    """

    def __init__(self, sites: dict[str, list[str]], minutes: float) -> None:
        super().__init__()
        self.sites, self.minutes = sites, minutes

    def execute(
        self, task_name: str, shareable: Shareable, fl_ctx: FLContext, abort_signal: Signal
    ) -> Shareable:
        """Carry until the time is over or somebody stops the job."""
        if task_name != TASK:
            return make_reply(ReturnCode.TASK_UNKNOWN)
        engine, site = fl_ctx.get_engine(), fl_ctx.get_identity_name()
        spoke = Spoke(Folder(folder_of_site(engine)), self.sites[site])
        end = time.monotonic() + self.minutes * 60
        while not abort_signal.triggered and time.monotonic() < end:
            try:
                moved = _ask(engine, spoke, fl_ctx)
            except CarrierError as error:
                self.log_error(fl_ctx, str(error))
                moved = False
            if not moved:
                time.sleep(LOOK_AGAIN)
        return make_reply(ReturnCode.OK)


def folder_of_site(engine: Any) -> Path:
    """Return the folder of a site."""
    named = os.environ.get(FOLDER)
    folder = Path(named) if named else Path(engine.get_workspace().get_root_dir()) / DEFAULT_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _ask(engine: Any, spoke: Spoke, fl_ctx: FLContext) -> bool:
    """Ask the server once; return whether something moved."""
    request = Shareable()
    request[GIVEN], request[SIZES] = spoke.question()
    replies = engine.send_aux_request(None, TOPIC, request, PATIENCE, fl_ctx)
    reply = next(iter(replies.values()), None)
    if reply is None or reply.get_return_code() != ReturnCode.OK:
        reason = "nothing" if reply is None else reply.get_return_code()
        raise CarrierError(f"the server of the job answered {reason}.")
    return spoke.take(reply.get(GIVEN, {}), reply.get(SIZES, {}))
