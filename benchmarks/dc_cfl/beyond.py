"""What the DC-CFL page says beyond the paper: bytes, a threshold without validation, learners."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.dc_cfl.cells import accuracies, in_order, tables_by_set, value_of
from benchmarks.tables import markdown

__all__ = ["bytes_section", "learner_section", "threshold_section"]

BYTES = """
## Bytes

What one institution sends and receives until it has the accuracy of Table 2, of the mean size; the
paper counts rounds only. DC and DC-CFL send one contribution (rows, anchor and classes in double
precision, as on the wire) and receive a map and a network; the others exchange networks in single
precision. The reduced anchor is most of a contribution.
"""


def bytes_section(table: pd.DataFrame) -> str:
    """Return what each method sends and receives."""
    rows = []
    cells = table[(table.table == "Table 2") & table.metric.isin(["bytes up", "bytes down"])]
    for (data, method), part in in_order(cells).groupby(["data", "method"], sort=False):
        mean = part.groupby("metric").ours.mean() / 1000
        accuracy = accuracies(table)[method].xs(data)
        rows.append(
            {
                "data": data,
                "method": method,
                "rounds": 1 if method in ("DC", "DC-CFL") else 5,
                "up, kB": f"{mean['bytes up']:.0f}",
                "down, kB": f"{mean['bytes down']:.0f}",
                "accuracy, C=2 / C=3 / Dir(0.1)": " / ".join(f"{a:.3f}" for a in accuracy),
            }
        )
        reached = table[
            (table.table == "Table 3") & (table.data == data) & (table.method == method)
        ].dropna(subset="ours")
        for cell in reached.itertuples():
            up = mean["bytes up"] / 5 * cell.ours
            rows.append(
                {
                    "data": data,
                    "method": f"{method}, as good as DC-CFL ({cell.setting})",
                    "rounds": f"{cell.ours:.0f}",
                    "up, kB": f"{up:.0f}",
                    "down, kB": f"{up + mean['bytes down'] - mean['bytes up']:.0f}",
                    "accuracy, C=2 / C=3 / Dir(0.1)": "",
                }
            )
    return BYTES + "\n" + markdown(pd.DataFrame(rows)) + "\n"


def threshold_section(table: pd.DataFrame) -> str:
    """Return how the two rules for t compare."""
    rows = []
    for data, split in accuracies(table).index:
        row = {"data": data, "split": split}
        for rule, method in (("auto", "DC-CFL"), ("gap", "DC-CFL (gap)")):
            accuracy, t, groups = (
                value_of(table, data, split, method, m) for m in ("accuracy", "t", "groups")
            )
            row[f"{rule}: accuracy"] = f"{accuracy:.4f}"
            row[f"{rule}: mean t"] = f"{t:.2f}"
            row[f"{rule}: groups"] = f"{groups:.0f}"
        rows.append(row)
    ours = accuracies(table)
    lost = ours["DC-CFL"] - ours["DC-CFL (gap)"]
    return (
        '\n## A threshold without validation rows\n\n`threshold="auto"` holds rows out, `"gap"` '
        "cuts in the largest gap between merges, for which the label mixes are enough.\n\n"
        + markdown(pd.DataFrame(rows))
        + f"\n\n`gap` is {lost.mean():.4f} below `auto` on average and {lost.max():.4f} at worst.\n"
    )


def learner_section(table: pd.DataFrame) -> str:
    """Return Local, DC and DC-CFL with other learners than the network."""
    cells = table[table.table.str.startswith("Learner")].copy()
    cells["learner"] = cells.table.str.removeprefix("Learner: ")
    network = table[(table.table == "Table 2") & (table.metric == "accuracy")]
    network = network[network.method.isin(["Local", "DC", "DC-CFL"])].assign(learner="network")
    n_runs = int(cells.trials.max())
    text = (
        "\n## What the collaboration itself is worth: stronger learners\n\n"
        f"The same splits; {n_runs} run{'s' * (n_runs > 1)}, the network's rows are those of Table "
        "2. DC-CFL has the threshold that the network chose; the forest has 50 trees, boosting "
        "(XGBoost) its defaults.\n"
    )
    both = pd.concat([network, cells])
    text += tables_by_set(both.assign(published=np.nan), ["method", "learner"])
    wins = cells.pivot(index=["learner", "data", "setting"], columns="method", values="ours")
    above = wins["DC-CFL"] > wins[["Local", "DC"]].max(axis=1)
    said = ", ".join(f"{part.sum()} of {len(part)} ({k})" for k, part in above.groupby("learner"))
    return text + f"\nColumns in which DC-CFL is above Local and DC: {said}.\n"
