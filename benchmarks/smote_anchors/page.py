"""The page of the SMOTE-anchor benchmark: tables, Figure 3, and what to take from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.pages import write_page
from benchmarks.smote_anchors.trials import AFFINE
from benchmarks.tables import markdown, wide

FILES = ("table-1", "tables-2-3", "tables-4-5", "fresh-seeds", "tables-6-7", "figure-3")


def write(results: Path, docs: Path) -> Iterator[Path]:
    """Write the picture and the page from the results on disk."""
    of = {name: pd.read_csv(results / f"smote-anchors-{name}.csv") for name in FILES}
    yield _draw(of["figure-3"], docs / "bench-smote-anchors-figure-3.png")
    credit, adult, figure = of["tables-2-3"], of["tables-4-5"], of["figure-3"]
    compared = pd.concat([of["table-1"], credit, adult, of["tables-6-7"]])
    supplied = credit.ours.notna().any()
    yield write_page(
        __file__,
        docs / "bench-smote-anchors.md",
        trials={name: int(table.trials.max()) for name, table in of.items()},
        state="" if supplied else "**Data not supplied**: nothing was measured.",
        verdict_1=table_1_verdict(of["table-1"]),
        verdict_4=adult_verdict(adult),
        fresh=fresh_table(of["fresh-seeds"]),
        ideal=ideal_gap(adult),
        verdict_6=small_verdict(of["tables-6-7"]),
        verdict_figure=figure_verdict(figure),
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


def _draw(figure: pd.DataFrame, path: Path) -> Path:
    grid = figure.pivot(index="k", columns="alpha", values="ACC")
    drawing = Figure(figsize=(6, 4), layout="constrained")
    axes = drawing.add_subplot()
    image = axes.imshow(grid.to_numpy(), origin="lower", aspect="auto", cmap="viridis")
    axes.set_xticks(range(grid.shape[1]), [f"{a:g}" for a in grid.columns])
    axes.set_yticks(range(grid.shape[0]), [f"{k:g}" for k in grid.index])
    axes.set(xlabel="alpha", ylabel="k", title="Adult: accuracy of the readable model")
    drawing.colorbar(image)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(path, dpi=110, metadata={"Software": None})
    return path


def table_1_verdict(results: pd.DataFrame) -> str:
    """Say whether the order of the paper holds, and on what it depends where it does not."""
    cells = results[results.metric == "NMI"].set_index("method")
    ours = cells.ours
    smote, lowrank = ours["DC(SMOTE)"], ours["DC(TSVD)"]
    errors = cells.ours_spread / np.sqrt((cells.trials - 1).clip(lower=1))
    error = float(np.hypot(errors["DC(SMOTE)"], errors["DC(TSVD)"]))
    others = ", ".join(
        f"{ours[name]:.2f} with {name.rpartition(' ')[2]}" for name in ours.index if "noise" in name
    )
    order = ["Centralized", "DC(raw)", "DC(SMOTE)", "DC(rand)", "Local"]
    said = ", ".join(f"{name} {ours[name]:.2f}" for name in order)
    return (
        f"NMI in the paper's order: {said}. DC(TSVD), which the paper has between DC(SMOTE) and "
        f"DC(rand), has {lowrank:.2f}: {lowrank - smote:+.3f} from DC(SMOTE), with a standard "
        f"error of {error:.3f} of that difference. The paper gives neither the size nor the "
        f"distribution of the noise E; in standard deviations of a party's table, it is 0.1 in the "
        f"row DC(TSVD), and the NMI is {others}. So the place of DC(TSVD) depends on a number that "
        f"is not published, and on this set it is level with DC(SMOTE). The uniform anchor does "
        f"better here than in the paper, whose set is known from a picture alone."
    )


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


def ideal_gap(results: pd.DataFrame) -> float:
    """Return the largest gap of the rows in which no anchor is drawn."""
    ideal = results[results.method.isin(["Centralized", "Local", "DC(raw)"])]
    return float(ideal.gap.abs().max())


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


def figure_verdict(figure: pd.DataFrame) -> str:
    """Compare plain SMOTE, the paper's choice and the best of the grid."""
    accuracy = dict(zip(zip(figure.k, figure.alpha, strict=True), figure.ACC, strict=True))
    k, alpha = max(accuracy, key=lambda point: accuracy[point])
    return (
        f"Plain SMOTE (k = 5, alpha = 1) gives {accuracy[5, 1.0]:.3f}, the paper's choice (k = 99, "
        f"alpha = 1.5) {accuracy[99, 1.5]:.3f}; the best of this grid is {accuracy[k, alpha]:.3f} "
        f"at k = {k}, alpha = {alpha:g}.{_error_of(figure)}\n"
    )


def _error_of(figure: pd.DataFrame) -> str:
    if figure.trials.max() < 2:
        return ""
    errors = figure.spread / np.sqrt(figure.trials - 1)
    return f" The standard error of a point is {errors.mean():.3f} on average."


def with_error(cell: Any, nothing: str = "—", decimals: int = 2) -> str:
    """Write our mean of a cell with its standard error, or that there is nothing."""
    if np.isnan(cell.ours):
        return nothing
    error = cell.ours_spread / np.sqrt(max(cell.trials - 1, 1))
    return f"{cell.ours:.{decimals}f}±{error:.{decimals}f}"
