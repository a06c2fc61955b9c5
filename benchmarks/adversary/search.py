"""The search of the campaign ``audit`` at length: 10,000 tables made to fool the audit into green.

    python -m benchmarks.adversary.search [SECONDS]

Pieces of 250 tables, each with a seed of its own, are stored in ``benchmarks/results/search.csv``
as they end, so that a run goes on where the last one stopped: after so many seconds, if told. The
page of the campaigns shows their sum.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.adversary.audit import DECODABLE, search
from benchmarks.adversary.run import ROOT, keep
from benchmarks.adversary.tried import Tried

__all__ = ["N_PIECES", "PIECE", "main", "sum_up"]

N_PIECES, PIECE = 40, 250
STORE = ROOT / "benchmarks" / "results" / "search.csv"
COLUMNS = ["piece", "tables", "decodable", "green"]


def main(arguments: Sequence[str]) -> int:
    """Search the pieces that are not stored; return 1 if a table was decodable and green."""
    seconds, begun = float(arguments[0]) if arguments else np.inf, time.monotonic()
    done = pd.read_csv(STORE) if STORE.exists() else pd.DataFrame(columns=COLUMNS, dtype=int)
    for piece in sorted(set(range(N_PIECES)) - set(done.piece)):
        if time.monotonic() - begun > seconds:
            break
        found = [
            (share >= DECODABLE, level == "green")
            for _, share, level in search(PIECE, np.random.default_rng([piece, PIECE]))
        ]
        decodable, green = (int(n) for n in np.sum(found, axis=0))
        done.loc[len(done)] = [piece, PIECE, decodable, green]
        done.to_csv(STORE, index=False)
        print(f"piece {piece}: {PIECE} tables, {decodable} decodable by hand, {green} green")
    if len(done):
        keep("search", [sum_up(done)])
    return int(done.green.sum() > 0)


def sum_up(done: pd.DataFrame) -> Tried:
    """Return the pieces as one attempt.

    Examples
    --------
    >>> sum_up(pd.DataFrame([[0, 250, 90, 0], [1, 250, 95, 1]], columns=COLUMNS))
    Tried(what='tables made to fool the audit, 185 of them decodable by hand, called green',
          tries=500, failures=1)
    """
    said = f"tables made to fool the audit, {done.decodable.sum()} of them decodable by hand"
    return Tried(f"{said}, called green", int(done.tables.sum()), int(done.green.sum()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
