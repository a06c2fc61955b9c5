"""Agreeing on who is absent, before anyone goes on without them."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Declarations"]


@dataclass
class Declarations:
    """Who has declared whom absent, since the members last changed.

    A peer that waits in vain declares everyone it waits for. Whoever declares is alive, so each
    takes declarers off its own list; the lists only shrink. The members not on the list go on
    when all of them hold the same list. Dropping a peer removes its veto, hence the unanimity: no
    single member can drop another, and a peer that some can hear and others cannot is not
    dropped, but stops the run.

    Parameters
    ----------
    name : str
        The peer that keeps the book.
    members : tuple of str

    Examples
    --------
    >>> book = Declarations("a", ("a", "b", "c"))
    >>> book.declare(("b", "c"), iteration=2)       # a waits for both
    >>> book.hear("b", ("c",), iteration=1)         # b is alive, and waits for c
    >>> book.decision()                             # from which iteration, without whom
    (1, ('c',))
    """

    name: str
    members: tuple[str, ...]
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    iterations: dict[str, int] = field(default_factory=dict)

    @property
    def own(self) -> tuple[str, ...] | None:
        """The peer's own list, None before it declared."""
        return self.lists.get(self.name)

    def declare(self, missing: tuple[str, ...], iteration: int) -> None:
        """Declare peers absent, except those that have declared something themselves."""
        self.iterations[self.name] = iteration
        self.lists[self.name] = tuple(m for m in missing if m not in self.lists)

    def hear(self, sender: str, missing: tuple[str, ...], iteration: int) -> None:
        """Note what another member declares."""
        self.lists[sender] = missing
        self.iterations[sender] = iteration
        if self.own is not None:
            self.declare(self.own, self.iterations[self.name])

    def decision(self) -> tuple[int, tuple[str, ...]] | None:
        """Give the iteration to go back to and the peers to drop, or None without agreement."""
        missing = self.own
        if not missing:
            return None
        rest = [m for m in self.members if m not in missing]
        if len(rest) < 2 or any(self.lists.get(m) != missing for m in rest):
            return None
        return min(self.iterations[m] for m in rest), missing
