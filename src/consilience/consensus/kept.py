"""What a peer keeps in its private folder between two commands."""

from __future__ import annotations

import secrets
from pathlib import Path

from consilience.arrays import Arrays, from_bytes, to_bytes
from consilience.exceptions import ArraysError, StudyError
from consilience.study.files import write_whole
from consilience.study.keys import derive_key
from consilience.study.participant import Participant

__all__ = ["Kept"]

MODE = 0o600


class Kept:
    """The files of one peer and one study.

    ================  ==================================================================
    ``*.checkpoint``  where a run over a network is, see :mod:`~consilience.consensus.checkpoint`
    ``*.promises``    what all peers have committed to by files
    ``*.run``         a number drawn when all peers started over; without it the first run
    ================  ==================================================================

    Parameters
    ----------
    me : Participant
    """

    def __init__(self, me: Participant) -> None:
        self._me = me
        self.folder = me.folder.path / "consensus" / me.study.digest[:12]

    def path(self, kind: str) -> Path:
        """Return the file of a kind."""
        return self.folder / f"{self._me.name.replace('/', '.')}.{kind}"

    def secret(self) -> bytes:
        """Derive what hides commitments: the same as long as nobody starts over."""
        run = self.path("run")
        salt = f" {run.read_text(encoding='utf-8')}" if run.exists() else ""
        own = self._me.identity.signing.private_bytes_raw()
        return derive_key(own, f"consensus {self._me.study.digest}{salt}")

    def start_over(self) -> None:
        """Forget checkpoint and promises, and hide later commitments anew."""
        for kind in ("checkpoint", "promises"):
            self.path(kind).unlink(missing_ok=True)
        with write_whole(self.path("run"), MODE) as stream:
            stream.write(secrets.token_hex(16).encode())

    def promises(self) -> Arrays | None:
        """Read the promises that were kept, if any were."""
        path = self.path("promises")
        if not path.exists():
            return None
        try:
            return from_bytes(path.read_bytes())[1]
        except ArraysError:
            raise StudyError(f"{path} is damaged. Let all peers start over with --anew.") from None

    def keep_promises(self, promises: Arrays) -> None:
        """Keep what everybody has promised, before anything more is said."""
        with write_whole(self.path("promises"), MODE) as stream:
            stream.write(to_bytes(promises))
