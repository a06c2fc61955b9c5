"""What clusters have to do with each other: which join first, and which rows lie between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.report.dendrogram import draw_dendrogram
from consilience.report.page import Cell, Figure, Part, Section, Table

__all__ = ["coarser", "further_columns", "relations_section"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

UNSURE = 0.6
"""A row whose largest share is below it lies between clusters."""


def coarser(tree: Array, n_clusters: int) -> Labels:
    """Return the larger cluster of each cluster when a tree is cut to fewer.

    Parameters
    ----------
    tree : ndarray of shape (n_joints, 3)
        Of a :class:`~consilience.collaboration.partition.Partition`.
    n_clusters : int
        From 1 to the number of clusters the tree joins.

    Returns
    -------
    ndarray of shape (n_joints + 1,)
        Larger clusters are numbered by the first of the clusters in them.

    Examples
    --------
    >>> tree = np.array([[1.0, 2.0, 0.5], [0.0, 3.0, 4.0]])
    >>> coarser(tree, 2).tolist(), coarser(tree, 3).tolist()
    ([0, 1, 1], [0, 1, 2])
    """
    n = len(tree) + 1
    members: list[list[int]] = [[k] for k in range(n)]
    group = np.arange(n)
    for line in tree[: n - n_clusters]:
        joined = [*members[int(line[0])], *members[int(line[1])]]
        members.append(joined)
        group[joined] = min(joined)
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def further_columns(
    clusters: Labels, answered: Labels, memberships: Array | None, tree: Array | None
) -> pd.DataFrame:
    """Return what stands beside the cluster of each row: shares, or clusters of coarser cuts.

    Parameters
    ----------
    clusters : ndarray of shape (n_rows,)
        Of the rows of a table, -1 for none.
    answered : ndarray of shape (n_rows,)
        The row of ``memberships`` that belongs to each row, -1 for none.
    memberships : ndarray of shape (n_answered, n_clusters), optional
    tree : ndarray of shape (n_joints, 3), optional

    Examples
    --------
    >>> tree = np.array([[1.0, 2.0, 0.5], [0.0, 3.0, 4.0]])
    >>> further_columns(np.array([2, -1]), np.array([0, 1]), None, tree)
       cluster_of_2
    0             1
    1          <NA>
    """
    columns: dict[str, pd.Series] = {}
    inside = clusters >= 0
    if tree is not None:
        for k in range(2, len(tree) + 1):
            column = pd.array(np.where(inside, coarser(tree, k)[clusters], 0), dtype="Int64")
            column[~inside] = pd.NA
            columns[f"cluster_of_{k}"] = pd.Series(column)
    if memberships is not None:
        shares = np.where((inside & (answered >= 0))[:, None], memberships[answered], np.nan)
        for k in range(shares.shape[1]):
            columns[f"membership_{k}"] = pd.Series(shares[:, k].round(4))
    return pd.DataFrame(columns)


def relations_section(
    sizes: Sequence[int], memberships: Array | None, tree: Array | None
) -> list[Section]:
    """Show the tree of the clusters, or how many rows lie between them; nothing if there is none.

    Parameters
    ----------
    sizes : sequence of int
        Rows of each cluster, of those the page speaks of.
    memberships : ndarray of shape (n_rows, n_clusters), optional
        Of the same rows.
    tree : ndarray of shape (n_clusters - 1, 3), optional
    """
    sections = []
    if tree is not None and len(tree):
        names = [f"cluster {k} ({n:,})" for k, n in enumerate(sizes)]
        said = "; ".join(
            f"to {k} clusters at {height:.3g}"
            for k, height in zip(range(len(tree), 0, -1), tree[:, 2], strict=True)
        )
        figure = Figure(
            draw_dendrogram(tree, names),
            alt=f"Tree of the clusters. They join {said}.",
            caption="Clusters that join at a small height are alike; a long way without a joint is "
            "a number of clusters that stands out. Numbers of rows are in brackets.",
        )
        sections.append(Section("How the clusters join", [figure]))
    if memberships is not None and memberships.shape[1] > 1:
        sections.append(Section("Rows between clusters", _between(memberships)))
    return sections


def _between(memberships: Array) -> list[Part]:
    rows = memberships[memberships.sum(axis=1) > 0]
    first, second = np.argsort(-rows, axis=1, kind="stable")[:, :2].T
    unsure = rows.max(axis=1) < UNSURE
    found: list[tuple[int, str]] = []
    for a in range(rows.shape[1]):
        for b in range(a + 1, rows.shape[1]):
            pair = ((first == a) & (second == b)) | ((first == b) & (second == a))
            n = int((pair & unsure).sum())
            if n:
                found.append((n, f"{a} and {b}"))
    lines: list[list[Cell]] = [
        [pair, n, f"{n / len(rows):.1%}"] for n, pair in sorted(found, reverse=True)
    ]
    text = (
        f"{int(unsure.sum()):,} of {len(rows):,} rows ({unsure.mean():.1%}) belong to no cluster "
        f"by {UNSURE:.0%} or more."
    )
    return [text, Table(["between clusters", "rows", "share"], lines)] if lines else [text]
