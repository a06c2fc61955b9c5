"""What the analyst may see of a study it solved, as plain values and as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from consilience.cli.console import plain
from consilience.collaboration.analyst import Analyst
from consilience.collaboration.gathering import Gathering
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.groups.clustered_analyst import ClusteredAnalyst
from consilience.collaboration.learning.groups.grouping import members_of
from consilience.collaboration.learning.groups.grouping_analyst import GroupingAnalyst
from consilience.messages import Message
from consilience.study.study import Study

__all__ = ["summarise", "tabulate"]


def summarise(
    terms: Study, analyst: Gathering | GroupingAnalyst, answers: list[Message]
) -> dict[str, Any]:
    """Return what the analyst may see, as plain values."""
    summary: dict[str, Any] = {
        "study": terms.name,
        "digest": terms.digest,
        "answered": [answer.recipient for answer in answers],
    }
    if isinstance(analyst, GroupingAnalyst):
        return summary | {"groups": analyst.groups, "threshold": analyst.threshold}
    summary |= {
        "rows": {row: join.n_rows for row, join in analyst.joins.items()},
        "complete": {row: join.n_complete for row, join in analyst.joins.items()},
        "unmatched": {row: join.n_unmatched for row, join in analyst.joins.items()},
    }
    if not isinstance(analyst, ClusteredAnalyst):
        summary["dimensions"] = analyst.representation.shape[1]
    if isinstance(analyst, Analyst):
        labels = analyst.partition.labels
        sizes = np.bincount(labels[labels >= 0], minlength=analyst.partition.n_clusters)
        summary["n_clusters"] = analyst.partition.n_clusters
        summary["cluster_sizes"] = sizes.tolist()
    elif isinstance(analyst, LearningAnalyst) and terms.learning is not None:
        summary["classes"] = sorted(terms.learning.classes)
        summary["estimator"] = terms.learning.estimator
        summary["explain"] = terms.learning.explain
        summary["learnt_from"] = analyst.n_labelled
        if isinstance(analyst, ClusteredAnalyst):
            summary["groups"], summary["threshold"] = analyst.groups, analyst.threshold
    return summary


def tabulate(summary: dict[str, Any]) -> Table:
    """Write the summary as a table."""
    if "rows" not in summary:
        members = members_of(summary["groups"])
        table = Table(title=plain(f"{summary['study']}: {len(members)} groups of institutions"))
        table.add_column("group", justify="right")
        table.add_column("row institutions")
        for number, group in enumerate(members):
            table.add_row(str(number), ", ".join(group))
        table.caption = f"by label counts alone, cut at {summary['threshold']:.3g}"
        return table
    learns = "classes" in summary
    found = f"{len(summary['classes'])} classes" if learns else f"{summary['n_clusters']} clusters"
    table = Table(title=plain(f"{summary['study']}: {found}"))
    table.add_column("row institution")
    table.add_column("joined rows", justify="right")
    table.add_column("at all its parties", justify="right")
    table.add_column("not at all its parties, by column", justify="right")
    for row in summary["rows"]:
        unmatched = ", ".join(map(str, summary["unmatched"][row]))
        table.add_row(row, str(summary["rows"][row]), str(summary["complete"][row]), unmatched)
    if learns:
        groups = summary.get("groups", {})
        models = f" in {len(set(groups.values()))} groups" if groups else ""
        table.caption = f"{summary['estimator']} learnt from {summary['learnt_from']} rows{models}"
    else:
        table.caption = f"cluster sizes: {', '.join(map(str, summary['cluster_sizes']))}"
    return table
