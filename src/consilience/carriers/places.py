"""From the word somebody typed to the carrier it means: the one look-up of the place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from consilience.carriers.carrier import Carrier
from consilience.carriers.folder import Folder
from consilience.carriers.store import Store
from consilience.exceptions import StudyError
from consilience.study.identity import Identity

__all__ = ["open_carrier"]


@contextmanager
def open_carrier(
    where: str,
    identity: Identity | None = None,
    ca: Path | None = None,
    certificate: str | None = None,
) -> Iterator[Carrier]:
    """Open the carrier at an address: a folder, a letter box, or any store.

    Parameters
    ----------
    where : str
        A folder, or an address such as ``https://host:8443``, ``sftp://host/path`` or
        ``s3://bucket/prefix``.
    identity : Identity, optional
        Signs the requests to a letter box.
    ca : Path, optional
        Certificates to trust beside those of this machine, for a letter box.
    certificate : str, optional
        SHA-256 of the one that a letter box has to show.

    Examples
    --------
    >>> with open_carrier("/mnt/share") as carrier:
    ...     carrier.shelf.root.name
    'share'
    """
    scheme = urlsplit(where).scheme
    # A drive of Windows has one letter, and no scheme has.
    if len(scheme) < 2:
        yield Carrier(Folder(Path(where)))
    elif scheme not in ("http", "https"):
        yield Carrier(Store(where))
    elif identity is None:
        raise StudyError(f"{where} is a letter box, and nobody is there to sign requests.")
    else:
        from consilience.carriers.letter_box.client import LetterBox

        with closing(LetterBox(where, identity, ca, certificate)) as shelf:
            yield Carrier(shelf)
