"""Peers that adapt their labels and ranks: to harm the others, or to what they have heard."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.adversary.company import NAMES, Company, names_liar
from consilience.consensus.protocol.deliberation import Deliberation
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.shared_state import SharedState
from consilience.messages import LocalLabels, Message, Ranking

__all__ = ["pairs", "withheld"]


class Pairs(Peer):
    """Groups rows in pairs at random, and later tells all apart."""

    def _deliberate(self, state: SharedState) -> Deliberation:
        own = super()._deliberate(state)
        n = len(own.labels)
        if state.iteration == 0:
            pair = np.random.default_rng(n).permutation(n) // 2
            own.labels = np.unique(pair, return_inverse=True)[1]
            own.labels = np.argsort(np.argsort(np.unique(pair, return_index=True)[1]))[pair]
        else:
            own.labels = np.arange(n)
        return own


class Withholder(Peer):
    """Commits, hears what the others reveal, and reveals nothing; then it commits to a copy."""

    kind: type[Message] = LocalLabels
    when = 1
    copies = False

    def begin(self) -> list[Message]:
        """Forget what it promised and said itself, if it is to copy."""
        if self.copies:
            own = self.commitments._promised
            for key in [key for key in own if key[3] == self.name]:
                del own[key]
            self._outbox.forget()
        return self._withhold(super().begin())

    def receive(self, message: Message) -> list[Message]:
        """Keep back what it should reveal."""
        return self._withhold(super().receive(message))

    def _withhold(self, messages: list[Message]) -> list[Message]:
        def kept_back(message: Message) -> bool:
            now = getattr(message, "iteration", 0) == self.when
            return now and isinstance(message, self.kind) and not self.copies

        return [message for message in messages if not kept_back(message)]

    def _deliberate(self, state: SharedState) -> Deliberation:
        own = super()._deliberate(state)
        if self.copies and own.iteration == self.when:
            if self.kind is LocalLabels:
                # Another partition of the same rows, as a copy of somebody's would be.
                own.labels = np.minimum(own.labels, 1) if own.labels.max() > 1 else 0 * own.labels
            else:
                honest = own.rank

                def rank() -> Any:
                    order = honest()
                    own.ranking = order[np.lexsort((-np.arange(len(order)), own.consensus[order]))]
                    return own.ranking

                own.rank = rank  # type: ignore[method-assign]
        return own


def pairs(seed: int) -> bool:
    """Let a peer send pairs, on tables of 60 to 600 rows and 2 to 8 groups at the others."""
    rng = np.random.default_rng(seed)
    n_rows, n_groups = int(rng.integers(60, 600)), int(rng.integers(2, 9))
    company = Company(rng, n_rows, n_groups, liar=Pairs)
    return names_liar(company.start_and_run)


def withheld(seed: int) -> bool:
    """Let a peer withhold labels or ranks until all are started again, and then copy."""
    rng = np.random.default_rng(seed)
    kind, when = (LocalLabels, Ranking)[int(rng.integers(2))], int(rng.integers(1, 3))
    company = _hold_back(rng, kind, when)
    if company.roles["bank"].done:
        # There was no second iteration in which to withhold anything.
        company = _hold_back(rng, kind, 1)
    for name in NAMES:
        company.kill(name)

    def again() -> None:
        for name in NAMES:
            role = company.make(name)
            if isinstance(role, Withholder):
                role.copies = True
            company.start(name, role)
        company.run()

    return names_liar(again)


def _hold_back(rng: np.random.Generator, kind: type[Message], when: int) -> Company:
    company = Company(rng, liar=type("Made", (Withholder,), {"kind": kind, "when": when}))
    company.start_and_run()
    return company
