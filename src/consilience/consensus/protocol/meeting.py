"""How members find the rows all of them hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from consilience.consensus.protocol.commitments import Commitments
from consilience.consensus.protocol.mailbox import Outbox, Step
from consilience.consensus.protocol.membership import Membership
from consilience.consensus.protocol.outlines import (
    differing_parts,
    digest_of,
    n_parts,
    part_of,
    part_sums,
    rebuild,
)
from consilience.consensus.protocol.rosters import CommonRows, ascending, held_too
from consilience.consensus.protocol.shared_state import SharedState, first_state
from consilience.exceptions import MessageError, PeerError
from consilience.messages import Message, Outline, PeerMessage, Roster

__all__ = ["Meeting", "Unmatched"]

Bytes = npt.NDArray[np.uint8]
Unmatched = Literal["drop", "refuse"]


class Meeting:
    """Iteration 0, in which members find the rows all of them hold.

    First everyone outlines its rows. Members with the same digest hold the same rows, and have
    nothing more to say to each other; others tell each other the rows of the parts in which they
    differ. A member is bound to the digest of its outline like to a commitment, and what it tells
    afterwards must make up the roster of that digest, or the member is named.

    Parameters
    ----------
    rows : CommonRows
    membership : Membership
    commitments : Commitments
    outbox : Outbox
    unmatched : {"drop", "refuse"}
        What the study says of rows that not every member holds.

    Attributes
    ----------
    step : {"outline", "roster", "done"}
    accepted : dict
        What each member has said in this step: its outline; or which rows it holds.
    """

    def __init__(
        self,
        rows: CommonRows,
        membership: Membership,
        commitments: Commitments,
        outbox: Outbox,
        unmatched: Unmatched = "drop",
    ) -> None:
        self._rows, self._membership, self._outbox = rows, membership, outbox
        self._commitments, self._unmatched = commitments, unmatched
        self.step: Step = "outline"
        self.accepted: dict[str, Any] = {}

    def begin(self) -> Sequence[Message]:
        """Outline to the others which rows this peer holds."""
        roster = self._roster
        self._digest, self._sums = digest_of(roster), part_sums(roster, n_parts(len(roster)))
        self._n_held = {self._membership.name: len(roster)}
        self._commitments.note(self._membership.name, "roster", self._digest, 0)
        return self._outbox.say(Outline, 0, digest=self._digest, sums=self._sums)

    def accept(self, message: PeerMessage) -> Sequence[Message]:
        """Take the outline of a member, or the rows in which it differs."""
        if isinstance(message, Outline):
            self._commitments.note(message.sender, "roster", message.digest, 0)
            self.accepted[message.sender] = message
        elif isinstance(message, Roster):
            self.accepted[message.sender] = self._compare(message)
        return []

    def finish(self) -> Sequence[Message]:
        """Tell members apart from this one in which rows, then keep those that every one holds."""
        if self.step == "outline":
            return self._tell_differences(self.accepted)
        self._rows.meet(self.accepted.values())
        if not len(self._rows.places):
            raise PeerError(
                f"no row is held by all of {', '.join(self._membership.members)}: the pseudonyms "
                f"share none. Check that all peers use the same row key and the same identifier "
                f"column, and write ids alike: consilience check shows their shape, and none of "
                f"them."
            )
        if self._unmatched == "refuse":
            self._refuse_unmatched()
        self.step = "done"
        return []

    @property
    def outcome(self) -> SharedState:
        """Every common row for itself."""
        return first_state(len(self._rows.places))

    @property
    def _roster(self) -> Bytes:
        assert self._rows.roster is not None
        return self._rows.roster

    def _tell_differences(self, outlines: dict[str, Outline]) -> Sequence[Message]:
        self._outlines, self.step, self.accepted = outlines, "roster", {}
        roster, said = self._roster, list[Message]()
        for name, outline in outlines.items():
            if np.array_equal(outline.digest, self._digest):
                self.accepted[name] = np.ones(len(roster), dtype=np.bool_)
                self._n_held[name] = len(roster)
                continue
            differ = differing_parts(self._sums, outline.sums)
            rows = roster[differ[part_of(roster, len(differ))]]
            said += self._outbox.say(Roster, 0, [name], pseudonyms=rows)
        return said

    def _compare(self, message: Roster) -> npt.NDArray[np.bool_]:
        """Tell which of this peer's rows a member holds too, if it keeps to its digest."""
        outline, roster = self._outlines[message.sender], self._roster
        differ = differing_parts(self._sums, outline.sums)
        theirs = rebuild(roster, message.pseudonyms, differ)
        if not ascending(theirs):
            raise MessageError("the pseudonyms of a Roster must ascend, each once.")
        if not np.array_equal(digest_of(theirs), outline.digest):
            raise PeerError(
                f"{message.sender} tells other rows than those of the digest it is bound to: it "
                f"lies, or its version differs.",
                (message.sender,),
            )
        self._n_held[message.sender] = len(theirs)
        inside = differ[part_of(roster, len(differ))]
        held = ~inside
        held[inside] = held_too(roster[inside], message.pseudonyms)
        return held

    def _refuse_unmatched(self) -> None:
        n_common = len(self._rows.places)
        more = {name: n - n_common for name, n in sorted(self._n_held.items())}
        if any(more.values()):
            counts = ", ".join(f"{n:,} of {name}" for name, n in more.items() if n)
            raise PeerError(
                f"{counts} are rows that not all peers hold, and the study says unmatched = "
                f"'refuse'. Correct the tables, or agree on unmatched = 'drop'.",
                tuple(name for name, n in more.items() if n),
            )
