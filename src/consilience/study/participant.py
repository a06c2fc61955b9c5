"""A role at its own machine: the study it agreed to, and the private folder that holds its keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from consilience.exceptions import StudyError
from consilience.holdings import Place
from consilience.sources.parts import comes_in_parts
from consilience.sources.source import Source
from consilience.study.identity import Identity
from consilience.study.keys import derive_key
from consilience.study.matches import rename
from consilience.study.rows import Rows, RowsToSend, read_rows
from consilience.study.secrets import PrivateFolder
from consilience.study.streamed_rows import stream_rows
from consilience.study.study import ANALYST, Study
from consilience.study.table_parts import fits_in_parts

__all__ = ["Participant"]


@dataclass(frozen=True)
class Participant:
    """Who acts, in which study, with which secrets.

    Parameters
    ----------
    study : Study
    name : str
        The role: ``"row/column"`` of a party, or ``"analyst"``.
    folder : PrivateFolder
    home : Path
        The folder of the study file, where public rows stand.
    """

    study: Study
    name: str
    folder: PrivateFolder
    home: Path = Path()

    def __post_init__(self) -> None:
        if self.name != ANALYST:
            self.study.check_party(self.name)

    @property
    def place(self) -> Place:
        """Row institution and column group."""
        return Place.of(self.name)

    @cached_property
    def identity(self) -> Identity:
        """Its signing and sealing keys, which must be those the others know."""
        known = self.folder.read_identities(self.name)
        public = self.study.public_keys(self.name)
        for identity in known:
            if identity.public == public:
                return identity
        raise StudyError(
            f"the study has other public keys of {self.name!r} than your private folder. Add "
            f"yours with `consilience keygen`, or use the right folder; if you made new ones with "
            f"`consilience rekey`, the study lacks your succession."
        )

    def draws(self, purpose: str) -> np.random.Generator:
        """Return numbers of its own for one purpose of this study, the same whenever it asks.

        So a command that is run again makes the same of the same table, and an audit does not say
        no today and yes tomorrow. They follow from its secret key, which nobody else has; the
        generator itself is NumPy's, and no cipher.
        """
        own = self.identity.signing.private_bytes_raw()
        secret = derive_key(own, f"{purpose}, study {self.study.digest}")
        return np.random.default_rng(int.from_bytes(secret))

    def read_rows_to_send(self, source: Source) -> RowsToSend:
        """Read what this party sends of its table, in parts where it is large."""
        if not (comes_in_parts(source) and fits_in_parts(self.study, self.name)):
            return self.read_rows(source)
        row_key = self.folder.read_key("row")
        return stream_rows(self.study, self.name, source, row_key, self.folder.path)

    def read_rows(self, source: Source, *, with_table: bool = False) -> Rows:
        """Read a table of this party as the study says; with the table itself, if asked."""
        row_key = self.folder.read_key("row")
        by_psi = self.study.matches_by_psi(self.name)
        renamed = partial(rename, self.folder, self.study.match_of(self.name)) if by_psi else None
        return read_rows(
            self.study, self.name, source, row_key, with_table=with_table, renamed=renamed
        )
