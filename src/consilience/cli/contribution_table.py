"""What would leave: a table for the person who decides."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from consilience.cli.console import plain
from consilience.messages import Contribution, LabelledContribution
from consilience.privacy.budget import Budget
from consilience.study.study import Study
from consilience.transports.bundle import Manifest

__all__ = ["show_contribution"]


def show_contribution(
    terms: Study, manifest: Manifest, message: Contribution, budget: Budget
) -> Table:
    """Tabulate what leaves, in black and white.

    Parameters
    ----------
    terms : Study
    manifest : Manifest
        Of the bundle that would be written.
    message : Contribution
    budget : Budget
        With this contribution charged.
    """
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
