"""Matches of ids: what a holder of rows keeps of them, and the names its rows got.

Where holders share no row key, each knows its own rows by tags, pseudonyms that only it can make;
a match gives every tag the pseudonym by which all holders know the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays
from consilience.exceptions import StudyError
from consilience.study.pseudonym_index import PseudonymIndex
from consilience.study.secrets import PrivateFolder

__all__ = ["Match", "read_matches", "rename", "write_match"]

KEPT = "match"
DIGEST_BYTES = 32
Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """What a holder keeps of one match, and shows to nobody.

    Parameters
    ----------
    session : bytes
        By which all holders know this match from others.
    secret, blind : bytes
        Its part of the secret that pseudonyms are made with, and what hides its own ids while they
        go round. Both are drawn for this match and used in no other.
    tags : ndarray of shape (n_rows, 16)
        Names of its rows that only it can make, in the order of `points`.
    points : ndarray of shape (n_rows, 32)
        Its blinded ids as it sends them, in rising order: which says nothing of the table.
    heard : dict of int to bytes
        SHA-256 of the letters it has answered.
    pseudonyms : ndarray of shape (n_rows, 16), or None
        In the order of `tags`; None until its ids are back.
    number : int
        How many matches it began before this one.
    """

    session: bytes
    secret: bytes
    blind: bytes
    tags: Codes
    points: Codes
    heard: dict[int, bytes]
    pseudonyms: Codes | None = None
    number: int = 0


def read_matches(folder: PrivateFolder, about: str) -> list[Match]:
    """Return the matches a holder kept, the newest first.

    Parameters
    ----------
    folder : PrivateFolder
    about : str
        Of :meth:`~consilience.study.study.Study.match_of`.
    """
    found = []
    for session, kept in folder.read_states(KEPT, about).items():
        pairs = zip(kept["letters"].tolist(), kept["digests"], strict=True)
        found.append(
            Match(
                session=bytes.fromhex(session),
                secret=kept["secret"].tobytes(),
                blind=kept["blind"].tobytes(),
                tags=kept["tags"],
                points=kept["points"],
                heard={letter: digest.tobytes() for letter, digest in pairs},
                pseudonyms=kept.get("pseudonyms"),
                number=int(kept["number"]),
            )
        )
    return sorted(found, key=lambda match: -match.number)


def write_match(folder: PrivateFolder, about: str, match: Match) -> None:
    """Keep a match, in the place of what was kept of it before."""
    heard = sorted(match.heard.items())
    digests = b"".join(digest for _, digest in heard)
    arrays: Arrays = {
        "secret": np.frombuffer(match.secret, dtype=np.uint8),
        "blind": np.frombuffer(match.blind, dtype=np.uint8),
        "tags": match.tags,
        "points": match.points,
        "letters": np.array([letter for letter, _ in heard], dtype=np.int64),
        "digests": np.frombuffer(digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES),
        "number": np.array(match.number),
    }
    if match.pseudonyms is not None:
        arrays["pseudonyms"] = match.pseudonyms
    folder.write_state(KEPT, arrays, about, match.session.hex())


def rename(folder: PrivateFolder, about: str, tags: Codes) -> Codes:
    """Return the pseudonyms of rows, from the newest match that had all of them.

    Parameters
    ----------
    folder : PrivateFolder
    about : str
    tags : ndarray of shape (n_rows, 16)

    Raises
    ------
    StudyError
        If no match has all of them.
    """
    fewest = len(tags)
    for match in read_matches(folder, about):
        if match.pseudonyms is None:
            continue
        places = PseudonymIndex(match.tags).find(tags)
        unknown = int((places < 0).sum())
        if not unknown:
            return match.pseudonyms[places]
        fewest = min(fewest, unknown)
    raise StudyError(
        f"{fewest} of {len(tags)} rows have no pseudonym: their ids were in no finished match with "
        f"the other holders of these rows. Run `consilience match` with this table first."
    )
