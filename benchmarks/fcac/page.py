"""The page of the FCAC benchmark: what a reader should take from the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.fcac.ranks import Comparison
from benchmarks.pages import write_page
from benchmarks.pictures import published_and_ours
from benchmarks.tables import beside, markdown


def write(
    table: pd.DataFrame,
    comparisons: Mapping[str, Comparison],
    study: Mapping[str, Comparison],
    frames: Mapping[str, pd.DataFrame],
    docs: Path,
    **told: str,
) -> Iterator[Path]:
    """Write picture and page; every figure in them comes from the results.

    ``table`` has all cells of Tables 3 and 4, ``comparisons`` the ranks without noise and ``study``
    those by epsilon under the published noise, ``frames`` what is measured once: one cloud, noise,
    rounds and privacy. ``told`` are the budget and the sets that are missing.
    """
    ours = table[(table.method == "FCAC") & (table.metric == "ARI") & (table.trials > 0)]
    yield published_and_ours(ours, docs, "fcac", score="ARI", panel="setting", line="data")
    overall, head = comparisons["all"], comparisons["improved"]
    cells = table[(table.data == "all") & (table.metric == "average rank")]
    ranks = cells[["setting", "method", "published", "ours", "gap"]]
    sent = table[table.metric == "nodes sent"].pivot(
        index=["setting", "data"], columns="method", values="ours"
    )
    ratio = sent["FCAC improved"] / sent["FCAC"]
    by_epsilon = [
        {"epsilon per feature": e, **c.ranks, "Friedman p": c.p_value} for e, c in study.items()
    ]
    yield write_page(
        __file__,
        docs / "bench-fcac.md",
        **told,
        **_gaps(table),
        tables=_wide(table),
        n_sets=overall.n_blocks // 6,
        p_value=overall.p_value,
        cd=overall.critical_difference,
        ranks=markdown(ranks.sort_values(["setting", "ours"]), 2),
        verdict=_verdict(comparisons),
        by_epsilon=markdown(pd.DataFrame(by_epsilon), 2),
        n_blocks=head.n_blocks,
        reference=head.ranks["FCAC"],
        improved=head.ranks["FCAC improved"],
        ratio=ratio.mean(),
        n_fewer=int((ratio < 1).sum()),
        n_compared=len(ratio),
        improvements=markdown(_improved_table(table)),
        **{
            name.replace("-", "_"): markdown(frame.replace(np.inf, "none"))
            for name, frame in frames.items()
        },
    )


def _gaps(table: pd.DataFrame) -> dict[str, object]:
    ours = table[(table.method == "FCAC") & table.metric.isin(["ARI", "AMI", "NMI"])]
    ours = ours.dropna(subset=["gap"])
    worst = ours.iloc[int(ours.gap.abs().to_numpy().argmax())]
    cells = table[(table.data == "optdigits") & (table.method == "FCAC")].dropna(subset=["gap"])
    texts = [f"{c.setting} {c.metric} {c.ours:.4f} ({c.published:.4f})" for c in cells.itertuples()]
    return {
        "largest": abs(float(worst.gap)),
        "where": f"{worst.data}, {worst.setting}, {worst.metric}, trials: {worst.trials}",
        "median": float(ours.gap.abs().median()),
        "optdigits": ", ".join(texts),
    }


def _wide(table: pd.DataFrame) -> str:
    """Write one row per set and method: ARI, AMI and NMI published, ours, gap, and our spread."""
    cells = table[~table.method.str.contains("improved") & (table.data != "all")]
    text = "Each cell is published / ours (standard deviation) / gap.\n\n"
    for (name, setting), group in cells.groupby(["table", "setting"], sort=False):
        rows: dict[Any, dict[str, Any]] = {}
        cell: Any
        for cell in group.itertuples():
            row = {"data": cell.data, "method": cell.method}
            row = rows.setdefault((cell.data, cell.method), row)
            if np.isfinite(cell.published):
                digits = 4 if str(cell.metric).isupper() else 1
                ours = f"{cell.ours:.{digits}f} ({cell.ours_spread:.{digits}f})"
                row[cell.metric] = beside(cell, ours, digits)
        frame = pd.DataFrame(list(rows.values())).fillna("")
        text += f"### {name}: {setting}\n\n{markdown(frame)}\n\n"
    return text


def _verdict(comparisons: Mapping[str, Comparison]) -> str:
    lines = []
    for setting in ("iid", "non-iid"):
        ranks = comparisons[setting].ranks
        best = min(ranks, key=lambda method: ranks[method])
        place = sorted(ranks.values()).index(ranks["FCAC"]) + 1
        published = "The paper has FCAC first."
        found = f"FCAC is number {place} here ({ranks['FCAC']:.2f}), first is {best}"
        lines.append(f"{setting}: {published} {found} ({ranks[best]:.2f}).")
    return "\n".join(lines)


def _improved_table(table: pd.DataFrame) -> pd.DataFrame:
    cells = table[table.method.isin(["FCAC", "FCAC improved"]) & (table.data != "all")]
    values = cells[cells.trials > 0].pivot_table(
        index=["setting", "data"], columns=["metric", "method"], values="ours", sort=False
    )
    rows = pd.DataFrame(index=values.index)
    for metric, digits in (("ARI", 3), ("AMI", 3), ("clusters", 0), ("nodes sent", 0)):
        pairs = values[metric][["FCAC", "FCAC improved"]].to_numpy()
        texts = [f"{old:.{digits}f} / {new:.{digits}f}" for old, new in pairs]
        rows[f"{metric}: reference / improved"] = texts
    return rows.reset_index()
