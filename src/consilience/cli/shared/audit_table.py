"""What others could get: a table for the person who decides, the worst of it in one sentence."""

from __future__ import annotations

from rich.table import Table

from consilience.cli.shared.console import output, plain
from consilience.privacy.audits.audit import Audit

__all__ = ["show_audit"]

COLOURS = {"red": "red", "amber": "yellow", "green": "green"}


def show_audit(audit: Audit, party: str) -> None:
    """Print an audit.

    Parameters
    ----------
    audit : Audit
    party : str
        Whose it is.
    """
    title = f"What others could get from {party}: {audit.n_rows} rows, {audit.n_features} columns"
    table = Table(title=plain(title), show_lines=True, expand=True)
    table.add_column("who would have to work together, holding what", ratio=4)
    table.add_column("rebuild your columns", ratio=2)
    table.add_column("recognise", ratio=2)
    table.add_column("how grave", min_width=7)
    for who, holding, *cells, level in audit.rows():
        said = (f"{who}, holding {holding}", *cells)
        table.add_row(*map(plain, said), plain(level, COLOURS.get(level, "")))
    output.print(table)
    output.print(plain(f"The worst of it: {audit.worst_line}", "bold"))
    chance = [f.control_advantage.mean for f in audit.findings if f.control_advantage]
    if chance:
        output.print(
            f"Advantage 0 says nothing of who took part, 1 is certainty; of people who did not "
            f"it is {max(chance):.2f}.",
            highlight=False,
        )
    output.print(
        "R2 is 1 if a column is rebuilt exactly and 0 if its mean is guessed: of a typical column, "
        "then of the one rebuilt best. In brackets: 95 % confidence over repeats on samples of "
        "your rows. An upper bound had help no attacker has. An attack that fails is no proof.",
        highlight=False,
    )
    for name in sorted({name for f in audit.findings for name in f.excluded}):
        output.print(plain(f"not counted, near-constant or a copy: {name}"))
    for text in audit.advice:
        output.print(plain(f"- {text}"))
