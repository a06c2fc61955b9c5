"""The page of the DC-CFL benchmark: tables, figures, bytes, and what to take from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.dc_cfl.own_mix import tables
from benchmarks.dc_cfl.problems import SETS, SPLITS
from benchmarks.pages import write_page
from benchmarks.pictures import published_and_ours, save
from benchmarks.tables import beside, markdown

METHODS = ("Local", "DC", "FedAvg", "FedProx", "Ditto", "FedClust", "DC-CFL")
"""The methods of Table 2, in its order."""
OURS = ["Local", "DC", "DC-CFL"]
OWN_MIX = Path(__file__).parents[1] / "results" / "own-mix.csv"


def write(results: Path, docs: Path) -> Iterator[Path]:
    """Write the pictures and the page from the results on disk."""
    table, rounds, thresholds = (
        pd.read_csv(results / f"dc-cfl{name}.csv") for name in ("", "-rounds", "-thresholds")
    )
    accuracy = table[(table.table == "Table 2") & (table.metric == "accuracy")]
    ours = accuracy[accuracy.trials > 0].pivot(
        index=["data", "setting"], columns="method", values="ours"
    )
    goal = ours["DC-CFL"].get(("covertype", "C=3"), np.nan)
    shown = _in_order(accuracy[accuracy.method.isin(METHODS)])
    shown = shown.assign(panel=shown.data + ", " + shown.setting)
    yield published_and_ours(shown, docs, "dc-cfl", score="accuracy", panel="panel")
    yield _draw_rounds(rounds, goal, docs)
    yield _draw_thresholds(thresholds, docs)
    learners = table[table.table.str.startswith("Learner")]
    mean = thresholds.groupby(["setting", "t"]).accuracy.mean().unstack(0)
    passed = table[table.metric == "diverged"]
    mixed = pd.read_csv(OWN_MIX)
    yield write_page(
        __file__,
        docs / "bench-dc-cfl.md",
        runs=table[~table.table.str.startswith("Learner")].trials.max(),
        few=learners.trials.max(),
        table_2=_tables_by_set(accuracy[accuracy.method.isin(METHODS)], ["method"]),
        **_verdict(accuracy[accuracy.trials > 0], ours),
        **_table_3(table[table.table == "Table 3"]),
        best_t=", ".join(f"{mean[s].idxmax():g} for {s} ({mean[s].max():.3f})" for s in mean),
        bytes=_bytes(table, ours),
        rules=_rules(table),
        lost=(ours["DC-CFL"] - ours["DC-CFL (gap)"]).agg(["mean", "max"]),
        **_learners(learners, accuracy[accuracy.method.isin(OURS)]),
        own_mix=tables(mixed[mixed.data.isin(SETS)]),
        chosen=_chosen(table[table.table == "Chosen"]),
        n_diverged=float((passed.ours * passed.trials).sum()),
        n_trainings=int(passed.trials.sum()),
    )


def _verdict(cells: pd.DataFrame, ours: pd.DataFrame) -> dict[str, object]:
    """Count where DC-CFL stands against the paper and its rivals."""
    gaps = cells[cells.method == "DC-CFL"].set_index("setting").gap
    by_class = gaps[gaps.index.str.startswith("C=")]
    best = ours[list(METHODS)].idxmax(axis=1)
    names = zip(best.index.tolist(), map(str, best), strict=True)
    others = [f"{b} ({d}, {s})" for (d, s), b in names if b != "DC-CFL"]
    rivals = ours[[m for m in METHODS if m not in OURS]]
    average = cells[cells.method == "FedAvg"].gap
    return {
        "n_by_class": len(by_class),
        "by_class": by_class.agg(["min", "max"]),
        "n_near": int((by_class >= -0.02).sum()),
        "n_above": int((ours["DC-CFL"] > ours[["Local", "DC"]].max(axis=1)).sum()),
        "n_columns": len(ours),
        "n_first": len(best) - len(others),
        "first_elsewhere": f"; first elsewhere: {', '.join(others)}." if others else ".",
        "best_rival": rivals.max(axis=1).sub(ours["DC-CFL"]).max(),
        "fedavg": average.agg(["min", "max"]),
        "n_above_fedavg": int((ours["DC-CFL"] > ours["FedAvg"]).sum()),
    }


def _table_3(cells: pd.DataFrame) -> dict[str, str]:
    of = cells.method == "FedClust"
    rows = [
        {
            "data": c.data,
            "split": c.setting,
            "published": f"{c.published:.0f}",
            "ours": f"{c.ours:.0f}" if c.trials else "more than 50",
            "gap": f"{c.gap:+.0f}" if c.trials else "—",
        }
        for c in cells[of].itertuples()
    ]
    reach = [f"{c.method} after {c.ours:.0f}" for c in cells[~of].itertuples()]
    reached = f"these reach it: {', '.join(reach)}" if reach else "none reaches it"
    return {"table_3": markdown(pd.DataFrame(rows)), "reached": reached}


def _bytes(table: pd.DataFrame, ours: pd.DataFrame) -> str:
    """Write what each method sends and receives, also until it is as good as DC-CFL."""
    rows: list[tuple[Any, ...]] = []
    cells = table[(table.table == "Table 2") & table.metric.isin(["bytes up", "bytes down"])]
    rounds = table[table.table == "Table 3"].dropna(subset="ours")
    for (data, method), part in _in_order(cells).groupby(["data", "method"], sort=False):
        mean = part.groupby("metric").ours.mean() / 1000
        up, down = mean["bytes up"], mean["bytes down"]
        accuracy = " / ".join(f"{a:.3f}" for a in ours[method].xs(data))
        n_rounds = 1 if method in ("DC", "DC-CFL") else 5
        rows.append((data, method, n_rounds, f"{up:.0f}", f"{down:.0f}", accuracy))
        needed = rounds[(rounds.data == data) & (rounds.method == method)]
        for setting, n in zip(needed.setting, needed.ours, strict=True):
            name, more = f"{method}, as good as DC-CFL ({setting})", up / 5 * n
            rows.append((data, name, f"{n:.0f}", f"{more:.0f}", f"{more + down - up:.0f}", ""))
    head = ["data", "method", "rounds", "up, kB", "down, kB", "accuracy, C=2 / C=3 / Dir(0.1)"]
    return markdown(pd.DataFrame(rows, columns=head))


def _rules(table: pd.DataFrame) -> str:
    """Write how the two rules for t compare."""
    known = table[(table.table == "Table 2") & (table.trials > 0)]
    values = known.pivot(index=["data", "setting"], columns=["method", "metric"], values="ours")
    rows = values.index.to_frame(index=False).rename(columns={"setting": "split"})
    shown = (("accuracy", "accuracy", 4), ("mean t", "t", 2), ("groups", "groups", 0))
    for rule, method in (("auto", "DC-CFL"), ("gap", "DC-CFL (gap)")):
        for name, metric, digits in shown:
            rows[f"{rule}: {name}"] = [f"{v:.{digits}f}" for v in values[method, metric]]
    return markdown(rows)


def _learners(cells: pd.DataFrame, network: pd.DataFrame) -> dict[str, object]:
    """Set Local, DC and DC-CFL with other learners beside those with the network."""
    cells = cells.assign(learner=cells.table.str.removeprefix("Learner: "))
    both = pd.concat([network.assign(learner="network"), cells]).assign(published=np.nan)
    wins = cells.pivot(index=["learner", "data", "setting"], columns="method", values="ours")
    above = wins["DC-CFL"] > wins[["Local", "DC"]].max(axis=1)
    said = ", ".join(f"{part.sum()} of {len(part)} ({k})" for k, part in above.groupby("learner"))
    return {
        "plural": "s" if cells.trials.max() > 1 else "",
        "learners": _tables_by_set(both, ["method", "learner"]),
        "learners_above": said,
    }


def _chosen(cells: pd.DataFrame) -> str:
    """Write the settings chosen on validation rows, and in how many runs."""
    names = {"learning_rate": "rate", "mu": "mu", "pull": "lambda", "threshold": "t"}
    cells = _in_order(cells.sort_values("trials", ascending=False, kind="stable"))
    rows: dict[Any, dict[str, Any]] = {}
    for (data, split, method), found in cells.groupby(["data", "setting", "method"], sort=False):
        row = rows.setdefault((data, split), {"data": data, "split": split})
        row[str(method)] = "; ".join(
            ", ".join(f"{names[k]} {v:g}" for k, v in json.loads(str(c.metric)).items())
            + f" ({c.trials})"
            for c in found.itertuples()
        )
    return markdown(pd.DataFrame(list(rows.values())).fillna(""))


def _in_order(cells: pd.DataFrame) -> pd.DataFrame:
    """Sort cells as Table 2 does, by data set and method; others come last."""
    rank = cells.method.map({name: k for k, name in enumerate(METHODS)}).fillna(len(METHODS))
    place = cells.data.map({name: k for k, name in enumerate(SETS)})
    return cells.assign(_place=place, _rank=rank).sort_values(["_place", "_rank"], kind="stable")


def _tables_by_set(cells: pd.DataFrame, rows: list[str]) -> str:
    """Write one table per data set: ``rows`` name its lines, the splits its columns."""
    text = ""
    for name, part in _in_order(cells).groupby("data", sort=False):
        part = part.assign(text=[_text(cell) for _, cell in part.iterrows()])
        lines = part[rows].drop_duplicates()
        found = part.pivot(index=rows, columns="setting", values="text").reset_index()
        found = lines.merge(found, on=rows)[[*rows, *SPLITS]].fillna("—")
        text += f"\n### {name}\n\n{markdown(found)}\n"
    return text


def _text(cell: pd.Series) -> str:
    if np.isnan(cell.published) and np.isnan(cell.ours):
        return "—"
    ours = f"{cell.ours:.4f}" + (f" ({cell.ours_spread:.3f})" if cell.trials > 1 else "")
    return ours if np.isnan(cell.published) else beside(cell, ours, 4)


def _draw_rounds(rounds: pd.DataFrame, goal: float, docs: Path) -> Path:
    """Draw Figure 2: mean test accuracy on covertype, C=3, after each round."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    shown = rounds[(rounds.data == "covertype") & (rounds.setting == "C=3")]
    for method, curve in shown.groupby("method", sort=False):
        axes.plot(curve["round"], curve.accuracy, label=str(method))
    axes.axhline(goal, linestyle="--", color="black", label="DC-CFL, one round")
    axes.set(xlabel="rounds", ylabel="accuracy", title="covertype, C=3")
    axes.legend()
    return save(figure, docs, "dc-cfl-rounds")


def _draw_thresholds(thresholds: pd.DataFrame, docs: Path) -> Path:
    """Draw Figure 3: test accuracy of DC-CFL on covertype over its threshold."""
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for place, (setting, part) in enumerate(thresholds.groupby("setting")):
        axes = figure.add_subplot(1, 2, place + 1)
        by_t = part.groupby("t").accuracy
        axes.errorbar(by_t.mean().index, by_t.mean(), yerr=by_t.std(ddof=0), marker="o", capsize=3)
        axes.set(xlabel="t", ylabel="accuracy", title=f"covertype, {setting}")
    return save(figure, docs, "dc-cfl-thresholds")
