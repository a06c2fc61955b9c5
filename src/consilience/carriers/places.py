"""From the word somebody typed to the carrier it means: the one look-up of the place."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.store import Store

__all__ = ["open_carrier"]


def open_carrier(where: str) -> Carrier:
    """Return the carrier at an address: a folder, or any store.

    Parameters
    ----------
    where : str
        A folder, or an address such as ``sftp://host/path`` or ``s3://bucket/prefix``.

    Examples
    --------
    >>> open_carrier("/mnt/share").shelf.root.name
    'share'
    """
    # A drive of Windows has one letter, and no scheme has.
    if len(urlsplit(where).scheme) < 2:
        return Carrier(Folder(Path(where)))
    return Carrier(Store(where))
