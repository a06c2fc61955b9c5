"""What a comparison of all methods costs, on 5,000 rows of 20 columns.

    python -m benchmarks.speed.compare

Rows dealt to four institutions, columns to two, and both. Results go to
benchmarks/results/speed-compare.csv, table and picture to docs/comparing.md.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

from benchmarks.tables import markdown
from consilience import compare

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "speed-compare.csv"
PAGE = ROOT / "docs" / "comparing.md"
PICTURE = ROOT / "docs" / "images" / "comparison.png"
MARK, END = "<!-- table: python -m benchmarks.speed.compare -->", "<!-- end of table -->"


def measure() -> pd.DataFrame:
    """Run every method on each split, in one process."""
    X, _ = make_blobs(5_000, 20, centers=5, cluster_std=6.0, random_state=0)
    hospitals, halves = np.arange(5_000) % 4, [range(10), range(10, 20)]
    splits = {
        "rows at 4 institutions": (hospitals, None),
        "columns at 2": (None, halves),
        "rows and columns, 8 institutions": (hospitals, halves),
    }
    lines = []
    for split, (parties, columns) in splits.items():
        wall, cpu = perf_counter(), process_time()
        found = compare(X, parties, columns, n_clusters=5)
        seconds = round(perf_counter() - wall, 1), round(process_time() - cpu, 1)
        lines.append([split, len(found.table) - 1, *seconds])
        if columns is None:
            found.plot().savefig(PICTURE, dpi=110)
    return pd.DataFrame(lines, columns=["split", "methods", "seconds", "CPU seconds"])


if __name__ == "__main__":
    found = measure()
    found.to_csv(RESULTS, index=False)
    head, mark, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    tail = rest.partition(END)[2]
    PAGE.write_text(f"{head}{mark}\n\n{markdown(found)}\n\n{END}{tail}", encoding="utf-8")
    print(markdown(found))
