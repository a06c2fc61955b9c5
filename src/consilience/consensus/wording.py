"""The terms of a study of peers in words."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.consensus.terms import Peers
from consilience.report.agreement import agreement_section
from consilience.report.page import Cell, Section
from consilience.study.study import Study

__all__ = ["describe_peers"]

ABSENT = {
    "abort": "stops the others",
    "go on without": "is left out, and its veto with it: the others go on",
}
GUARDED = {
    "refuse": "stops the study, by name",
    "exclude": "is left out, by name: the others go on without its labels and ranks",
}
VETO = {
    "iteration": "for the iteration in which it says so",
    "persistent": "for good",
}


def describe_peers(study: Study) -> Section:
    """Write the agreement of a study of peers."""
    terms = study.of(Peers).consensus
    most = "" if terms.max_labels is None else f"more than {terms.max_labels} labels, or "
    apart = f"any one peer, {VETO[terms.veto]}"
    if terms.rule == "votes":
        apart = "most of the peers, by votes: each sends ten clusterings of the rows"
    lines: list[Sequence[Cell]] = [
        ["Analyst", "none: every peer finds the same clusters from the same messages"],
        [
            "What each peer sends to every other",
            "a digest of the rows it holds, sums over parts of their keyed pseudonyms and, where "
            "those of two peers differ, the pseudonyms; then, iteration by iteration, its own "
            "cluster of every row that is still told apart, the order of the rows of each cluster "
            "from the most to the least central, and digests that bind it to both; no column, no "
            "distance",
        ],
        ["Rows not at every peer", "left out: clusters are those of the rows all peers hold"],
        ["Who keeps two rows apart", apart],
        [
            "A peer that separates nearly everything",
            f"{most}more than {terms.max_singletons:.0%} of the rows alone in the first iteration: "
            f"it {GUARDED[terms.when_guarded]}",
        ],
        [
            "A peer that does not answer",
            f"of which nothing is heard for {terms.timeout:g} seconds over a network, or which is "
            f"declared absent by files: it "
            f"{ABSENT[terms.when_absent]}",
        ],
        ["How ranks elect a row for each cluster", f"by their {terms.ranking}"],
        ["Iterations at most", terms.max_iter],
        ["Seed", str(terms.seed)],
        ["What each peer receives", "the cluster of its rows, and how clusters joined"],
    ]
    return agreement_section(study, lines)
