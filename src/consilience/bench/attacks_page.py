"""The page of the attacks, and the table of the threat model: every figure from the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from consilience.bench.attack_studies import Study
from consilience.bench.page_tables import fill_table
from consilience.bench.tables import markdown
from consilience.bench.threat_table import threat_table

__all__ = ["write_pages"]

INTRODUCTION = """# Attacks on data collaboration, measured

```
consilience bench attacks --data DIR
```

Three institutions hold a third of the rows each. The first is the victim, the second colludes with
the analyst. Trials: {trials}; seeds 0, 1, 2, … each draw the split, the anchor and all private
randomness anew. Up to 2,000 rows of the victim are attacked in a trial. R2 is per column, 1
is exact and 0 is guessing the column's mean; the *median* is over columns. *Top-1* is the share of
guesses that lie nearest to their own row. The file `benchmarks/results/attacks.csv` also has the
column rebuilt best, the relative error of a row, and the share of rows rebuilt to within a tenth of
their distance from the mean row, with the spread over trials.

{sets}

None of this is a proof of safety. An attack that fails shows that this attack fails.
"""

SECTIONS = {
    "Collusion": """## Analyst and a holder of the anchor

*Reference* is the figure measured before this package was written. *Wrong anchor* is the control:
the same attack with the anchor of another key.
""",
    "m + 1 anchors": """## With one anchor row more than columns

Few anchor rows do not protect: m + 1 of them determine the victim's map.
""",
    "Analyst alone": """## Analyst alone

Independent component analysis of what the three parties sent of the anchor, m - 1 dimensions kept.
*Oracle* is told which component is which column and which sign it has, an upper bound; *blind* has
the public bounds and published quantiles of each column; *control* unmixes rows of nobody.
""",
    "Known rows": """## Somebody knows m of the victim's rows

The analyst, from the contribution; and a row-mate (the columns are in two groups), from the shared
coordinates Z that the papers' answer holds, or from labels alone.
""",
    "Linkage": """## Somebody has a list of the people

*Linkage*: the analyst, a holder of the anchor and a register with half of the columns, drawn anew
in each trial. *Exact register*: one that has every value. *Order*: the place of a row alone, when
rows leave in the order of the table and when they are shuffled.
""",
    "Labels and ranks": """## Labels and ranks of a consensus

Two peers of a consensus (VertCoHiRF) with half of the columns each. The attacker knows one row in
twenty of the victim and its own columns of all rows, and predicts the victim's columns: from
*nothing* more, from the victim's *labels* of the first round (k-means, 10 clusters), and from its
*labels and ranks*.
""",
    "Defences": """## Defences

Each by the strongest collusion we have (with prior; with a curved inverse for kernel PCA), next to
the agreement with the pooled clustering (adjusted Rand index, k-means with as many clusters as
classes, in a rehearsal of three institutions that hold all columns).
""",
    "Defaults": """## Defaults of a new study against paper mode

Five row institutions, two column groups, k-means. *Default*: half of the dimensions, rounded up,
rotated, 400 gaussian anchor rows. *Paper mode*: m - 1 dimensions, uniform anchors, as many as rows.
Both in the units of the table, and scaled by bounds as a new study does; the pooled clustering they
are compared with has the same units. The victim holds a fifth of the rows of one column group.
""",
}


def write_pages(
    results: pd.DataFrame, studies: Sequence[Study], budget: Mapping[str, int], docs: Path
) -> Iterator[Path]:
    """Write ``bench-attacks.md``, and the table inside ``threat-model.md`` if that page exists."""
    sets = "\n".join(_described(study) for study in studies)
    trials = ", ".join(f"{name} {count}" for name, count in budget.items())
    parts = [INTRODUCTION.format(trials=trials, sets=sets)]
    for table, text in SECTIONS.items():
        parts += ["\n", text, "\n", _section(results, table), "\n"]
    parts += ["\n## In words\n\n", *_verdicts(results)]
    docs.mkdir(parents=True, exist_ok=True)
    page = docs / "bench-attacks.md"
    page.write_text("".join(parts), encoding="utf-8")
    yield page
    table = markdown(threat_table(results), 2)
    yield from fill_table(docs / "threat-model.md", "attacks", table)


def _described(study: Study) -> str:
    n, m = study.X.shape
    left_out = len(study.columns.near_constant) + len(study.columns.duplicated)
    note = f"; {left_out} near-constant or copied columns not counted" if left_out else ""
    return f"- {study.name}: {n} rows, {m} columns, {study.units}{note}"


def _section(results: pd.DataFrame, table: str) -> str:
    cells = results[results.table == table]
    if table == "Collusion":
        shown = cells[cells.metric.isin(["median R2", "top-1"])]
        frame = shown[["data", "setting", "method", "metric", "published", "ours", "gap"]]
        return markdown(frame.rename(columns={"published": "reference"}))
    metrics = ["median R2", "top-1"]
    if table == "Linkage":
        return markdown(_side_by_side(cells, ["data", "setting", "method"], ["top-1"]))
    if table in ("Defences", "Defaults"):
        metrics.append("ARI with pooled")
        return markdown(_side_by_side(cells, ["data", "setting"], metrics))
    return markdown(_side_by_side(cells, ["data", "setting", "method"], metrics))


def _side_by_side(cells: pd.DataFrame, index: list[str], metrics: list[str]) -> pd.DataFrame:
    chosen = cells[cells.metric.isin(metrics)]
    frame = chosen.pivot_table(index=index, columns="metric", values="ours", sort=False)
    return frame[metrics].reset_index()


def _verdicts(results: pd.DataFrame) -> Iterator[str]:
    """Say in sentences, from the numbers, what held and what did not."""
    reference = results[(results.metric == "median R2") & results.published.notna()]
    worst = reference.iloc[int(reference.gap.abs().to_numpy().argmax())]
    near = int((reference.gap.abs() <= 0.03).sum())
    yield (
        f"- Reference R2: {near} of {len(reference)} lie within .03; the largest gap is "
        f"{worst.gap:+.3f} ({worst.data}, {worst.setting}, {worst.method}), where the standard "
        f"deviation over trials is {worst.ours_spread:.3f}.\n"
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
