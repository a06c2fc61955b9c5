"""The page that says which anchor to choose, with the table it is chosen from."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from consilience.bench.tables import markdown

__all__ = ["write_page"]

INTRODUCTION = """# Choosing an anchor

Which anchor, and how many rows? Measured on {n_sets} sets ({sets}; up to 3,000 rows each), five row
institutions, two column groups, one dimension less than each party holds, {trials} trials.

```
consilience bench anchors --data DIR
```

- *agreement*: adjusted Rand index with k-means on the pooled rows
- *ACC readable*: accuracy of the tree with five splits that a party fits to the anchor, in all
  columns
- *ACC model*: accuracy of the analyst's ridge regression, which the tree imitates
- *unmixed*: what an analyst **alone** finds of the anchor's features by independent component
  analysis of all parties' representations: mean of the largest |correlation|; what chance reaches
  is seen in *gaussian*, in which there is nothing to find
- *AMD(raw)*: mean distance of a row to the nearest anchor row, in standard deviations of the
  features; it is huge for *lowrank* on sets whose columns have very different units, because its
  noise has the units of the whole table

K-means on the parties' rows and on the pooled rows start by themselves, so agreement also falls
where k-means has several good answers (pendigits), whatever the anchor. Results:
`benchmarks/results/anchors.csv`.
"""

DECISION = """
## Decision

**For clustering: `gaussian`, from public bounds, 400 rows (or 4 a column).** Agreement with the
pooled clustering is {gaussian:.3f} on average with 400 rows and {gaussian_least:.3f} with 50; no
other anchor that a key alone determines does better by more than {edge:.3f}. An analyst alone
unmixes {uniform_unmixed:.2f} of a uniform anchor and {gaussian_unmixed:.2f} of a gaussian one, with
1,600 rows. This stays the default of a new study.

**For readable models: `Smote`, where there are public rows.** With 400 rows the trees reach
{smote_readable:.3f} on average, against {gaussian_readable:.3f} with gaussian,
{uniform_readable:.3f} with uniform and {rotated_readable:.3f} with rotated anchors; a tree on the
pooled rows themselves reaches {central:.3f}. The analyst's model does not need it
({smote_model:.3f} against {gaussian_model:.3f}): it is the *explanation* that must be fitted where
the rows are. So an anchor drawn from bounds serves prediction, and a readable model fitted to it
should be trusted only after a look at its accuracy on one's own rows.

**Not `LowRank`:** it publishes something made from private rows, and still gives
{lowrank_readable:.3f}.

More rows help readable models (Smote: {smote_few:.3f} with 50 rows, {smote_many:.3f} with 1,600)
and not clusterings ({gaussian_least:.3f} and {gaussian_many:.3f}). None of this protects against an
analyst who *colludes* with a holder of the anchor: see the threat model.
"""


def write_page(results: pd.DataFrame, path: Path) -> Path:
    """Write the page; every figure in it comes from the results."""
    measured = results[results.table == "anchors"]
    means = measured.pivot_table(
        index=["method", "setting"], columns="metric", values="ours", sort=False
    )
    by_set = measured[measured.setting == "400"].pivot_table(
        index=["data", "method"], columns="metric", values="ours", sort=False
    )
    columns = ["agreement", "ACC readable", "ACC model", "unmixed", "AMD(raw)"]
    sets = list(dict.fromkeys(measured.data))
    parts = [
        INTRODUCTION.format(
            n_sets=len(sets), sets=", ".join(sets), trials=int(measured.trials.max())
        ),
        DECISION.format(**_figures(results, means)),
        "\n## Means over the sets\n\n",
        markdown(means[columns].rename_axis(["anchor", "rows"]).reset_index()),
        "\n\n## Set by set, 400 rows\n\n",
        markdown(by_set[columns].rename_axis(["data", "anchor"]).reset_index()),
        "\n",
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(parts), encoding="utf-8")
    return path


def _figures(results: pd.DataFrame, means: pd.DataFrame) -> dict[str, float]:
    """Take the figures of the decision from the means."""

    def at(kind: str, rows: int, metric: str) -> float:
        return float(means[metric].to_dict()[kind, str(rows)])

    keyed = max(at(kind, 400, "agreement") for kind in ("uniform", "rotated"))
    central = results[results.method == "centralised tree"].ours.mean()
    return {
        "gaussian": at("gaussian", 400, "agreement"),
        "gaussian_least": at("gaussian", 50, "agreement"),
        "gaussian_many": at("gaussian", 1600, "agreement"),
        "edge": max(keyed - at("gaussian", 400, "agreement"), 0.0),
        "uniform_unmixed": at("uniform", 1600, "unmixed"),
        "gaussian_unmixed": at("gaussian", 1600, "unmixed"),
        **{
            f"{kind}_readable": at(kind, 400, "ACC readable")
            for kind in ("gaussian", "uniform", "rotated", "smote", "lowrank")
        },
        "central": float(central),
        "smote_model": at("smote", 400, "ACC model"),
        "gaussian_model": at("gaussian", 400, "ACC model"),
        "smote_few": at("smote", 50, "ACC readable"),
        "smote_many": at("smote", 1600, "ACC readable"),
    }
