"""The reductions a party keeps in its private folder, and uses again.

A party that fitted its reduction anew would keep slightly other directions every time, and two
contributions side by side would show more of a row than either. So a reduction that was used for a
study is used for every later contribution to it, also if only public keys have changed, or what the
analyst does: see ``Study.sending``. Other studies have reductions of their own; what they let leave
of the same columns is kept in mind by the audit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays, from_bytes, read_json
from consilience.collaboration.reduction import AffineReduction, Reduction
from consilience.collaboration.rounding import RoundedReduction
from consilience.exceptions import ArraysError, StudyError
from consilience.study.participant import Participant

__all__ = [
    "STATE",
    "Kept",
    "find_kept",
    "left_elsewhere",
    "map_of",
    "other_reductions",
    "read_kept",
    "to_keep",
]

STATE = "reduction"
Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Kept:
    """A reduction that was used.

    Parameters
    ----------
    study, contribution : str
        Digests of the study and of the contribution it was kept with.
    reduction : AffineReduction
    steps : ndarray of shape (n_components,), optional
        To which coordinates were rounded.
    sending : str
        Digest of what decided what was sent; empty if kept by an earlier version.
    features : tuple of str
        Names of the encoded columns; none if kept by an earlier version.
    """

    study: str
    contribution: str
    reduction: AffineReduction
    steps: Array | None
    sending: str
    features: tuple[str, ...]

    @property
    def map(self) -> Reduction:
        """The map by which rows left."""
        return map_of(self.reduction, self.steps)


def map_of(reduction: AffineReduction, steps: Array | None) -> Reduction:
    """Return the map by which rows leave: the reduction, rounded if there are steps."""
    return reduction if steps is None else RoundedReduction(reduction, steps)


def to_keep(me: Participant, reduction: AffineReduction, steps: Array | None) -> Arrays:
    """Return the arrays in which a reduction is kept."""
    features = me.study.schema_of(me.place.column).feature_names
    about = json.dumps({"sending": me.study.sending, "features": list(features)}).encode()
    kept: Arrays = {
        "mean": reduction.mean,
        "components": reduction.components,
        "about": np.frombuffer(about, dtype=np.uint8),
    }
    return kept if steps is None else kept | {"steps": steps}


def read_kept(me: Participant) -> list[Kept]:
    """Read every reduction a private folder holds, the latest contribution last."""
    order = {str(e.get("digest")): i for i, e in enumerate(me.folder.ledger.entries())}
    found = []
    for path in sorted(me.folder.path.glob(f"{STATE}*.safetensors")):
        try:
            found.append(_kept(*from_bytes(path.read_bytes())))
        except (ArraysError, KeyError, TypeError, ValueError):
            raise StudyError(
                f"{path} is damaged: without it two contributions could be put side by side. "
                f"Restore it from a copy, or move it away to go on without."
            ) from None
    return sorted(found, key=lambda kept: order.get(kept.contribution, -1))


def _kept(facts: dict[str, Any], arrays: Arrays) -> Kept:
    about: dict[str, Any] = {}
    if "about" in arrays:
        about = read_json(arrays["about"].tobytes())
    return Kept(
        study=str(facts["study"]),
        contribution=str(facts["contribution"]),
        reduction=AffineReduction(arrays["mean"], arrays["components"]),
        steps=arrays.get("steps"),
        sending=str(about.get("sending", "")),
        features=tuple(map(str, about.get("features", ()))),
    )


def find_kept(me: Participant, kept: Sequence[Kept]) -> Kept | None:
    """Return the reduction to use again: the last one of this study, or of one that sends alike."""
    sending = me.study.sending
    mine = [k for k in kept if k.study == me.study.digest or k.sending == sending]
    return mine[-1] if mine else None


def other_reductions(me: Participant, kept: Sequence[Kept], used: AffineReduction) -> list[Kept]:
    """Return what else was kept of the same columns, each reduction once.

    Of a reduction kept by an earlier version it is not known which columns it was of: it counts if
    their number is the same.
    """
    features = tuple(me.study.schema_of(me.place.column).feature_names)
    others: list[Kept] = []
    for candidate in kept:
        theirs = candidate.reduction.components
        if len(theirs) != len(features) or candidate.features not in ((), features):
            continue
        seen = [used, *(other.reduction for other in others)]
        if not any(np.array_equal(theirs, f.components) for f in seen):
            others.append(candidate)
    return others


def left_elsewhere(me: Participant, others: Sequence[Kept]) -> tuple[str, ...]:
    """Say that the same columns left before by other reductions; nothing if none did."""
    if not others:
        return ()
    dates = {str(e.get("digest")): str(e["when"])[:10] for e in me.folder.ledger.entries()}
    last = dates.get(others[-1].contribution)
    times = f"{len(others)} other reduction" + ("s" if len(others) > 1 else "")
    return (
        f"these columns left before by {times}, for other studies or terms"
        + (f", the last on {last}" if last else "")
        + ". Put side by side, all of it tells more of a row than any of it alone: the audit "
        "attacks it together.",
    )
