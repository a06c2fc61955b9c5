"""What the attacks showed, in sentences made from the figures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

__all__ = ["verdicts"]


def verdicts(results: pd.DataFrame) -> Iterator[str]:
    """Say in sentences, from the numbers, what held and what did not."""
    reference = results[(results.metric == "median R2") & results.published.notna()]
    worst = reference.iloc[int(reference.gap.abs().to_numpy().argmax())]
    near = int((reference.gap.abs() <= 0.03).sum())
    yield (
        f"- Reference R2: {near} of {len(reference)} lie within .03; the largest gap is "
        f"{worst.gap:+.3f} ({worst.data}, {worst.setting}, {worst.method}), where the standard "
        f"deviation over trials is {worst.ours_spread:.3f}, each another split."
        f"{_other_anchors(results, worst)}\n"
    )
    controls = results[
        (results.metric == "median R2")
        & results.method.str.contains("wrong|control", regex=True)
        & results.ours.notna()
    ]
    error = controls.ours_spread / (controls.trials - 1).clip(lower=1) ** 0.5
    above = int((controls.ours > 2 * error).sum())
    yield (
        f"- Controls: {int((controls.ours <= 0).sum())} of {len(controls)} at or below 0, the "
        f"largest {controls.ours.max():+.3f}; {above} above 0 by more than two standard errors.\n"
    )
    defaults = results[(results.table == "Defaults") & (results.metric == "ARI with pooled")]
    wide = defaults.pivot_table(index="data", columns="setting", values="ours", sort=False)
    for units in ("", ", scaled by bounds"):
        share = wide["default" + units] / wide["paper mode" + units]
        kept = int((share >= 0.95).sum())
        yield (
            f"- Defaults{units} keep at least .95 of paper mode's agreement on {kept} of "
            f"{len(share)} sets; the least is {share.min():.3f} ({share.idxmin()}).\n"
        )


def _other_anchors(results: pd.DataFrame, worst: pd.Series) -> str:
    """Say whether another number of anchor rows would give all references."""
    cells = results[(results.metric == "median R2") & (results.method == "least squares")]
    wanted = cells[cells.published.notna()].set_index(["data", "setting"]).published
    rows = cells[cells.table == "Anchor rows"]
    if rows.empty:
        return ""
    parts = rows.setting.str.partition(", r = ")
    rows = rows.assign(setting=parts[0], r=parts[2])
    found = []
    for r, group in rows.groupby("r", sort=False):
        ours = group.set_index(["data", "setting"]).ours.reindex(wanted.index)
        near = int(((ours - wanted).abs() <= 0.03).sum())
        found.append(f"{near} with r = {r} ({ours.get((worst.data, worst.setting), np.nan):.3f})")
    return (
        f" With other numbers r of anchor rows, of the {len(wanted)} references of least squares "
        f"within .03 lie {', '.join(found)}; in brackets, ours where the gap is largest."
    )
