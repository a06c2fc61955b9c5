"""The page of the attacks, and the table of the threat model: every figure from the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.attacks.defaults import NOISY_TRIALS
from benchmarks.attacks.studies import Study
from benchmarks.pages import fill_table, write_page
from benchmarks.tables import markdown, with_interval

INTRODUCTION = """# Attacks on data collaboration, measured

```
consilience bench attacks --data DIR
```

with the extra `dev`. Three institutions hold a third of the rows each. The first is the victim,
the second colludes with the analyst. Trials: {trials}; seeds 0, 1, 2, … each draw
the split, the anchor and all private randomness anew. Calibrated noise alone (*epsilon*) is what a
contribution gets, from OpenDP and the entropy of the operating system: no seed repeats it, so those
rows differ in every run, by about the interval shown. A ± is the 95 % confidence interval over
trials. A control is the mean of 5 draws of wrong knowledge in each trial. Up to 2,000 rows of the
victim are attacked in a trial. R2 is per column, 1 is exact and 0 is guessing the column's mean;
the *median* is over columns. *Top-1* is the share of guesses that lie nearest to their own row. The
file `benchmarks/results/attacks.csv` also has the column rebuilt best, the relative error of a row,
and the share of rows rebuilt to within a tenth of their distance from the mean row, with the spread
over trials.

{sets}

None of this is a proof of safety. An attack that fails shows that this attack fails.
"""

DEFAULTS = (
    "half of the dimensions",
    "gaussian anchor",
    "answers of labels only",
    "calibrated noise, epsilon 100 per row",
)
"""Defences that SECURITY.md speaks of: what a new study does, and noise."""
README_SETS = ("wine", "heart-statlog", "rice", "breast cancer", "digits", "pendigits")

SECTIONS = {
    "Collusion": """## Analyst and a holder of the anchor

*Reference* is the figure measured before this package was written. *Wrong anchor* is the control:
the same attack with the anchor of another key.
""",
    "Anchor rows": """## How many anchor rows

Few anchor rows do not protect: m + 1 of them determine the victim's map, and a coalition with rows
alike needs no more. Without such rows, more anchor rows rebuild more. *n*: as many as the table has
rows (at most 5,000), as in the papers.
""",
    "Analyst alone": """## Analyst alone

Independent component analysis of what the three parties sent of the anchor, m - 1 dimensions kept.
Which component is which column, and which way up, the analyst tells *by quantiles* published of
such columns; *by quantiles and correlations*; or an *oracle* tells it, an upper bound. *Control*
unmixes rows of nobody. Columns that are distributed alike, as standardised ones may be, are
confused by quantiles; a wrong sign makes R2 negative, so that the interval is wide where some
trials succeed and others do not.
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
classes, in a rehearsal of three institutions that hold all columns). With *epsilon* an institution
has at most 2,000 rows.
""",
    "Defaults": """## Defaults of a new study against paper mode

Five row institutions, two column groups, k-means. *Default*: half of the dimensions, rounded up,
rotated, 400 gaussian anchor rows. *Paper mode*: m - 1 dimensions, uniform anchors, as many as rows.
Both in the units of the table, and scaled by bounds as a new study does; the pooled clustering they
are compared with has the same units. The victim holds a fifth of the rows of one column group.
*Epsilon* is the budget of a record at each column group, over {noisy} trials.
""",
}


def write_pages(
    results: pd.DataFrame, studies: Sequence[Study], budget: Mapping[str, int], out: Path
) -> Iterator[Path]:
    """Write the page, and the tables inside the threat model and README if those exist."""
    yield write_page(_page(results, studies, budget), out / "docs" / "bench-attacks.md")
    table = threat_table(results)
    short = table[table.defence.isin(DEFAULTS)]
    short = short.drop(columns=["recognises (top-1)", "then recognises"]).drop_duplicates()
    for page, text in (
        ("docs/threat-model.md", markdown(table)),
        ("README.md", markdown(_readme(results))),
        ("SECURITY.md", markdown(short)),
    ):
        yield from fill_table(out / page, "attacks", text)


def _page(
    results: pd.DataFrame, studies: Sequence[Study], budget: Mapping[str, int]
) -> Iterator[str]:
    sets = "\n".join(_described(study) for study in studies)
    trials = ", ".join(f"{name} {count}" for name, count in budget.items())
    yield INTRODUCTION.format(trials=trials, sets=sets)
    for table, text in SECTIONS.items():
        told = text.replace("{noisy}", str(min(NOISY_TRIALS, budget["defaults"])))
        yield f"\n{told}\n{_section(results, table)}\n"
    yield "\n## In words\n\n"
    yield from verdicts(results)


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


def _readme(results: pd.DataFrame) -> pd.DataFrame:
    """Return the table of the privacy paragraph: paper mode, the default, and noise on top."""
    cells = results[results.table == "Defaults"]
    settings = {
        "paper mode, scaled by bounds": "paper mode",
        "default, scaled by bounds": "default study",
        "default, epsilon 100 per row, scaled by bounds": "default study, epsilon 100",
    }
    cells = cells[cells.setting.isin(settings) & cells.data.isin(README_SETS)]
    wide = cells.pivot_table(index=["data", "setting"], columns="metric", values="ours", sort=False)
    wide = wide.reindex([(name, setting) for name in README_SETS for setting in settings]).dropna()
    rows = [
        {
            "": f"{name}, {settings[setting]}",
            "agreement with pooled": found["ARI with pooled"],
            "median R² rebuilt": found["median R2"],
            "rows recognised": f"{found['top-1']:.0%}",
        }
        for (name, setting), found in zip(wide.index, wide.to_dict("records"), strict=True)
    ]
    return pd.DataFrame(rows)


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
