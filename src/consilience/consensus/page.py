"""A peer's page: the clusters the peers agreed on, how they came to join, and what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.wording import describe_peers
from consilience.report.figures import new_figure, report_style, to_svg
from consilience.report.page import Facts, Figure, Note, Page, Part, Section, Table
from consilience.study.study import Study

__all__ = ["hierarchy_section", "peer_page"]

SHOWN_CLUSTERS = 40


def hierarchy_section(hierarchy: Hierarchy) -> Section:
    """Show the Cluster Fusion Hierarchy as a tree and as a table of its levels.

    Examples
    --------
    >>> import numpy as np
    >>> tree = Hierarchy(np.array([2, 2, 2, 4, 2]), np.array([1, 1, 0, 1, 2]))
    >>> hierarchy_section(tree).title
    'How the clusters joined'
    """
    table = hierarchy.clusters()
    rows = [
        (
            level,
            int((table[:, 0] == level).sum()),
            int(table[table[:, 0] == level, 2].max()),
            int((table[table[:, 0] == level, 2] == 1).sum()),
        )
        for level in range(1, int(table[-1, 0]) + 1)
    ]
    words = "; ".join(f"after iteration {level} {n} clusters" for level, n, *_ in rows)
    return Section(
        "How the clusters joined",
        [
            "Each iteration keeps together what no peer separates and goes on with one row for "
            "each cluster. Each column is an iteration; a block is a cluster, as high as it has "
            "rows, and stands beside the cluster it becomes part of.",
            Figure(
                _draw_tree(hierarchy),
                alt=f"A tree of clusters: {words}.",
                caption="Numbers are rows; colours follow the clusters that came out, named on "
                f"the right. Beyond the {SHOWN_CLUSTERS} largest of a column, clusters are grey "
                "together.",
            ),
            Table(["iteration", "clusters", "largest", "single rows"], rows),
        ],
    )


def peer_page(
    study: Study,
    name: str,
    hierarchy: Hierarchy,
    *,
    n_rows: int,
    log: Sequence[str],
    sent: Mapping[str, int],
) -> Page:
    """Describe the outcome of a consensus to one of its peers.

    Parameters
    ----------
    study : Study
    name : str
    hierarchy : Hierarchy
        Over the rows all peers hold.
    n_rows : int
        Rows of the peer's own table that took part in the search for common rows.
    log : sequence of str
        What happened that is worth knowing.
    sent : mapping of str to int
        Bytes this peer sent, by kind of message; empty where bundles were carried.
    """
    labels = hierarchy.cut()
    facts = Facts(
        [
            ("clusters", int(labels.max(initial=-1)) + 1),
            ("common rows", len(labels)),
            ("your rows", n_rows),
            ("iterations", hierarchy.n_levels),
        ]
    )
    notes: list[Part] = [Note(line, warning=True) for line in log]
    sections = [Section("Outcome", [facts, *notes]), hierarchy_section(hierarchy)]
    if sent:
        sections.append(Section("What was sent", [Table(["message", "bytes"], list(sent.items()))]))
    return Page(
        title=study.name,
        subtitle=f"Report for {name}",
        notice="This page shows sizes of clusters and nothing of anybody's columns.",
        sections=[*sections, describe_peers(study)],
        private=True,
    )


@report_style()
def _draw_tree(hierarchy: Hierarchy) -> bytes:
    figure, axes = new_figure(4.8)
    hierarchy.plot(axes, max_clusters=SHOWN_CLUSTERS)
    return to_svg(figure)
