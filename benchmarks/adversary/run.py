"""Run campaigns one after the other, and write down what each tried and found.

    python -m benchmarks.adversary [--share SHARE] [--seed SEED] [CAMPAIGN ...]
    python -m benchmarks.adversary peers --only WORDS

``make adversary`` runs all but the long ones whole, in half an hour; continuous integration
runs a tenth of most. A whole run writes ``benchmarks/results/adversary.csv`` and
``docs/adversary.md``; a campaign that is named alone replaces its own rows there, and with
``--only`` those of its attempts whose names have these words.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pandas as pd

from benchmarks.adversary.tried import Tried
from benchmarks.tables import markdown

__all__ = ["ALONE", "CAMPAIGNS", "ROOT", "keep", "main", "run_campaign", "write_page"]

CAMPAIGNS: dict[str, str] = {
    "evidence": "Is a forged statement, approval, succession or public key ever believed?",
    "audit": "Does the audit call a contribution green whose rows can be decoded by hand?",
    "peers": "Can a peer that dies, lies or floods change what the others end up with, unnamed?",
    "insiders": "Can a party that sends other things than its rows change others' labels, unnamed?",
    "budgets": "Can noise be had that was not paid for, or be paid for twice?",
    "streams": "Can a stream be answered by a stranger, fed twice, or looked at for nothing?",
    "readers": "Does anything that is read end in other than a value or a refusal of ours?",
    "carriers": "Is a letter lost, doubled or half-read where servers, clients and lines die?",
    "clients": "Is a letter lost where a clock is off by a day, or two clients are one role?",
    "matches": "Does a holder who lies in a match of ids get names of ids that are not its own?",
    "joins": "Does a study over a letter box end otherwise where its server and houses are killed?",
    "letter_box": "Does a hostile client read, write or stop what is not its own?",
    "desk": "Does a page of the desk run, show or change what a stranger wants?",
    "kills": "Does a command that was killed end otherwise than one that was not, run again?",
}
"""Each campaign, and the question it asks."""
LONG = ("carriers", "clients", "joins")
"""Campaigns that start hundreds of servers; they are run by name, about half an hour together."""
ALONE = {"search": "The same for ten times as many tables, by a command of its own."}
"""What takes too long to run with the others."""

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "adversary.csv"
PAGE = ROOT / "docs" / "adversary.md"


def run_campaign(name: str, share: float = 1.0, seed: int = 0, only: str = "") -> list[Tried]:
    """Run a share of a campaign, or of some of its attempts, and return what it tried."""
    campaign = import_module(f"benchmarks.adversary.{name}")
    asked = (share, seed, only) if only else (share, seed)
    return [Tried(*tried) for tried in campaign.attempt(*asked)]


def write_page(results: pd.DataFrame, path: Path) -> None:
    """Write the page of all campaigns from their results."""
    template = (Path(__file__).parent / "page.md").read_text(encoding="utf-8")
    parts = []
    for name, question in {**CAMPAIGNS, **ALONE}.items():
        rows = results[results.campaign == name].drop(columns="campaign")
        if len(rows):
            parts.append(f"## {name}\n\n{question}\n\n{markdown(rows)}")
    tries, failures = int(results.tries.sum()), int(results.failures.sum())
    text = template.format(tables="\n\n".join(parts), tries=f"{tries:,}", failures=f"{failures:,}")
    path.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaigns named, or all but the long ones; return 1 if one found a failure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversary")
    parser.add_argument("campaigns", nargs="*", metavar="CAMPAIGN", help=", ".join(CAMPAIGNS))
    parser.add_argument("--share", type=float, default=1.0, help="of the tries of each campaign")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="words of the attempts of peers to run")
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.campaigns) - set(CAMPAIGNS))
    if unknown:
        parser.error(f"no campaign is called {', '.join(unknown)}: {', '.join(CAMPAIGNS)}")
    if asked.only and asked.campaigns != ["peers"]:
        parser.error("--only is for the campaign peers alone")
    found = False
    for name in asked.campaigns or [each for each in CAMPAIGNS if each not in LONG]:
        begun = time.monotonic()
        tried = run_campaign(name, asked.share, asked.seed, asked.only)
        for what, tries, failures in tried:
            print(f"{name}: {what}: {tries:,} tries, {failures:,} failures")
            found = found or failures > 0
        print(f"{name} took {time.monotonic() - begun:.0f} s", file=sys.stderr)
        if asked.share == 1:
            keep(name, tried, asked.only)
    return int(found)


def keep(name: str, tried: Sequence[Tried], only: str = "") -> None:
    """Replace the rows of a campaign, or of some attempts, and write the page anew."""
    rows = pd.DataFrame(
        [(name, *one) for one in tried], columns=["campaign", "what", "tries", "failures"]
    )
    if RESULTS.exists():
        others = pd.read_csv(RESULTS)
        replaced = (others.campaign == name) & others.what.str.contains(only, regex=False)
        rows = pd.concat([others[~replaced], rows])
    order = {name: place for place, name in enumerate([*CAMPAIGNS, *ALONE])}
    rows = rows.sort_values("campaign", key=lambda names: names.map(order), kind="stable")
    rows.to_csv(RESULTS, index=False)
    write_page(rows, PAGE)
