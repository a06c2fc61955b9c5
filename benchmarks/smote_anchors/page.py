"""The page of the SMOTE-anchor benchmark: tables, Figure 3, and what to take from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.pages import write_page
from benchmarks.pictures import published_and_ours, save
from benchmarks.smote_anchors.figures import draw_anchors, draw_set
from benchmarks.smote_anchors.trials import AFFINE
from benchmarks.tables import markdown, wide

PANELS = {"Table 1": "artificial", "Table 4": "Adult, odd and even", "Table 5": "Adult, by type"}
FILES = ("table-1", "tables-2-3", "tables-4-5", "fresh-seeds", "tables-6-7", "figure-3")


def write(results: Path, docs: Path) -> Iterator[Path]:
    """Write the pictures and the page from the results on disk."""
    of = {name: pd.read_csv(results / f"smote-anchors-{name}.csv") for name in FILES}
    figure = of["figure-3"]
    yield draw_set(docs)
    yield draw_anchors(docs)
    first, credit, adult, small = (of[name] for name in FILES if name.startswith("table"))
    compared = pd.concat([first, credit, adult, small])
    shown = compared[compared.table.isin(PANELS) & (compared.metric == "ACC")]
    shown = shown.assign(panel=shown.table.map(PANELS))
    yield published_and_ours(shown, docs, "smote-anchors", score="accuracy", panel="panel")
    yield _draw(figure, docs)
    first = first[first.metric == "NMI"].set_index("method")
    pair = first.loc[["DC(SMOTE)", "DC(TSVD)"]]
    errors = pair.ours_spread / np.sqrt((pair.trials - 1).clip(lower=1))
    noisy = first.ours[first.index.str.contains("noise")].items()
    ideal = adult[adult.method.isin(["Centralized", "Local", "DC(raw)"])]
    several = figure.trials.max() > 1
    error = (figure.spread / np.sqrt(figure.trials - 1)).mean() if several else 0.0
    yield write_page(
        __file__,
        docs / "bench-smote-anchors.md",
        trials={name: int(table.trials.max()) for name, table in of.items()},
        state="" if credit.ours.notna().any() else "**Data not supplied**: nothing was measured.",
        nmi=first.ours,
        lead=pair.ours["DC(TSVD)"] - pair.ours["DC(SMOTE)"],
        error=float(np.hypot(*errors)),
        noisy=", ".join(f"{nmi:.2f} with {str(name).rpartition(' ')[2]}" for name, nmi in noisy),
        odd_even=shown[shown.table == "Table 4"].set_index("method").ours,
        adult=adult_verdict(adult),
        fresh=fresh_table(of["fresh-seeds"]),
        ideal=ideal.gap.abs().max(),
        small=small_verdict(small),
        best=figure.iloc[int(figure.ACC.to_numpy().argmax())],
        plain=figure[(figure.k == 5) & (figure.alpha == 1.0)].ACC.item(),
        papers=figure[(figure.k == 99) & (figure.alpha == 1.5)].ACC.item(),
        of_point=f" The standard error of a point is {error:.3f} on average." if several else "",
        points=len(figure),
        fits=int(figure.trials.sum()),
        maps=figure.maps[0],
        **{f"table_{k}": _section(compared, f"Table {k}") for k in range(1, 8)},
    )


def _section(results: pd.DataFrame, name: str) -> str:
    """Write one line per method, and published, ours and gap of each metric side by side."""
    cells = results[results.table == name]
    supplied = set(cells.data[cells.ours.notna()])
    order = ["NMI", "ACC", "Dice", "EMD", "AMD(raw)", "AMD(anc)"]
    metrics = [m for first in order for m in dict.fromkeys(cells.metric) if m.startswith(first)]

    def published(cell: Any) -> str:
        if np.isnan(cell.published):
            return "—"
        spread = "" if np.isnan(cell.published_spread) else f"±{cell.published_spread:.2f}"
        return f"{cell.published:.2f}{spread}"

    columns: dict[str, Callable[[Any], str]] = {
        "published": published,
        "ours": lambda c: with_error(c, "—" if c.data in supplied else "data not supplied"),
        "gap": lambda c: "—" if np.isnan(c.gap) else f"{c.gap:+.2f}",
    }
    return "\n" + markdown(wide(cells, ["data", "method"], metrics, columns)) + "\n"


def _draw(figure: pd.DataFrame, docs: Path) -> Path:
    grid = figure.pivot(index="k", columns="alpha", values="ACC")
    drawing = Figure(figsize=(6, 4), layout="constrained")
    axes = drawing.add_subplot()
    image = axes.imshow(grid.to_numpy(), origin="lower", aspect="auto", cmap="viridis")
    axes.set_xticks(range(grid.shape[1]), [f"{a:g}" for a in grid.columns])
    axes.set_yticks(range(grid.shape[0]), [f"{k:g}" for k in grid.index])
    axes.set(xlabel="alpha", ylabel="k", title="Adult: accuracy of the readable model")
    drawing.colorbar(image)
    return save(drawing, docs, "smote-anchors-figure-3")


def adult_verdict(results: pd.DataFrame) -> str:
    """Say from the numbers where SMOTE stands against its rivals."""
    lines = []
    for table, scenario in (("Table 4", "odd and even"), ("Table 5", "numbers and categories")):
        cells = results[results.table == table].pivot(
            index="method", columns="metric", values="ours"
        )
        smote, affine = cells.loc["DC(SMOTE)"], f"DC(SMOTE){AFFINE}"
        ideal = ["DC(SMOTE)", affine, "DC(raw)", "Centralized", "Local"]
        rivals = cells.drop(ideal, errors="ignore")
        best_acc, best_dice = rivals.ACC.idxmax(), rivals.Dice5.idxmax()
        lines.append(
            f"- *{scenario}*: DC(SMOTE) has ACC {smote.ACC:.3f} and Dice5 {smote.Dice5:.2f}; the "
            f"best other anchor has ACC {rivals.ACC.max():.3f} ({best_acc}) and Dice5 "
            f"{rivals.Dice5.max():.2f} ({best_dice})."
        )
        if affine in cells.index:
            lines.append(
                f"  With the affine maps of this package it has ACC {cells.ACC[affine]:.3f} and "
                f"Dice5 {cells.Dice5[affine]:.2f}."
            )
    return "\n".join(lines)


def fresh_table(fresh: pd.DataFrame) -> str:
    """List DC(SMOTE) on the seeds that nothing was chosen by."""
    shown = fresh[fresh.method.str.startswith("DC(SMOTE)")]
    rows = [
        {
            "table": table,
            "method": method,
            "seeds": f"10 to {9 + int(group.trials.max())}",
            **{
                m: with_error(group[group.metric == m].iloc[0], decimals=3)
                for m in ("NMI", "ACC", "Dice5")
            },
        }
        for (table, method), group in shown.groupby(["table", "method"], sort=False)
    ]
    return markdown(pd.DataFrame(rows))


def small_verdict(results: pd.DataFrame) -> str:
    """Count the sets on which SMOTE is ahead, here and in the paper."""
    accuracy = results[(results.metric == "ACC") & results.ours.notna()]
    ours = accuracy.pivot(index="data", columns="method", values="ours")
    theirs = accuracy.pivot(index="data", columns="method", values="published")
    lines = []
    for rival in ("DC(TSVD)", "Local"):
        here = int((ours["DC(SMOTE)"] > ours[rival]).sum())
        there = int((theirs["DC(SMOTE)"] > theirs[rival]).sum())
        lines.append(
            f"By accuracy DC(SMOTE) is ahead of {rival} on {here} of {len(ours)} sets; in the "
            f"paper on {there} of these."
        )
    return "\n".join(lines)


def with_error(cell: Any, nothing: str = "—", decimals: int = 2) -> str:
    """Write our mean of a cell with its standard error, or that there is nothing."""
    if np.isnan(cell.ours):
        return nothing
    error = cell.ours_spread / np.sqrt(max(cell.trials - 1, 1))
    return f"{cell.ours:.{decimals}f}±{error:.{decimals}f}"
