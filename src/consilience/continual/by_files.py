"""A continual study by files: windows of rows in, nodes out; nodes in, the lasting clusters out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consilience.by_files import Examined, Leaving, Letter, Outcome, Solution, expect_letter
from consilience.continual.audit import audit_stream
from consilience.continual.copies import count_copies
from consilience.continual.expectation import expect as expect_loss
from consilience.continual.party import Party
from consilience.continual.roles import analyst_of, party_of
from consilience.continual.state import load_state, save_state
from consilience.continual.terms import Stream
from consilience.continual.units import Units
from consilience.continual.wording import describe_stream
from consilience.exceptions import StudyError
from consilience.messages import ClusterUpdate, NodeUpdate
from consilience.privacy.accountant import Accountant
from consilience.report.page import Page, Section, Table
from consilience.sources.source import Source
from consilience.study.checking import check_table
from consilience.study.participant import Participant
from consilience.study.rows import cluster_table
from consilience.study.study import Study
from consilience.transports.bundle import Manifest

__all__ = ["VERBS", "audit", "describe", "read", "send", "solve"]

VERBS = ("stream", "audit")
STATE = "stream.state"
"""The file in a private folder that lasts from window to window."""


def send(me: Participant, source: Source, *, window: int) -> Leaving:
    """Learn a window of rows and send the nodes that are new or have moved.

    Noise is paid for before it is drawn, and drawn once: whoever declines, or names another folder,
    is shown the same nodes again, and pays nothing more.
    """
    party = _party(me)
    rows = check_table(me.study, me.name, source).accepted()
    (message,) = party.begin(rows.matrix, window)
    assert isinstance(message, NodeUpdate)
    lower, upper = me.study.schema_of(me.place.column).bounds
    scaled = Units(lower, upper).scale(rows.matrix) if party.network.profile.scale else rows.matrix
    copies = count_copies(message.nodes, scaled)

    def keep(manifest: Manifest) -> None:
        _keep(me, party)

    def page() -> Page:
        from consilience.continual.page import stream_party_page

        budget = _account(me).budget
        return stream_party_page(me.study, party, budget, sent=(len(message.nodes), copies))

    epsilon = me.study.of(Stream).stream.epsilon
    facts: dict[str, Any] = {"window": window, "nodes": len(message.nodes)}
    if epsilon is not None:
        facts |= {"epsilon": epsilon, "charged": True, "spent": party.budget.spent}
    return Leaving(
        letters=[
            Letter(
                message,
                f"window {window} of the study {me.study.name!r}",
                f"{me.name.replace('/', '.')}.{window}.nodes",
            )
        ],
        shown=_shown(me.study, party, message, copies),
        tables=[_expected(me.study, epsilon)] if _on_rows(me.study) and epsilon else [],
        question="Write these nodes?",
        entry="window",
        facts=facts,
        keep=keep,
        page=page,
    )


def solve(me: Participant, arrived: Sequence[Letter], withdrawn: Sequence[str] = ()) -> Solution:
    """Merge the nodes that arrived into the lasting network, and answer every party.

    Who has withdrawn is let go first, with all it sent, for good: windows of it are refused.
    """
    study, analyst = me.study, analyst_of(me.study)
    state = me.folder.path / STATE
    if state.exists():
        analyst.restore(load_state(state, "continual analyst", study.digest))
    for party in withdrawn:
        study.check_party(party)
        if party in analyst.received:
            analyst.leave(party, withdraw=True)
    for message in _windows(arrived):
        sender = analyst.received.get(message.sender)
        if sender is not None and sender.must_merge_before(message):
            analyst.solve()
        analyst.receive(message)
    # Files that were merged before are recognised; the answers are then written once more.
    answers = analyst.solve() if analyst.waiting else analyst.answers()
    letters = [
        Letter(
            answer,
            f"clusters of the study {study.name!r}",
            f"{answer.recipient.replace('/', '.')}.clusters",
        )
        for answer in answers
    ]
    news = analyst.clusters.succession
    summary = {
        "round": analyst.rounds,
        "n_clusters": analyst.clusters.n_clusters,
        "nodes": analyst.network.n_nodes,
        "births": len(news.births),
        "splits": len(news.splits),
        "merges": len(news.merges),
        "deaths": len(news.deaths),
    }

    def keep() -> None:
        save_state(state, "continual analyst", analyst.state(), study.digest)

    def page() -> Page:
        from consilience.continual.page import stream_analyst_page

        return stream_analyst_page(study, analyst)

    table = Table(list(summary), [[str(n) for n in summary.values()]])
    return Solution(letters, summary, table, page, keep=keep)


def _windows(arrived: Sequence[Letter]) -> list[NodeUpdate]:
    """Return the windows of each party in their order, whatever that of the files."""
    messages = []
    for letter in arrived:
        expect_letter(letter, NodeUpdate, "nodes")
        assert isinstance(letter.message, NodeUpdate)
        messages.append(letter.message)
    return sorted(messages, key=lambda message: message.window)


def read(me: Participant, answers: Sequence[Letter], source: Source, **unused: Any) -> Outcome:
    """Give each row the cluster of its node; a row with a missing value has none."""
    party = _party(me)
    for letter in answers:
        expect_letter(letter, ClusterUpdate, "clusters")
        party.receive(letter.message)
    _keep(me, party)  # so that an older answer is known as one
    checked = check_table(me.study, me.name, source)
    ids, rows = checked.ids, checked.accepted()
    labels = party.label(rows.matrix)
    clusters = np.full(len(ids), -1, dtype=np.int64)
    clusters[rows.kept] = labels
    table = cluster_table(ids, clusters)
    sizes = table["cluster"].value_counts().sort_index()
    without = len(ids) - len(rows.kept)
    notes = [f"{without} rows have a missing value and no cluster."] if without else []

    def page() -> Page:
        from consilience.continual.page import stream_party_page

        return stream_party_page(me.study, party, _account(me).budget, labels=labels)

    return Outcome(table, ", ".join(f"cluster {k}: {n}" for k, n in sizes.items()), page, notes)


def _party(me: Participant) -> Party:
    # The identity is refused if the others know its keys by other ones: no answer could be read.
    party = party_of(me.study, me.identity.name, _account(me))
    if (me.folder.path / STATE).exists():
        party.restore(load_state(me.folder.path / STATE, "continual party", me.study.digest))
    return party


def _account(me: Participant) -> Accountant:
    """Return what noise is charged to: all that the ledger says, up to the study's budget."""
    limit = me.study.of(Stream).stream.budget
    return Accountant(me.folder, limit, {"study": me.study.digest})


def _keep(me: Participant, party: Party) -> None:
    save_state(me.folder.path / STATE, "continual party", party.state(), me.study.digest)


def _shown(study: Study, party: Party, message: NodeUpdate, copies: int) -> list[tuple[str, str]]:
    """Tabulate what leaves, in black and white."""
    epsilon = study.of(Stream).stream.epsilon
    shown = [
        ("nodes, new or moved", f"{len(message.nodes)}, with how many rows each won"),
        ("of these, equal to a row", f"{copies} of {len(message.nodes)}"),
    ]
    if epsilon is None:
        return [*shown, ("noise", "none: the study asks for none, no privacy is claimed")]
    spent = ("spent per record", party.budget.spoken)
    if not _on_rows(study):
        return [*shown, ("noise", "on centres of the rows, which stand in for them"), spent]
    noise = f"{message.nodes.shape[1] / epsilon:.0%} of the range of its column (Laplace)"
    return [*shown, ("noise on every value", noise), spent]


def _on_rows(study: Study) -> bool:
    return study.of(Stream).stream.noise != "centers"


def _expected(study: Study, epsilon: float) -> Table:
    """Tabulate what noise on rows cost on known data, nearest to that of a study."""
    n_features = study.n_features
    header = ["data", "features", "epsilon", "noise", "ARI", "without noise", "lost"]
    rows = [
        [
            m.data,
            str(m.n_features),
            f"{m.epsilon:g}",
            f"{m.noise:.1%}",
            f"{m.ari:.2f}",
            f"{m.ari_without:.2f}",
            f"{m.lost:+.2f}",
        ]
        for m in expect_loss(epsilon, n_features)
    ]
    caption = (
        f"What epsilon {epsilon:g} on {n_features} features, noise {n_features / epsilon:.1%}, may "
        f"cost. Measured with the nearest more and less noise: one trial each, ten parties, at "
        f"most 2,000 rows. ARI: 1 is perfect, 0 is chance. Below zero, the noisy run was better."
    )
    return Table(header, rows, caption)


def audit(
    study: Study,
    party: str,
    source: Source,
    *,
    n_repeats: int = 5,
    seed: int | None = None,
    frontier: bool = False,
    **unused: Any,
) -> Examined:
    """Attack the nodes a party would send."""
    if frontier:
        raise StudyError(
            "a continual study reduces nothing, so it has no frontier. Compare audits with several "
            "stream.epsilon instead."
        )
    X = check_table(study, party, source).accepted().matrix
    found = audit_stream(study, party, X, n_repeats=n_repeats, seed=seed)
    limit = study.max_reconstruction
    if limit is None:
        return Examined(found)
    refusal = (
        f"max_reconstruction = {limit:g} limits what is rebuilt, and the audit of a stream "
        f"measures who is known to have taken part. Leave it out of a continual study."
    )
    return Examined(found, refusal)


def describe(study: Study) -> Section:
    """Say what was agreed."""
    return describe_stream(study)
