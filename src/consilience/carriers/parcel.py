"""A parcel: one file on its way, from one role to another, known by its content.

A parcel lies on a shelf as pieces of :data:`PIECE_BYTES`, numbered from ``00000``, and a slip,
``complete.json``, which is written last and says what the pieces are together::

    <sender>/<recipient>/<number>-<name>-<digest>/00000
                                                  00001
                                                  complete.json

A parcel without a slip, or with half of one, is not there yet. A carrier knows no more of what is
in a parcel than this: bundles are signed and sealed by those who write them.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass

__all__ = [
    "EVERYONE",
    "MAX_BYTES",
    "MAX_SLIP_BYTES",
    "PIECE_BYTES",
    "SLIP",
    "Parcel",
    "folder_of",
    "parcel_of",
]

PIECE_BYTES = 4 * 2**20
SLIP = "complete.json"
FORMAT = 1
EVERYONE = "everyone"
"""The recipient of what all roles may read, such as the study."""

MAX_SLIP_BYTES = 4096
MAX_BYTES = 99_999 * PIECE_BYTES
MAX_NAME = 200
READABLE = 40
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Parcel:
    """One file on its way.

    Parameters
    ----------
    sender, recipient : str
        Roles.
    name : str
        Of the file.
    number : int
        The how-many-th of this name from the sender to the recipient, from 1.
    n_bytes : int
    sha256 : str
        Of the file.

    Examples
    --------
    >>> parcel = Parcel("a/lab", "analyst", "a.lab.contribution", 1, 5_000_000, "0" * 64)
    >>> parcel.folder
    'a.lab-159dde24/analyst-f44ceb06/000001-a.lab.contribution-a1aa9d84-0000000000000000'
    >>> parcel.pieces
    {'00000': 4194304, '00001': 805696}
    """

    sender: str
    recipient: str
    name: str
    number: int
    n_bytes: int
    sha256: str

    @property
    def folder(self) -> str:
        """Where it lies on a shelf."""
        shown = f"{self.number:06d}-{_readable(self.name)}-{self.sha256[:16]}"
        return f"{folder_of(self.sender)}/{folder_of(self.recipient)}/{shown}"

    @property
    def pieces(self) -> dict[str, int]:
        """The name and size of each piece."""
        starts = range(0, self.n_bytes, PIECE_BYTES)
        return {
            f"{k:05d}": min(PIECE_BYTES, self.n_bytes - start) for k, start in enumerate(starts)
        }

    @property
    def slip(self) -> bytes:
        """What is written when all pieces are there; cut short, it cannot be read."""
        return json.dumps({"format": FORMAT, **asdict(self)}, sort_keys=True).encode()


def parcel_of(slip: bytes, folder: str) -> Parcel | None:
    """Read the slip that lies in a folder of a shelf; None if it is none, or not whole yet.

    Examples
    --------
    >>> parcel = Parcel("a/lab", "analyst", "a.lab.contribution", 1, 12, "0" * 64)
    >>> parcel_of(parcel.slip, parcel.folder) == parcel
    True
    >>> parcel_of(parcel.slip[:-1], parcel.folder) is None
    True
    """
    try:
        if len(slip) > MAX_SLIP_BYTES:
            return None
        fields = json.loads(slip)
        if fields.pop("format") != FORMAT:
            return None
        parcel = Parcel(**fields)
        texts = (parcel.sender, parcel.recipient, parcel.name)
        sound = (
            all(isinstance(text, str) and 0 < len(text) <= MAX_NAME for text in texts)
            and all(type(n) is int for n in (parcel.number, parcel.n_bytes))
            and parcel.number >= 1
            and 0 <= parcel.n_bytes <= MAX_BYTES
            and isinstance(parcel.sha256, str)
            and DIGEST.fullmatch(parcel.sha256) is not None
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None
    # A slip that lies elsewhere than it says is somebody else's.
    return parcel if sound and parcel.folder == folder else None


def folder_of(role: str) -> str:
    """Return the folder of a role: readable, and no two roles' alike.

    Examples
    --------
    >>> folder_of("hospital-a/clinical"), folder_of("../Ärzte")
    ('hospital-a.clinical-9149fe12', 'rzte-9d56f437')
    """
    return _readable(role)


def _readable(name: str) -> str:
    plain = re.sub(r"[^a-z0-9-]+", ".", name.lower())[:READABLE].strip(".-")
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{plain}-{digest}" if plain else digest
