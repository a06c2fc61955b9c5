"""Answers on their way: labels in the order in which rows were sent, and nothing a party knows.

A party keeps the pseudonyms of what it sent in its private folder, in the order sent, so that an
answer need not repeat them: sixteen bytes a row that the party had already.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from consilience.fields import Labels
from consilience.messages import Answer, Contribution, Message, Prediction, Query
from consilience.study.participant import Participant
from consilience.transports.bundle import Manifest

__all__ = ["keep_order", "restore", "shorten"]

SENT = "sent"
"""What the order of a contribution, or of a question, is kept under."""

Told = TypeVar("Told", bound=Message)


def shorten(answer: Told) -> Told:
    """Return an answer as it travels.

    Examples
    --------
    >>> answer = Answer(study="", sender="analyst", recipient="a/x", n_clusters=2,
    ...                 labels=np.array([0, 1, -1]), pseudonyms=np.zeros((3, 16), dtype=np.uint8))
    >>> shorten(answer).labels, shorten(answer).pseudonyms is None
    (array([ 0,  1, -1], dtype=int8), True)
    """
    changes: dict[str, Any] = {}
    if isinstance(answer, Answer | Prediction):
        changes["pseudonyms"] = None
    if isinstance(answer, Answer):
        changes["labels"] = _shortest(answer.labels, answer.n_clusters)
    return replace(answer, **changes)


def _shortest(labels: Labels, n_clusters: int) -> Labels:
    kinds = (np.int8, np.int16, np.int32, np.int64)
    kind = next(kind for kind in kinds if n_clusters - 1 <= np.iinfo(kind).max)
    return labels.astype(kind, copy=False)


def keep_order(me: Participant, sent: Contribution | Query, manifest: Manifest) -> None:
    """Keep the pseudonyms of what a party sends, to know its rows when the answer comes."""
    assert sent.pseudonyms is not None, "rows of a study by files have pseudonyms"
    arrays = {"pseudonyms": sent.pseudonyms}
    me.folder.write_state(SENT, arrays, me.study.digest, manifest.digest)


def restore(me: Participant, answer: Told) -> Told:
    """Return an answer with the pseudonyms of its rows; an earlier analyst sent them back."""
    if not isinstance(answer, Answer | Prediction) or answer.pseudonyms is not None:
        return answer
    kept = me.folder.read_state(SENT, me.study.digest, answer.contribution, mapped=True)
    told = answer.labels if isinstance(answer, Answer) else answer.values
    if len(kept["pseudonyms"]) != len(told):
        return answer  # of another number of rows: the party refuses it
    changes: dict[str, Any] = {"pseudonyms": kept["pseudonyms"]}
    return replace(answer, **changes)
