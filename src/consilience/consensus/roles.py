"""The peer of a study, made from its terms."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.terms import Terms
from consilience.consensus.terms import Peers
from consilience.holdings import Place
from consilience.study.rows import Rows
from consilience.study.study import Study

__all__ = ["Scale", "peer_of", "terms_of"]

Scale = Literal["standard", "bounds", "none"]


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
    given = study.of(Peers).consensus.model_dump(exclude={"timeout", "places"})
    return Terms(tuple(study.grid.parties), **given)


def peer_of(
    study: Study,
    name: str,
    rows: Rows,
    step: LocalStep,
    *,
    scale: Scale = "standard",
    secret: bytes | None = None,
) -> Peer:
    """Make the peer of a party from its rows.

    Parameters
    ----------
    study : Study
    name : str
        The party, ``row/column``.
    rows : Rows
    step : LocalStep
        Its own choice of method.
    scale : {"standard", "bounds", "none"}, default="standard"
        Units of its columns before anything else: mean 0 and standard deviation 1 over its own
        rows, the public bounds to [0, 1], or as they are. Nobody else needs to know.
    secret : bytes or None, default=None
        See :class:`~consilience.consensus.protocol.peer.Peer`.
    """
    X = _scaled(rows.matrix, study, name, scale)
    terms, codes = terms_of(study), rows.pseudonyms
    return Peer(name, X, terms, step, pseudonyms=codes, study=study.digest, secret=secret)


def _scaled(
    X: npt.NDArray[np.float64], study: Study, name: str, scale: Scale
) -> npt.NDArray[np.float64]:
    if scale == "none":
        return X
    if scale == "bounds":
        low, high = study.schema_of(Place.of(name).column).bounds
        return np.asarray((X - low) / (high - low))
    spread = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
