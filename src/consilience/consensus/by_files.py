"""A study of peers by files: every peer's bundles in a folder that travels, round after round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.by_files import Examined, Leaving, Letter, Outcome
from consilience.consensus.audit import audit_consensus
from consilience.consensus.bases import named_base
from consilience.consensus.kept import Kept
from consilience.consensus.local_step import LocalStep
from consilience.consensus.prediction import cluster_means, predict_clusters
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.roles import Scale, in_units, make_peer
from consilience.consensus.rounds import play_round
from consilience.consensus.wording import describe_peers
from consilience.exceptions import StudyError
from consilience.holdings import Place
from consilience.privacy.audits.limit import check_limit
from consilience.report.coincidence import tell_coincidence
from consilience.report.page import Page
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.id_faults import tell_shape
from consilience.study.participant import Participant
from consilience.study.rows import Rows, cluster_table
from consilience.study.study import Study

__all__ = ["VERBS", "audit", "describe", "label_later", "outcome_of", "send", "would_leave"]

VERBS = ("peer", "audit")


def send(
    me: Participant,
    source: Source,
    *,
    arrived: Sequence[Letter],
    there: Collection[str] = (),
    step: LocalStep,
    scale: Scale | None = None,
    give_up: bool = False,
    finish: Callable[[Peer, Rows], Outcome] | None = None,
) -> Leaving:
    """Take every letter so far and say what is to be said next; the labels when all agree.

    Parameters
    ----------
    me : Participant
    source : Source
    arrived : sequence of Letter
        Everything in the folder that is for this peer.
    there : collection of str
        The names of all files in the folder: what was said before is not said again.
    step : LocalStep
        Its own choice of method.
    scale : {"spread", "standard", "bounds", "none"}, optional
    give_up : bool, default=False
        Do what the study says about those it still waits for.
    finish : callable, optional
        Makes the outcome when all agree, if not :func:`outcome_of` as it is.
    """
    finish = partial(outcome_of, me) if finish is None else finish
    kept = Kept(me)
    peer, rows = make_peer(me, source, step, scale)
    letters, refused = play_round(peer, arrived, there, give_up=give_up)
    return Leaving(
        letters=letters,
        shown=[*would_leave(rows), ("iterations so far", str(peer.iteration))],
        question="Write these bundles?",
        entry="consensus",
        facts={"rows": len(rows.kept), "without": peer.without},
        keep=lambda manifest: kept.keep_promises(peer.commitments.promises()),
        notes=[*rows.notes, *peer.log, *(f"refused: {reason}" for reason in refused)],
        outcome=partial(finish, peer, rows) if peer.done else None,
        waiting_for=() if peer.done else peer.waiting_for,
    )


def would_leave(rows: Rows) -> list[tuple[str, str]]:
    """Say what a peer tells every other peer until they agree."""
    return [
        ("rows, by pseudonym", f"{len(rows.kept)}; those all peers hold are clustered"),
        ("of each row, in all", "its own clusters and ranks, as labels; no column, no distance"),
    ]


def outcome_of(
    me: Participant,
    peer: Peer,
    rows: Rows,
    sent: dict[str, int] | None = None,
    *,
    level: int | None = None,
    hierarchy: bool = False,
) -> Outcome:
    """Put a peer's labels beside the ids of its table; rows not all peers hold have none.

    Parameters
    ----------
    me : Participant
    peer : Peer
        That has agreed with the others.
    rows : Rows
        Its table.
    sent : dict of str to int, optional
        Bytes by kind of message.
    level : int or None, default=None
        The iteration after which the clusters are taken; None is the last.
    hierarchy : bool, default=False
        Whether all levels are written beside the labels.
    """
    tree = peer.hierarchy
    if level is not None and not 0 <= level <= tree.n_levels:
        raise StudyError(
            f"--level {level}: the clusters joined in {tree.n_levels} iterations; choose from 0 to "
            f"{tree.n_levels}."
        )
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = peer.labels_at(level)
    table = cluster_table(rows.ids, clusters)

    def page() -> Page:
        from consilience.consensus.page import peer_page

        return peer_page(
            me.study, me.name, tree, n_rows=len(rows.kept), log=peer.log, sent=sent or {}
        )

    counts = [str(int(tree.cut(k).max(initial=-1)) + 1) for k in range(1, tree.n_levels + 1)]
    note = f"clusters after each iteration: {', '.join(counts)}. Choose one of them with --level."
    files = {".hierarchy.json": tree.to_json(), ".hierarchy.dot": tree.to_dot()}
    return Outcome(
        table,
        f"{table['cluster'].nunique()} clusters the peers agree on",
        page,
        notes=[*_doubts(me, rows, clusters[rows.kept]), *([note] if len(counts) > 1 else [])],
        files={name: text.encode() for name, text in files.items()} if hierarchy else {},
        also="how the clusters joined, for programs and for Graphviz" if hierarchy else "",
    )


def _doubts(me: Participant, rows: Rows, clusters: npt.NDArray[np.int64]) -> list[str]:
    """Tell of clusters that are a column, and of rows that met none of the others."""
    schema = me.study.schema_of(me.place.column)
    notes = tell_coincidence(rows.matrix, schema, clusters)
    without = int((clusters < 0).sum())
    if without:
        shape = tell_shape(rows.ids, without)
        notes.append(f"{without} rows have no cluster: not all peers hold them. {shape}")
    return notes


def label_later(me: Participant, peer: Peer, rows: Rows, new: Rows, scale: Scale | None) -> Outcome:
    """Label rows that come later by this peer's columns alone; nothing leaves.

    The others would have to say how they see these rows; without a word, the nearest mean of a
    cluster in the peer's own columns is all there is. How well that does is said: by the share of
    the peer's own rows that would get the label they have.
    """
    schema = me.study.schema_of(me.place.column)
    known, labels = in_units(rows.matrix, schema, scale), peer.labels
    means = cluster_means(known, labels)
    found = predict_clusters([in_units(new.matrix, schema, scale, of=rows.matrix)], [means])
    kept = labels >= 0
    same = (predict_clusters([known[kept]], [means]) == labels[kept]).mean()
    clusters = np.full(len(new.ids), -1, dtype=np.int64)
    clusters[new.kept] = found
    table = cluster_table(new.ids, clusters)
    note = (
        f"new rows are labelled by your columns alone; of the rows all peers agreed on, {same:.0%} "
        f"would get the same label that way."
    )
    return Outcome(table, "clusters by your columns alone", _no_page, notes=[note])


def _no_page() -> Page:
    raise StudyError("rows that come later have no page of their own.")


def audit(
    study: Study,
    party: str,
    source: Source,
    *,
    n_repeats: int = 5,
    seed: int | None = None,
    frontier: bool = False,
    clusters: int = 8,
    **unused: Any,
) -> Examined:
    """Attack the labels and ranks a peer would send in the first iteration."""
    if frontier:
        raise StudyError(
            "a consensus reduces nothing, so it has no frontier. Compare audits with several "
            "--clusters instead."
        )
    X = check_table(study, party, source).accepted().matrix
    schema = study.schema_of(Place.of(party).column)
    found = audit_consensus(
        in_units(X, schema),
        LocalStep(named_base("kmeans", clusters)),
        names=schema.feature_names,
        n_repeats=n_repeats,
        seed=seed,
    )
    refusal = check_limit(found, study.max_reconstruction, "Look for fewer clusters")
    return Examined(found, refusal)


describe = describe_peers
