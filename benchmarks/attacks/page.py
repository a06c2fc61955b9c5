"""The page of the attacks, and the table of the threat model: every figure from the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.attacks.defaults import NOISY_TRIALS
from benchmarks.attacks.studies import Study
from benchmarks.pages import fill_table, write_page
from benchmarks.pictures import panels, save
from benchmarks.tables import markdown, with_interval

DEFAULTS = (
    "half of the dimensions",
    "gaussian anchor",
    "answers of labels only",
    "calibrated noise, epsilon 100 per row",
)
"""Defences that SECURITY.md speaks of: what a new study does, and noise."""
NEW_STUDIES = {
    "paper mode, scaled by bounds": "paper mode",
    "default, scaled by bounds": "default study",
    "default, epsilon 100 per row, scaled by bounds": "default study, epsilon 100",
}
"""What a study may be, as the results and as a reader calls it."""


def write(
    results: pd.DataFrame, studies: Sequence[Study], budget: Mapping[str, int], out: Path
) -> Iterator[Path]:
    """Write picture and page, and the tables inside other pages that exist."""
    found = _new_studies(results)
    yield _draw(found, out / "docs")
    yield write_page(
        __file__,
        out / "docs" / "bench-attacks.md",
        trials=", ".join(f"{name} {count}" for name, count in budget.items()),
        sets="\n".join(_described(study) for study in studies),
        noisy=min(NOISY_TRIALS, budget["defaults"]),
        means=_means(found),
        **_verdicts(results),
        **{name.lower().replace(" ", "_"): _section(results, name) for name in set(results.table)},
    )
    table = threat_table(results)
    short = table[table.defence.isin(DEFAULTS)]
    short = short.drop(columns=["recognises (top-1)", "then recognises"]).drop_duplicates()
    for page, text in (
        ("docs/threat-model.md", markdown(table)),
        ("SECURITY.md", markdown(short)),
    ):
        yield from fill_table(out / page, "attacks", text)


def _described(study: Study) -> str:
    n, m = study.X.shape
    left_out = len(study.columns.near_constant) + len(study.columns.duplicated)
    note = f"; {left_out} near-constant or copied columns not counted" if left_out else ""
    return f"- {study.name}: {n} rows, {m} columns, {study.units}{note}"


def _section(results: pd.DataFrame, table: str) -> str:
    cells = results[results.table == table]
    metrics, index = ["median R2", "top-1"], ["data", "setting", "method"]
    if table == "Collusion":
        shown = cells[cells.metric.isin(metrics)]
        frame = shown[[*index, "metric", "published", "ours", "gap"]]
        return markdown(frame.rename(columns={"published": "reference"}))
    if table == "Linkage":
        metrics = ["top-1"]
    if table in ("Defences", "Defaults"):
        metrics, index = [*metrics, "ARI with pooled"], ["data", "setting"]
    cells = cells[cells.metric.isin(metrics)]
    if table in ("Defences", "Defaults", "Analyst alone"):
        cells = cells.assign(ours=with_interval(cells, 3))
    frame = cells.pivot_table(
        index=index, columns="metric", values="ours", sort=False, aggfunc="first"
    )
    return markdown(frame[metrics].reset_index())


def _new_studies(results: pd.DataFrame) -> pd.DataFrame:
    """Return agreement, rebuilt and recognised by data set and kind of study."""
    cells = results[(results.table == "Defaults") & results.setting.isin(NEW_STUDIES)]
    wide = cells.pivot_table(index=["data", "setting"], columns="metric", values="ours", sort=False)
    sets = dict.fromkeys(cells.data)
    return wide.reindex([(name, kind) for name in sets for kind in NEW_STUDIES]).dropna()


def _means(found: pd.DataFrame) -> str:
    """Say what each kind of study gives, on average over the data sets."""
    mean = found.groupby("setting", sort=False).mean()
    return "; ".join(
        f"{NEW_STUDIES[str(kind)]} {cells['ARI with pooled']:.2f}, {cells['median R2']:.2f} and "
        f"{cells['top-1']:.0%}"
        for kind, cells in mean.iterrows()
    )


def _draw(found: pd.DataFrame, docs: Path) -> Path:
    """Draw what is found against what is rebuilt and recognised, a point for each data set."""
    figure, drawn = panels(2, 3.4)
    what = (("median R2", "rebuilt by a colluder (median R2)"), ("top-1", "rows recognised"))
    for axes, (metric, label) in zip(drawn, what, strict=True):
        for kind, marker in zip(NEW_STUDIES, "sod", strict=True):
            points = found[found.index.get_level_values("setting") == kind]
            axes.plot(
                points["ARI with pooled"],
                points[metric],
                marker,
                label=NEW_STUDIES[kind],
                alpha=0.8,
            )
        axes.set(xlabel="agreement with pooled", ylabel=label, ylim=(-0.05, 1.05))
    figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return save(figure, docs, "attacks")


def threat_table(results: pd.DataFrame) -> pd.DataFrame:
    """Make the table from the results of the benchmark; each figure is a range over data sets.

    Which coalition stands in which cell, before and after the defence, is in ``threats.csv``.
    """
    threats = pd.read_csv(Path(__file__).parent / "threats.csv")
    found = results.set_index(["table", "setting", "method", "metric"]).ours.dropna()
    rows = []
    for threat in threats.itertuples():
        before = (threat.table, threat.setting, threat.method)
        after = (threat.table, threat.then_setting, threat.then_method)
        rows.append(
            {
                "coalition": threat.coalition,
                "holds": threat.holds,
                "rebuilds (median R2)": _range(found, (*before, "median R2")),
                "recognises (top-1)": _range(found, (*before, "top-1")),
                "defence": threat.defence,
                "then rebuilds": _range(found, (*after, "median R2")),
                "then recognises": _range(found, (*after, "top-1")),
            }
        )
    return pd.DataFrame(rows)


def _range(found: pd.Series, cell: tuple[object, ...]) -> str:
    values = found[found.index == cell]
    return "—" if values.empty else f"{values.min():.2f} to {values.max():.2f}"


def _verdicts(results: pd.DataFrame) -> dict[str, object]:
    """Count what held and what did not."""
    r2 = results[results.metric == "median R2"]
    reference = r2[r2.published.notna()]
    worst = reference.iloc[int(reference.gap.abs().to_numpy().argmax())]
    controls = r2[r2.method.str.contains("wrong|control", regex=True) & r2.ours.notna()]
    error = controls.ours_spread / (controls.trials - 1).clip(lower=1) ** 0.5
    defaults = results[(results.table == "Defaults") & (results.metric == "ARI with pooled")]
    wide = defaults.pivot_table(index="data", columns="setting", values="ours", sort=False)
    shares = {
        name: wide[f"default{units}"] / wide[f"paper mode{units}"]
        for name, units in (("plain", ""), ("scaled", ", scaled by bounds"))
    }
    return {
        "n_reference": len(reference),
        "n_near": int((reference.gap.abs() <= 0.03).sum()),
        "worst": worst,
        "other_anchors": _other_anchors(r2[r2.method == "least squares"], worst),
        "n_controls": len(controls),
        "n_low": int((controls.ours <= 0).sum()),
        "largest": controls.ours.max(),
        "n_above": int((controls.ours > 2 * error).sum()),
        "n_sets": len(wide),
        "n_kept": {name: int((share >= 0.95).sum()) for name, share in shares.items()},
        "least": {name: f"{share.min():.3f} ({share.idxmin()})" for name, share in shares.items()},
    }


def _other_anchors(cells: pd.DataFrame, worst: pd.Series) -> str:
    """Say whether another number of anchor rows would give all references."""
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
