"""From a study and a table to a peer, and back to labels for the table's rows."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.terms import Terms
from consilience.exceptions import StudyError
from consilience.study.consensus import Consensus
from consilience.study.rows import Rows, cluster_table, read_rows
from consilience.study.study import Study

__all__ = ["Scale", "consensus_of", "label_peer_rows", "make_peer", "terms_of"]

Scale = Literal["standard", "bounds", "none"]


def consensus_of(study: Study) -> Consensus:
    """Return the terms of the consensus, or say that the study has none."""
    if study.consensus is None:
        raise StudyError(
            f"the study {study.name!r} has no [consensus] table: its parties have not agreed to "
            f"run as peers. Add one, and send everyone the new study file."
        )
    return study.consensus


def terms_of(study: Study) -> Terms:
    """Return the terms every peer of a study keeps.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["people"], columns = ["bank", "insurer"]}
    ... [schema.bank]
    ... income = {kind = "numeric", bounds = [0, 1e6]}
    ... [schema.insurer]
    ... claims = {kind = "numeric", bounds = [0, 100]}
    ... [consensus]
    ... seed = 7
    ... ''')
    >>> terms_of(study).peers
    ('people/bank', 'people/insurer')
    """
    given = consensus_of(study).model_dump(exclude={"timeout", "places"})
    return Terms(tuple(study.grid.parties), **given)


def make_peer(
    study: Study,
    name: str,
    data: Path,
    id_column: str,
    row_key: bytes,
    step: LocalStep,
    *,
    scale: Scale = "standard",
    secret: bytes | None = None,
) -> tuple[Peer, Rows]:
    """Make the peer of a party from its table.

    Parameters
    ----------
    study : Study
    name : str
        The party, ``row/column``.
    data : Path
        Its table.
    id_column : str
    row_key : bytes
        Secret of the parties, from which pseudonyms are made.
    step : LocalStep
        Its own choice of method.
    scale : {"standard", "bounds", "none"}, default="standard"
        Units of its columns before anything else: mean 0 and standard deviation 1 over its own
        rows, the public bounds to [0, 1], or as they are. Nobody else needs to know.
    secret : bytes or None, default=None
        See :class:`~consilience.consensus.Peer`.

    Returns
    -------
    peer : Peer
    rows : Rows
        The rows of the table, for :func:`label_peer_rows`.
    """
    terms = terms_of(study)
    rows = read_rows(study, name, data, id_column, row_key)
    X = _scaled(rows.matrix, study, name, scale)
    peer = Peer(name, X, terms, step, pseudonyms=rows.pseudonyms, study=study.digest, secret=secret)
    return peer, rows


def label_peer_rows(peer: Peer, rows: Rows) -> pd.DataFrame:
    """Put a peer's labels beside the ids of its table; rows not all peers hold have none."""
    clusters = np.full(len(rows.ids), -1, dtype=np.int64)
    clusters[rows.kept] = peer.labels
    return cluster_table(rows.ids, clusters)


def _scaled(
    X: npt.NDArray[np.float64], study: Study, name: str, scale: Scale
) -> npt.NDArray[np.float64]:
    if scale == "none":
        return X
    if scale == "bounds":
        low, high = study.schema_of(name.partition("/")[2]).bounds
        return np.asarray((X - low) / (high - low))
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
