"""Commands as processes: how they end is told, whether they were killed or not."""

import pytest

from benchmarks.adversary.processes import load, run, start, wait


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


def test_what_fails_while_loading_is_raised():
    with pytest.raises(RuntimeError, match="must be row/column"):
        load(["keygen", "--name", "nobody"])
