"""Which anchor to choose: the page that says it, with the table it is chosen from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pandas as pd
from rich.progress import Progress

from benchmarks.pages import write_page
from benchmarks.smote_anchors.anchors import N_STARTS, trial
from benchmarks.store import collect
from benchmarks.tables import Trials, markdown, write_csv
from consilience.datasets import load

DATA = ("banknote", "heart-statlog", "rice", "phoneme_elena", "pendigits", "dry_bean")
METRICS = ["agreement", "same start", "ACC readable", "ACC model", "unmixed"]
METRICS += ["EMD", "AMD(raw)", "AMD(anc)"]

INTRODUCTION = """# Choosing an anchor

The anchor is what aligns the parties, and what a coalition attacks with. There are six:

| `anchor=` | made from | whoever holds it |
|---|---|---|
| `"gaussian"` | the column key and public bounds: normal numbers | the parties of the column |
| `"uniform"` | the same: uniform numbers | the same, and an analyst alone unmixes it |
| `"rotated"` | the same: uniform numbers mixed by a secret rotation | the parties of the column |
| `Smote(rows)` | public rows of all columns, a key of all parties | every party, of all columns |
| `LowRank(rank)` | *private* rows: approximated, with noise, shown to all | every party |
| an array | what you have | whoever has it |

By files the kinds are `gaussian`, `uniform`, `rotated` and `smote`; a low-rank anchor cannot be
agreed on, since no key determines it. In one process:

```python
>>> import numpy as np
>>> from sklearn.datasets import load_wine
>>> from consilience import CollaborationClassifier
>>> from consilience.collaboration.anchors import Smote
>>> X, y = load_wine(return_X_y=True)
>>> public, rows = np.arange(0, 178, 4), np.flatnonzero(np.arange(178) % 4)
>>> model = CollaborationClassifier(anchor=Smote(X[public]), n_anchor=400, random_state=0)
>>> model = model.fit(X[rows], y[rows], parties=np.arange(len(rows)) % 3)
>>> model.anchor_.shape
(400, 13)

```

## How they were compared

Which anchor, and how many rows? Measured on {n_sets} sets ({sets}; up to 3,000 rows each), five row
institutions, two column groups, one dimension less than each party holds, {trials} trials.

```
consilience bench anchors --data DIR
```

- *agreement*: adjusted Rand index with k-means on the pooled rows, each from its own starts, as a
  study gets it; it also falls where k-means has several good answers, whatever the anchor
- *same start*: the same when both start at the same rows, mean of {starts} starts: what the anchor
  alone costs
- *ACC readable*: accuracy of the tree with five splits that a party fits to the anchor, in all
  columns
- *ACC model*: accuracy of the analyst's ridge regression, which the tree imitates
- *unmixed*: what an analyst **alone** finds of the anchor's features by independent component
  analysis of all parties' representations: mean of the largest |correlation|; what chance reaches
  is seen in *gaussian*, in which there is nothing to find
- *EMD*: mean distance moved when rows are assigned to anchor rows at the least total, estimated on
  samples of up to 200 of each; *AMD(raw)*: mean distance of a row to the nearest anchor row;
  *AMD(anc)*: of an anchor row to the nearest row. All in standard deviations of the features. They
  measure how close the anchor is to the rows, not whether rows can be rebuilt, and are huge for
  *lowrank* on sets whose columns have very different units, because its noise has the units of the
  whole table

Results with their spread: `benchmarks/results/anchors.csv`.
"""

DECISION = """
## Decision

**For clustering: `gaussian`, from public bounds, 400 rows (or 4 a column).** From the
same start, agreement with the pooled clustering is {gaussian:.3f} on average with 400 rows and
{gaussian_least:.3f} with 50; no other anchor that a key alone determines does better by more than
{edge:.3f}. An analyst alone
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


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure and write; by default 10 trials."""
    sets = {name: load(name, data=data) for name in DATA}
    parts = {
        f"{name}, seed {seed}": partial(trial, name, dataset.X, dataset.y, seed)
        for name, dataset in sets.items()
        for seed in range(trials or 10)
    }
    results = Trials(collect("anchors", parts, out, progress)).summary()
    yield write_csv(results, out, "anchors")
    yield write_page(page(results), out / "docs" / "choosing-an-anchor.md")


def page(results: pd.DataFrame) -> Iterator[str]:
    """Yield the parts of the page; every figure in it comes from the results."""
    measured = results[results.table == "anchors"]
    means, by_set = (
        cells.pivot_table(index=index, columns="metric", values="ours", sort=False)[METRICS]
        for cells, index in (
            (measured, ["method", "setting"]),
            (measured[measured.setting == "400"], ["data", "method"]),
        )
    )
    sets, n_trials = list(dict.fromkeys(measured.data)), int(measured.trials.max())
    yield INTRODUCTION.format(
        n_sets=len(sets), sets=", ".join(sets), trials=n_trials, starts=N_STARTS
    )
    yield DECISION.format(**_figures(results, means))
    yield "\n## Means over the sets\n\n"
    yield markdown(means.rename_axis(["anchor", "rows"]).reset_index())
    yield "\n\n## Set by set, 400 rows\n\n"
    yield markdown(by_set.rename_axis(["data", "anchor"]).reset_index()) + "\n"


def _figures(results: pd.DataFrame, means: pd.DataFrame) -> dict[str, float]:
    """Take the figures of the decision from the means."""

    def at(kind: str, rows: int, metric: str) -> float:
        return float(means[metric].to_dict()[kind, str(rows)])

    keyed = max(at(kind, 400, "same start") for kind in ("uniform", "rotated"))
    central = results[results.method == "centralised tree"].ours.mean()
    return {
        "gaussian": at("gaussian", 400, "same start"),
        "gaussian_least": at("gaussian", 50, "same start"),
        "gaussian_many": at("gaussian", 1600, "same start"),
        "edge": max(keyed - at("gaussian", 400, "same start"), 0.0),
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
