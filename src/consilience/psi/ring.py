"""Who blinds whose ids, in which order: a baton that goes round the holders nearly twice.

With n holders there are 2n - 1 letters, each from a holder to the one after it. Letter t, counted
from 0, is written by holder t modulo n. On the first round each holder adds its own ids; a set of
ids that has been with every holder is back with its owner and leaves the baton. For two holders::

    letter 0    first -> second    ids of the first
    letter 1    second -> first    ids of the first, blinded by the second too; ids of the second
    letter 2    first -> second    ids of the second, blinded by the first too
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Ring"]


@dataclass(frozen=True)
class Ring:
    """The holders of the same rows, in the order of the study's grid.

    Parameters
    ----------
    holders : tuple of str
        At least two.

    Examples
    --------
    >>> ring = Ring(("a/lab", "a/life", "a/bills"))
    >>> [(ring.writer(t), ring.sets(t)) for t in (1, 2)]
    [('a/life', ['a/lab', 'a/life']), ('a/bills', ['a/lab', 'a/life', 'a/bills'])]
    >>> ring.n_letters, ring.sets(4)
    (5, ['a/bills'])
    """

    holders: tuple[str, ...]

    @property
    def n_letters(self) -> int:
        """How many letters it takes."""
        return 2 * len(self.holders) - 1

    def writer(self, letter: int) -> str:
        """Return who writes a letter, and for letter - 1 who reads it."""
        return self.holders[letter % len(self.holders)]

    def sets(self, letter: int) -> list[str]:
        """Return whose ids a letter holds, in their order there."""
        n = len(self.holders)
        return list(self.holders[max(0, letter - n + 1) : letter + 1])

    def before(self, holder: str) -> str:
        """Return who passes the baton to a holder."""
        return self.holders[self.holders.index(holder) - 1]

    def awaited(self, holder: str) -> list[int]:
        """Return the letters that a holder reads, in their order."""
        return [t for t in range(self.n_letters) if self.writer(t + 1) == holder]
