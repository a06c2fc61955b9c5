"""A peer's checkpoint as bytes: its state, its promises, and what it said lately."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from consilience.arrays import from_bytes, to_bytes
from consilience.consensus.protocol.memory import Memory
from consilience.consensus.protocol.peer import Peer
from consilience.exceptions import ArraysError, MessageError, StudyError
from consilience.messages import PeerMessage
from consilience.transports.wire import decode, encode

__all__ = ["CHECKPOINT", "restore_peer", "write_checkpoint"]

CHECKPOINT = 3
"""Version of the format; of another one nothing is read, and a peer starts anew."""


def write_checkpoint(peer: Peer) -> bytes:
    """Write what a peer needs to go on after its process has ended.

    What it said to several others is the same but for the address and is written once.
    """
    said: dict[tuple[object, ...], list[PeerMessage]] = {}
    memory = peer.remember()
    for message in memory.said:
        said.setdefault(_content(message), []).append(message)
    arrays, recipients = memory.to_arrays(peer.peers), []
    for place, messages in enumerate(said.values()):
        arrays[f"said.{place}"] = np.frombuffer(encode(messages[0]), dtype=np.uint8)
        recipients.append([message.recipient for message in messages])
    return to_bytes(arrays, {"checkpoint": CHECKPOINT, "recipients": recipients})


def _content(message: PeerMessage) -> tuple[object, ...]:
    """Tell messages apart that are not the same but for the address: those share their arrays."""
    content = [(k, v) for k, v in vars(message).items() if k != "recipient"]
    return type(message), *((k, id(v) if isinstance(v, np.ndarray) else v) for k, v in content)


def restore_peer(peer: Peer, data: bytes) -> bool:
    """Let a new peer take up what :func:`write_checkpoint` wrote; tell whether it could.

    Returns
    -------
    bool
        False for the checkpoint of another version, which is left alone.

    Raises
    ------
    StudyError
        If the bytes are damaged, or of another table, other settings or other peers.
    """
    try:
        facts, arrays = from_bytes(data)
        if facts.get("checkpoint") != CHECKPOINT:
            return False
        said = []
        for place, names in enumerate(facts["recipients"]):
            message = decode(arrays.pop(f"said.{place}").tobytes())
            if not isinstance(message, PeerMessage):
                raise MessageError("a checkpoint holds what peers say, and nothing else.")
            said += [replace(message, recipient=name) for name in names]
    except (ArraysError, MessageError, KeyError) as error:
        raise StudyError(
            f"the checkpoint of {peer.name} cannot be read: delete it to start over."
        ) from error
    peer.restore(Memory.from_arrays(arrays, peer.peers, said))
    return True
