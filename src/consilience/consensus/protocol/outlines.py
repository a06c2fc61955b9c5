"""Where two rosters differ, without telling them: sums over their parts.

A roster is cut into parts by the first bits of its pseudonyms. Of each part a peer tells the sum
of the last halves of its pseudonyms, modulo 2^64; where the sums of two peers are the same, so are
their rows. Sums of neighbouring parts add up to those of parts twice as large, so that peers with
unlike numbers of rows can still compare. Two peers then tell each other the rows of those parts in
which they differ, and each knows the whole roster of the other.

Pseudonyms are pseudorandom, so two different parts of honest peers have the same sum with
probability 2^-64. A liar can make sums meet, to no avail: the roster that comes of them is
compared with the digest the liar is bound to.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from consilience.consensus.protocol.rosters import halves

__all__ = ["differing_parts", "digest_of", "n_parts", "part_of", "part_sums", "rebuild"]

Bytes = npt.NDArray[np.uint8]
Sums = npt.NDArray[np.int64]
Parts = npt.NDArray[np.bool_]
ROWS_OF_A_PART = 16
"""At most so many on average: fewer make longer outlines, more make longer rosters."""


def digest_of(roster: Bytes) -> Bytes:
    """Hash a roster: all pseudonyms in ascending order."""
    return np.frombuffer(hashlib.sha256(roster.tobytes()).digest(), dtype=np.uint8)


def n_parts(n_rows: int) -> int:
    """Give the number of parts of a roster, a power of two.

    Examples
    --------
    >>> n_parts(0), n_parts(16), n_parts(17), n_parts(200_000)
    (1, 1, 2, 16384)
    """
    return 1 << max(-(-n_rows // ROWS_OF_A_PART) - 1, 0).bit_length()


def part_of(roster: Bytes, n: int) -> npt.NDArray[np.int64]:
    """Tell in which of n parts each row is: by its first bits."""
    high, _ = halves(roster)
    # In two steps: no machine shifts 64 bits by 64.
    return ((high >> np.uint64(1)) >> np.uint64(64 - n.bit_length())).astype(np.int64)


def part_sums(roster: Bytes, n: int) -> Sums:
    """Add up the last halves of the pseudonyms of each part, modulo 2^64."""
    _, low = halves(roster)
    ends = np.searchsorted(part_of(roster, n), np.arange(n + 1))
    upto = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(low)])
    return np.diff(upto[ends]).view(np.int64)


def differing_parts(one: Sums, other: Sums) -> Parts:
    """Tell in which parts two outlines differ, in as many parts as the shorter one has.

    Examples
    --------
    >>> differing_parts(np.array([5, 7, 1, 2]), np.array([12, 4]))
    array([False,  True])
    """
    n = min(len(one), len(other))
    differ: Parts = one.reshape(n, -1).sum(axis=1) != other.reshape(n, -1).sum(axis=1)
    return differ


def rebuild(own: Bytes, told: Bytes, differ: Parts) -> Bytes:
    """Put the roster of another peer together: one's own rows, but for the parts that differ.

    Parameters
    ----------
    own : ndarray of shape (n_rows, 16), uint8
        Ascending.
    told : ndarray of shape (n_told, 16), uint8
        What the other holds in the parts that differ; rows of other parts do not count.
    differ : ndarray of shape (n_parts,), bool
    """
    same = ~differ[part_of(own, len(differ))]
    rows = np.concatenate([own[same], told[differ[part_of(told, len(differ))]]])
    return rows[np.argsort(part_of(rows, len(differ)), kind="stable")]
