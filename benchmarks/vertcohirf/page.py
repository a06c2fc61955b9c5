"""The page of the VertCoHiRF benchmark, with its pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.pages import write_page
from benchmarks.pictures import OURS, panels, published_and_ours, save
from benchmarks.tables import markdown
from benchmarks.vertcohirf.byzantine import N_FRESH
from benchmarks.vertcohirf.methods import ALONE, CAI, MISREAD
from benchmarks.vertcohirf.trials import DEALT, OWN_SETTINGS, SCRIPTED, SHUFFLED

N_PARTITIONS, N_SHUFFLED = 5, 3
ORDER_SHOWS, GRID_SHOWS = ("shuttle", "garber-2001"), ("nursery", "coil20")
GRAPHS_SHOW = ("alizadeh-2000-v2", "chowdary-2006", "garber-2001")


def write(results: pd.DataFrame, budget: int, docs: Path) -> Iterator[Path]:
    """Write pictures and page from the results; every figure in it comes from them."""
    of = {str(table): cells for table, cells in results.groupby("table", sort=False)}
    cells = results[results.table.str.startswith("Table") & (results.setting == DEALT)]
    cells = cells[cells.metric == "ARI"].sort_values(
        "method", kind="stable", key=lambda names: ~names.str.startswith("VertCoHiRF")
    )
    yield published_and_ours(cells, docs, "vertcohirf", score="ARI", panel="data")
    for table, label, name in (
        ("Figure 1", "standard deviation of the clusters", "byzantine"),
        ("Figure 4", "peers", "peers"),
    ):
        yield _lines(of[table], label, docs, f"vertcohirf-{name}")
    for metric, name in (("ARI", "classes"), ("SIL", "silhouettes")):
        yield draw_sets(_dealt(results), metric, docs, f"vertcohirf-{name}")
    attacks, kept, peers = of["Figure 1"], of["Figure 1, settings kept"], of["Figure 4"]
    yield write_page(
        __file__,
        docs / "bench-vertcohirf.md",
        budget=budget,
        n_fresh=N_FRESH,
        n_partitions=peers.trials.max(),
        verdicts=_verdicts(results),
        choices=_choices(results),
        failures=_failures(results),
        searched=_searched(results),
        tables=_tables(_dealt(results)),
        shuffled=_shuffled(results[results.setting == SHUFFLED]),
        attacks=_wide(attacks, "setting") + "\n\n" + _falls(attacks),
        kept=_wide(kept, "setting") + "\n\n" + _falls(kept),
        ahead=_ahead(peers),
        peers=_wide(peers, "setting"),
        trends=_trends(peers),
    )


def _dealt(results: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of the paper's tables: columns in order, searched where the paper says."""
    other = results.setting.isin([SHUFFLED, SCRIPTED, OWN_SETTINGS])
    return results[results.table.str.startswith("Table") & ~other]


def _tables(tables: pd.DataFrame) -> str:
    number = tables.table.str.extract(r"(\d+)")[0].astype(int)
    text = ""
    ordered = tables.iloc[number.argsort(kind="stable")]
    for (table, data), cells in ordered.groupby(["table", "data"], sort=False):
        shown = cells.rename(columns={"ours_spread": "±"})
        shown = shown[["method", "metric", "published", "ours", "±", "gap"]]
        text += f"\n## {table}: {data}\n\n{markdown(shown)}\n"
    return text


def _shuffled(cells: pd.DataFrame) -> str:
    if cells.empty:
        return ""
    return f"""
## Columns shuffled

ARI of every method when the columns are dealt at random, as the paper's text has it, with the same
budget; means of {N_SHUFFLED} partitions.

{_wide(cells, "data")}
"""


def _wide(cells: pd.DataFrame, across: str) -> str:
    wide = cells.pivot_table(index="method", columns=across, values="ours", sort=False)
    return markdown(wide.reset_index())


def _verdicts(results: pd.DataFrame) -> str:
    """Say for each set whether a VertCoHiRF beats k-means alone and every baseline."""
    cells = results[(results.metric == "ARI") & results.table.str.startswith("Table")]
    cells = cells.sort_values("table", kind="stable", key=lambda t: t.str[6:].astype(int))
    leads = {}
    for data, group in cells.set_index("method").groupby("data", sort=False):
        dealt, shuffled = _dealt(group), group[group.setting == SHUFFLED]
        leads[data] = {
            "published": _lead(dealt.published),
            "ours": _lead(dealt.ours.drop(MISREAD, errors="ignore")),
            "ours, published grid": _lead(dealt.ours.drop("Distr.KMeans")),
            "ours, columns shuffled": _lead(shuffled.ours),
        }
    frame = pd.DataFrame.from_dict(leads, orient="index")
    margins, shown = (frame.map(lambda lead, k=k: lead[k]) for k in (0, 1))
    won, known = (margins > 0).sum(), margins.notna().sum()
    shown.loc["sets won"] = [f"{won[c]} of {known[c]}" for c in frame.columns]
    return markdown(shown.rename_axis("data").reset_index()) + "\n"


def _choices(results: pd.DataFrame) -> str:
    """Set published figures beside ours with either choice."""
    cells = results[(results.metric == "ARI") & results.table.str.startswith("Table")]
    values = cells.set_index(["data", "setting", "method"])
    graphs = "VertCoHiRF(SC-SRGF)"
    pairs = [
        *((data, "columns in order", (DEALT, ALONE), (SHUFFLED, ALONE)) for data in ORDER_SHOWS),
        *((data, "the grid", (DEALT, MISREAD), (DEALT, "Distr.KMeans")) for data in GRID_SHOWS),
        *((data, "neighbours", (DEALT, graphs), (DEALT, CAI)) for data in GRAPHS_SHOW),
    ]
    rows = []
    for data, choice, like, other in pairs:
        method = other[1].replace(CAI, graphs)
        published = values.published.get((data, DEALT, method), np.nan)
        ours = (values.ours.get((data, *choice), np.nan) for choice in (like, other))
        rows.append((choice, data, method, published, *ours))
    columns = ["choice", "data", "method", "published", "ours, as published", "ours, otherwise"]
    return markdown(pd.DataFrame(rows, columns=columns)) + "\n"


def _searched(results: pd.DataFrame) -> str:
    """Set the scores of each consensus beside those it has where else one may search."""
    cells = results[(results.metric == "ARI") & results.method.str.startswith("VertCoHiRF")]
    cells = cells[cells.table.str.startswith("Table")]
    ours = {(c.data, c.method, c.setting): c.ours for c in cells.itertuples()}
    places = (DEALT, SCRIPTED, OWN_SETTINGS)
    rows = [
        (c.data, c.method, c.published, *(ours.get((c.data, c.method, s), np.nan) for s in places))
        for c in cells[cells.setting == DEALT].itertuples()
        if (c.data, c.method, SCRIPTED) in ours
    ]
    if not rows:
        return ""
    columns = ["data", "method", "published", "ours", "scripts' space", "a setting each"]
    n_partitions = cells[cells.setting == SCRIPTED].trials.max()
    return f"""
## Where else one may search

The adjusted Rand index of a consensus once more, with the same trials: in the space of the
published *scripts* (2 to 5 groups, .1 to .6 of the columns in a repetition), and with *a setting
each*, three times as many numbers to find with as many trials. Partitions of the two last columns:
{n_partitions}, so a row says less than those above; the sets that were measured, each by
`consilience bench vertcohirf --only "spaces, SET, 0," --data DIR`.

{markdown(pd.DataFrame(rows, columns=columns))}
"""


def _failures(results: pd.DataFrame) -> str:
    """List the cells for which no trial of some partition succeeded."""
    cells = _dealt(results)
    cells = cells[~cells.metric.str.contains("diff")]
    short = cells[(cells.trials > 0) & (cells.trials < N_PARTITIONS)]
    names = [f"{c.method} on {c.data} ({c.metric}: {c.trials})" for c in short.itertuples()]
    if not names:
        return ""
    return (
        "\nNo trial of some partition succeeded for the following; their means are over the number "
        f"of partitions in brackets: {', '.join(names)}.\n"
    )


def _lead(values: pd.Series) -> tuple[float, str]:
    """Return by how much the best consensus is ahead of the best other method, and in words."""
    values = values.dropna()
    consensus = values.index.str.startswith("VertCoHiRF")
    ours, others = values[consensus], values[~consensus]
    if ours.empty or others.empty:
        return np.nan, "—"
    margin = ours.max() - others.max()
    best = f"{ours.idxmax()} {ours.max():.3f}, {others.idxmax()} {others.max():.3f}"
    return margin, f"{margin:+.3f}: {best}"


def _falls(cells: pd.DataFrame) -> str:
    """Name the largest change that an attack makes, beside the spread of the data sets."""
    wide = cells.pivot_table(index="setting", columns="method", values="ours", sort=False)
    spread = cells.pivot_table(index="setting", columns="method", values="ours_spread", sort=False)
    change = wide.drop(columns="attack: none").sub(wide["attack: none"], axis=0)
    where, attack = str(change.min(axis=1).idxmin()), str(change.min(axis=0).idxmin())
    values = change.to_numpy(dtype=float)
    return (
        f"The largest fall is {values.min():+.3f} ({attack}, {where}); the five data sets spread "
        f"by {spread['attack: none'][where]:.3f} there without an attack. The largest rise is "
        f"{values.max():+.3f}, the mean change {values.mean():+.3f}.\n"
    )


def _ahead(cells: pd.DataFrame) -> str:
    """Name the numbers of peers with which SC-SRGF is the best base and the best method."""
    best = cells.loc[cells.groupby("setting", sort=False).ours.idxmax()]
    first = best[best.method == "VertCoHiRF(SC-SRGF)"]
    return f"{', '.join(first.setting.str.split().str[0])} peers" if len(first) else "none"


def _trends(cells: pd.DataFrame) -> str:
    """Say how each method changes from the fewest to the most peers it ran with."""
    lines = []
    for method, group in cells.groupby("method", sort=False):
        known = group.dropna(subset="ours")
        first, last = known.iloc[0], known.iloc[-1]
        lines.append(
            f"- {method}: {first.ours:.3f} with {first.setting}, {last.ours:.3f} with "
            f"{last.setting}, {last.ours - first.ours:+.3f}"
        )
    return "\n".join(lines) + "\n"


def _lines(cells: pd.DataFrame, label: str, docs: Path, name: str) -> Path:
    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = figure.add_subplot()
    for method, group in cells.groupby("method", sort=False):
        x = group.setting.str.extract(r"([\d.]+)")[0].astype(float)
        ax.errorbar(x, group.ours, group.ours_spread, marker="o", capsize=3, label=str(method))
    ax.set(xlabel=label, ylabel=f"ARI (mean and standard deviation of {cells.trials.max()})")
    ax.legend(fontsize=8)
    ax.spines[["right", "top"]].set_visible(False)
    return save(figure, docs, name)


def draw_sets(cells: pd.DataFrame, metric: str, docs: Path, name: str) -> Path:
    """Draw Figure 5 (ARI) or 6 (silhouette): the methods on each set, k-means alone as a line."""
    cells = cells[(cells.metric == metric) & (cells.trials > 0) & (cells.method != MISREAD)]
    groups = list(cells[cells.data != "multimodal"].groupby("data", sort=True))
    figure, drawn = panels(len(groups), 2.6)
    for ax, (data, group) in zip(drawn, groups, strict=True):
        alone, others = group[group.method == ALONE], group[group.method != ALONE]
        ax.errorbar(others.ours, others.method, xerr=others.ours_spread, fmt="o", color=OURS)
        for value in alone.ours:
            ax.axvline(value, linestyle="--", color="tab:blue")
        ax.set(title=data, xlabel=metric)
        ax.tick_params(axis="y", labelsize=7)
    return save(figure, docs, name)
