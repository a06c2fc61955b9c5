import os
import pty
import subprocess
import sys
from pathlib import Path

from consilience.cli.shared.console import busy, plain, tell, warn, watched

SOURCE = Path(__file__).parents[3] / "src"
PARTY = "a/lab"


def test_no_markup_and_no_command_to_the_terminal_is_left():
    shown = plain("[red]\x1b[2J\x9b1m\u202e\x07\r tab\t line\nnext süd").plain
    assert shown == "[red]?[2J?1m??? tab? line\nnext süd"


def test_results_go_to_one_stream_and_what_to_know_to_the_other(capsys):
    tell("wrote labels.csv [bold]as it is[/bold] \x1b[2J")
    warn(f"{'a long line ' * 20}stays one line")
    with busy("nothing is shown where nobody looks"), watched("solving") as hear:
        hear("aligning", 1, 2)
        hear("k-means, step 1", 2, 2)
    out, err = capsys.readouterr()
    assert out == "wrote labels.csv [bold]as it is[/bold] ?[2J\n"
    assert err == f"{'a long line ' * 20}stays one line\n"


def run_at_terminal(arguments):
    """Run a command with standard error at a terminal; return what it wrote there."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-m", "consilience", *map(str, arguments)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    try:
        while piece := os.read(leader, 4096):
            seen += piece
    except OSError:  # the other end is closed
        pass
    os.close(leader)
    assert process.wait() == 0
    return seen.decode()


def test_progress_is_shown_at_a_terminal_and_nowhere_else(nursery, case):
    seen = run_at_terminal(case.contribute_command(PARTY))
    assert "reading, reducing and auditing" in seen
    assert "━" in seen
    quiet = nursery.run(*case.contribute_command(PARTY))
    assert "auditing" not in quiet.err
    assert "\x1b" not in quiet.err
