"""The tables of the SMOTE anchors [Imakura2023]_: published, ours, gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

from rich.progress import Progress

from benchmarks.problems import Cells
from benchmarks.smote_anchors import page
from benchmarks.smote_anchors.problems import CREDIT_FILE, adult_table
from benchmarks.smote_anchors.trials import figure_3, table_1, tables_2_3, tables_4_5, tables_6_7
from benchmarks.store import chosen, collect
from benchmarks.tables import CELL, Trials, compare, published, renew, write_csv
from consilience.datasets import available, load

SMALL = {
    "leukemia": ("Table 6", "allaml"),
    "pixraw10P": ("Table 7", "pixraw10p"),
    "Prostate_GE": ("Table 7", "prostate_ge"),
    "TOX-171": ("Table 7", "tox_171"),
    "warpAR10P": ("Table 7", "warpar10p"),
}
"""The paper's small sets that are at hand, with their table and their name here."""

SCENARIOS = {"Table 4": "artificial", "Table 5": "feature type"}
FRESH_SEEDS = 10
"""First seed of the trials that confirm Tables 4 and 5."""

FIGURE_K = (1, 5, 10, 25, 50, 75, 90, 99)
FIGURE_ALPHA = (0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
FIGURE_TRIALS = 3

NEEDS = ("adult",)
USES = tuple(slug for _, slug in SMALL.values())
"""Sets whose tables are left out where they are not there."""


def run(
    *,
    trials: int | None,
    data: Path | None,
    out: Path,
    progress: Progress,
    only: str | None = None,
) -> Iterator[Path]:
    """Measure and write the tables and Figures 1 to 3.

    By default 20 trials of Table 1 and 10 of Tables 2 to 5, as in the paper, and 3 of the figure;
    Tables 6 and 7 have five folds. Tables 2 and 3 need CreditRating_Historical.dat in the folder of
    the data sets.
    """
    reference = published("smote_anchors")
    for name, parts in _parts(trials, data).items():
        wanted = chosen(parts, only)
        if only and not wanted:
            continue
        found = Trials(collect("smote-anchors", wanted, out, progress)).summary()
        if name == "figure-3":
            names = {"setting": "k", "method": "alpha", "ours": "ACC", "ours_spread": "spread"}
            found = found.rename(columns=names).astype({"k": int, "alpha": float})
            found = found[["k", "alpha", "ACC", "spread", "trials"]].assign(maps="linear")
        elif name != "fresh-seeds":
            tables = [f"Table {number}" for number in name.split("-")[1:]]
            found = compare(found, reference[reference.table.isin(tables)])
        file = f"smote-anchors-{name}"
        if only:
            found = renew(found, out, file, ["k", "alpha"] if name == "figure-3" else CELL)
        yield write_csv(found, out, file)
    yield from page.write(out / "benchmarks" / "results", out / "docs")


def _parts(trials: int | None, data: Path | None) -> dict[str, dict[str, Callable[[], Cells]]]:
    """Return what is measured for each file of results."""
    X, y, _ = adult_table(load("adult", data=data))
    few, here = trials or 10, available(data)
    credit = data / CREDIT_FILE if data else Path(CREDIT_FILE)
    return {
        "table-1": {f"Table 1, seed {s}": partial(table_1, s) for s in range(trials or 20)},
        "tables-2-3": {
            f"Tables 2 and 3, seed {s}": partial(tables_2_3, credit, s)
            for s in range(few if credit.is_file() else 0)
        },
        "tables-4-5": {
            f"{table}, seed {s}": partial(tables_4_5, X, y, table, scenario, s)
            for s, (table, scenario) in product(range(few), SCENARIOS.items())
        },
        # DC(SMOTE) alone, on seeds that nothing was chosen by.
        "fresh-seeds": {
            f"{table}, fresh seed {s}": partial(tables_4_5, X, y, table, scenario, s, True)
            for s, (table, scenario) in product(
                range(FRESH_SEEDS, FRESH_SEEDS + few), SCENARIOS.items()
            )
        },
        "tables-6-7": {
            f"{table}, {name}": partial(tables_6_7, table, name, slug, data)
            for name, (table, slug) in SMALL.items()
            if slug in here
        },
        "figure-3": {
            f"Figure 3, k = {k}, alpha = {a}, seed {s}": partial(figure_3, X, y, k, a, s)
            for k, a, s in product(FIGURE_K, FIGURE_ALPHA, range(trials or FIGURE_TRIALS))
        },
    }
