"""Commit, then reveal: nobody can adapt labels or ranks to those of the others."""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
import numpy.typing as npt

from consilience.messages import NONCE_BYTES, LocalLabels, Ranking

__all__ = ["commit", "nonce"]

Bytes = npt.NDArray[np.uint8]


def commit(message: LocalLabels | Ranking) -> Bytes:
    """Hash a message that will be revealed later, with its sender, place and nonce.

    Returns
    -------
    ndarray of shape (32,), uint8
        SHA-256. It binds the sender to the payload and, as long as the nonce is secret, says
        nothing about it.
    """
    kind = type(message).__name__
    n_labels = message.n_labels if isinstance(message, LocalLabels) else 0
    head = "\n".join(
        (kind, message.study, message.sender, str(message.iteration), str(n_labels), "")
    )
    hashed = hashlib.sha256(head.encode())
    hashed.update(message.nonce.tobytes())
    hashed.update(message.packed.tobytes())
    return np.frombuffer(hashed.digest(), dtype=np.uint8)


def nonce(secret: bytes, purpose: str) -> Bytes:
    """Derive the nonce of one message, the same after a restart.

    Examples
    --------
    >>> (nonce(b"s", "labels 1") == nonce(b"s", "labels 1")).all()
    np.True_
    >>> (nonce(b"s", "labels 1") == nonce(b"s", "labels 2")).all()
    np.False_
    """
    digest = hmac.new(secret, purpose.encode(), hashlib.sha256).digest()
    return np.frombuffer(digest[:NONCE_BYTES], dtype=np.uint8)
