"""Who takes part, and agreeing on who is absent before anyone goes on without them."""

from __future__ import annotations

__all__ = ["Membership"]


class Membership:
    """The members of a consensus, and who has declared whom absent since the last agreement.

    A peer that waits in vain declares everyone it waits for. Whoever declares is alive, so each
    takes declarers off its own list; the lists only shrink. The members not on the list go on
    when all of them hold the same list. Dropping a peer removes its veto, hence the unanimity: no
    single member can drop another, and a peer that some can hear and others cannot is not
    dropped, but stops the run.

    Parameters
    ----------
    name : str
        The peer that keeps the book.
    peers : tuple of str
        Names of all peers; kept in ascending order.

    Attributes
    ----------
    members : tuple of str
        Those of the peers that still take part.
    attempt : int
        How often the others have gone on without someone.

    Examples
    --------
    >>> book = Membership("a", ("a", "b", "c"))
    >>> book.declare(("b", "c"), iteration=2)       # a waits for both
    >>> book.hear("b", ("c",), iteration=1)         # b is alive, and waits for c
    >>> book.decision()                             # from which iteration, without whom
    (1, ('c',))
    """

    def __init__(self, name: str, peers: tuple[str, ...]) -> None:
        if not peers or len(set(peers)) != len(peers):
            raise ValueError(f"peers == {peers}, must be at least one name, each once.")
        if any("," in peer or not peer for peer in peers):
            raise ValueError(f"peers == {peers}: a name is not empty and has no comma.")
        if name not in peers:
            raise ValueError(f"name == {name!r}, must be one of the peers {peers}.")
        self.name, self.peers = name, tuple(sorted(peers))
        self.go_on(self.peers, attempt=0)

    def go_on(self, members: tuple[str, ...], attempt: int) -> None:
        """Go on with these members."""
        self.members, self.attempt = members, attempt
        self.settle()

    def settle(self) -> None:
        """Forget declarations: everyone has answered."""
        self._lists: dict[str, tuple[str, ...]] = {}
        self._iterations: dict[str, int] = {}

    @property
    def others(self) -> list[str]:
        """The members but this one."""
        return [member for member in self.members if member != self.name]

    @property
    def declared(self) -> tuple[str, ...] | None:
        """The peer's own list, None before it declared."""
        return self._lists.get(self.name)

    @property
    def since(self) -> int:
        """The iteration in which the peer declared its own list."""
        return self._iterations[self.name]

    def declare(self, missing: tuple[str, ...], iteration: int) -> None:
        """Declare peers absent, except those that have declared something themselves."""
        self._iterations[self.name] = iteration
        self._lists[self.name] = tuple(m for m in missing if m not in self._lists)

    def hear(self, sender: str, missing: tuple[str, ...], iteration: int) -> None:
        """Note what another member declares."""
        self._lists[sender] = missing
        self._iterations[sender] = iteration
        if self.declared is not None:
            self.declare(self.declared, self.since)

    def decision(self) -> tuple[int, tuple[str, ...]] | None:
        """Give the iteration to go back to and the peers to drop, or None without agreement."""
        missing = self.declared
        if not missing:
            return None
        rest = [m for m in self.members if m not in missing]
        if len(rest) < 2 or any(self._lists.get(m) != missing for m in rest):
            return None
        return min(self._iterations[m] for m in rest), missing
