"""Commands as processes: how they end is told, whether they were killed or not."""

import os
import time
from datetime import datetime

import pytest

from benchmarks.adversary.processes import load, run, set_clock, start, wait
from consilience.study.ledger import Ledger


def test_a_refusal_a_success_and_a_kill_are_told_apart(tmp_path):
    assert run(["--help"]).code == 0
    refused = run(["keygen", "--name", "nobody"])
    assert (refused.code, "must be row/column" in refused.said) == (2, True)
    identity = [
        "keygen",
        "--name",
        "analyst",
        "--private",
        str(tmp_path / "p"),
        "--out",
        str(tmp_path),
    ]
    assert wait(start(identity), kill_after=0.0).code in (0, -9)
    assert run(identity).code == 0


def test_a_clock_that_is_off_is_off_in_that_process_alone(tmp_path):
    before, ledger = time.time(), Ledger(tmp_path / "ledger.jsonl")
    child = os.fork()
    if not child:
        set_clock(-86_400)
        ledger.add("noted", by_time=time.time())
        os._exit(0)
    os.waitpid(child, 0)
    ledger.add("noted", by_time=time.time())
    for entry, off in zip(ledger.entries(), (86_400, 0), strict=True):
        noted = datetime.fromisoformat(entry["when"]).timestamp()
        assert abs(entry["by_time"] + off - before) < 3600
        assert abs(noted + off - before) < 3600


def test_what_fails_while_loading_is_raised():
    with pytest.raises(RuntimeError, match="must be row/column"):
        load(["keygen", "--name", "nobody"])
