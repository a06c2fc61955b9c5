"""Peers where sockets are not allowed: their rounds through a carrier."""

from __future__ import annotations

from dataclasses import replace

from consilience.by_files import Kind
from consilience.cli.shared.key_letters import awaited_keys
from consilience.cli.shared.letters import read_folder, write_outcome
from consilience.cli.shared.post import Post
from consilience.cli.shared.sending import Consent, send_table
from consilience.cli.shared.taking_part import (
    LABELS,
    PAGE,
    Event,
    approval_awaited,
    pass_ids_on,
)
from consilience.consensus.local_step import profiled
from consilience.consensus.rounds import letters_for
from consilience.consensus.terms import Peers
from consilience.messages import BlindedIds, SharedKey
from consilience.sources.source import Source

__all__ = ["play_rounds"]


def play_rounds(post: Post, kind: Kind, source: Source, consent: Consent, event: Event) -> str:
    """Hear what the others said, say what is to be said next; write the labels when all agree.

    How a peer clusters its columns is found by them alone, as `consilience peer` does when it is
    told nothing. Consent to the first round is consent to those that follow.

    Returns
    -------
    str
        Whom it waits for.
    """
    me, out = post.me, post.out
    found = list(post.letters())
    makers = awaited_keys(me, [letter for letter, _ in found])
    waiting = f"keys of {', '.join(makers)}" if makers else approval_awaited(me, out, consent)
    waiting = waiting or pass_ids_on(post, source, [letter for letter, _ in found], consent)
    if waiting:
        return waiting
    keys = [path for letter, path in found if isinstance(letter.message, SharedKey)]
    heard = [x for x, _ in found if not isinstance(x.message, SharedKey | BlindedIds)]
    own, _ = read_folder(me, letters_for(me.name, out))
    entries = me.folder.ledger.entries()
    begun = any(e["what"] == "consensus" and e.get("study") == me.study.digest for e in entries)
    _, leaving = send_table(
        me,
        kind,
        source,
        out,
        replace(consent, yes=consent.yes or begun),
        keys,
        arrived=[*heard, *own],
        there={path.name for path in out.glob("*")},
        step=profiled(me.study.of(Peers).consensus.profile),
    )
    post.send()
    if leaving is None:
        return "the other peers"
    if leaving.outcome is None:
        return ", ".join(leaving.waiting_for)
    write_outcome(leaving.outcome(), out / LABELS, out / PAGE)
    event("labelled", file=str(out / LABELS))
    return ""
