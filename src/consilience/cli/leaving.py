"""What would leave, in black and white: the tables ``consilience contribute`` shows first."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from consilience.cli.console import plain
from consilience.messages import Contribution, LabelCounts, LabelledContribution
from consilience.privacy.budget import Budget
from consilience.study.study import Study
from consilience.transports.bundle import Manifest

__all__ = ["summarise_counts", "summarise_rows"]


def summarise_rows(
    terms: Study, manifest: Manifest, message: Contribution, budget: Budget
) -> Table:
    """Tabulate what leaves of rows."""
    column = manifest.sender.partition("/")[2]
    features = terms.schema_of(column).feature_names
    n, k = message.representation.shape
    table = Table(title=f"What would leave {manifest.sender} for {manifest.recipient}")
    table.add_column("what", no_wrap=True)
    table.add_column("how much")
    table.add_row("rows, by coordinates", f"{n} rows x {k} dimensions, of {len(features)} columns")
    table.add_row("made from the columns", plain(", ".join(terms.schemas[column])))
    table.add_row("anchor, by coordinates", f"{len(message.anchor)} rows x {k} dimensions")
    table.add_row("row pseudonyms", f"{n}, keyed; without the row key they say nothing")
    if isinstance(message, LabelledContribution):
        known = int(message.targets.any(axis=1).sum())
        table.add_row("classes of the rows", f"{known} of {n}: the analyst learns them")
    epsilon = terms.reduction.epsilon
    if epsilon is None:
        table.add_row("noise", "none: the study asks for none, no privacy is proven")
    else:
        noise = f"{len(features) / epsilon:.0%} of the range of its column (Laplace)"
        limit = "no limit" if budget.limit is None else f"{budget.limit:g}"
        table.add_row("noise on every value", noise)
        table.add_row("spent per record", f"epsilon {budget.spent:g} of {limit}")
    table.add_row("in all", f"{manifest.n_bytes:,} bytes in {len(manifest.members)} arrays")
    table.add_row("reduction", f"{terms.reduction.reducer}, rotated: {terms.reduction.rotate}")
    table.add_row("study", plain(f"{terms.name} ({manifest.study[:12]})"))
    spread = np.ptp(message.representation, axis=0)
    table.add_row("widest coordinate", f"{spread.max():.4g}")
    return table


def summarise_counts(
    terms: Study, manifest: Manifest, message: LabelCounts, budget: Budget
) -> Table:
    """Tabulate what leaves where only label counts may."""
    assert terms.learning is not None
    table = Table(title=f"What would leave {manifest.sender} for {manifest.recipient}")
    table.add_column("what", no_wrap=True)
    table.add_column("how much")
    names = sorted(terms.learning.classes)
    shown = ", ".join(f"{name}: {n}" for name, n in zip(names, message.counts, strict=True))
    table.add_row("rows of each class", plain(shown))
    table.add_row("of any single row", "nothing: no coordinates, no class, no pseudonym")
    epsilon = terms.learning.epsilon
    if epsilon is None:
        table.add_row("noise", "none: the counts are exact, no privacy is proven")
    else:
        limit = "no limit" if budget.limit is None else f"{budget.limit:g}"
        table.add_row("noise on every count", f"two-sided geometric, scale {2 / epsilon:.3g}")
        table.add_row("spent per record", f"epsilon {budget.spent:g} of {limit}")
    table.add_row("study", plain(f"{terms.name} ({manifest.study[:12]})"))
    return table
