"""The peer of a study, made from its terms."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from consilience.consensus.kept import Kept
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import Peers
from consilience.sources.source import Source
from consilience.study.participant import Participant
from consilience.study.rows import Rows
from consilience.study.schema import REACH, Schema

__all__ = ["Scale", "in_units", "make_peer"]

Scale = Literal["spread", "standard", "bounds", "none"]


def make_peer(
    me: Participant, source: Source, step: LocalStep, scale: Scale | None = None
) -> tuple[Peer, Rows]:
    """Make the peer of a party from its table, the same one at every call.

    Parameters
    ----------
    me : Participant
    source : Source
    step : LocalStep
        Its own choice of method.
    scale : {"spread", "standard", "bounds", "none"}, optional
        See :func:`in_units`.
    """
    study, rows, kept = me.study, me.read_rows(source), Kept(me)
    peer = Peer(
        me.name,
        tuple(study.grid.parties),
        in_units(rows.matrix, study.schema_of(me.place.column), scale),
        study.of(Peers).consensus,
        step,
        pseudonyms=rows.pseudonyms,
        study=study.digest,
        secret=kept.secret(),
        unmatched="refuse" if study.ids.unmatched == "refuse" else "drop",
    )
    promises = kept.promises()
    if promises is not None:
        peer.commitments.hold_to(promises)
    return peer, rows


def in_units(
    X: npt.NDArray[np.float64],
    schema: Schema,
    scale: Scale | None = None,
    of: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.float64]:
    """Put columns in the units in which a peer clusters them; nobody else needs to know.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    schema : Schema
    scale : {"spread", "standard", "bounds", "none"}, optional
        Mean 0 over its own rows and divided by the public spreads of the schema, where a
        categorical column counts as much as a number; mean 0 and standard deviation 1 over its own
        rows; the public bounds to [0, 1]; or as they are. If nothing is said, ``spread`` where the
        schema states spreads, and ``standard`` where it does not.
    of : ndarray of shape (n_others, n_features), or None, default=None
        The rows whose mean and deviation count, if not these.
    """
    if scale is None:
        stated = any(column.spread is not None for column in schema.columns.values())
        scale = "spread" if stated else "standard"
    if scale == "none":
        return X
    if scale == "bounds":
        low, high = schema.bounds
        return np.asarray((X - low) / (high - low))
    of = X if of is None else of
    if scale == "spread":
        low, high = schema.ranges
        return np.asarray((X - of.mean(axis=0)) / ((high - low) / (2 * REACH)))
    spread = of.std(axis=0)
    return np.asarray((X - of.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
