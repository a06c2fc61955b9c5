"""Bundles: one message as one file, signed by its sender and sealed to its recipient.

The plain form, described byte by byte in ``docs/wire-format.md``::

    magic (21 bytes) | length of manifest (8, little endian) | manifest (JSON) | signature (64)
    | member | member | ...

The manifest names the kind of message, the study and its terms, sender, recipient, purpose, short
fields, and name, size and SHA-256 of each member; a member is one array in safetensors format. The
signature (Ed25519) covers the manifest, and through the hashes every member. The whole is then
sealed with age to the recipient and to the sender, who can so look into what it sent. No pickle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy.typing as npt
import pyrage

from consilience.arrays import in_pieces
from consilience.exceptions import BundleError, MessageError
from consilience.messages import Message
from consilience.study.files import finish, write_whole
from consilience.study.identity import Identity, PublicKeys
from consilience.study.study import ANALYST, Study
from consilience.study.wording import difference, in_short
from consilience.transports.manifest import HEADER, Manifest, Member
from consilience.transports.unsealing import MAGIC, SEALED, unseal
from consilience.transports.wire import put_together, take_apart

__all__ = [
    "Manifest",
    "is_sealed",
    "manifest_of",
    "open_bundle",
    "read_bundle",
    "seal_bundle",
    "write_bundle",
]

CONTEXT = b"consilience manifest\0"
"""Put before what is signed, so that a signature means nothing anywhere else."""


def manifest_of(message: Message, study: Study, purpose: str) -> Manifest:
    """Return the manifest of a message: what would leave, before anything does.

    Parameters
    ----------
    message : Message
    study : Study
    purpose : str
        Why it is sent, in words, for the person who looks into it.
    """
    values, arrays = take_apart(message)
    fields = {name: value for name, value in values.items() if name not in HEADER}
    return Manifest(
        kind=type(message).__name__,
        study=message.study,
        terms=study.stated,
        sender=message.sender,
        recipient=message.recipient,
        purpose=purpose,
        fields=fields,
        members=tuple(_member(name, array) for name, array in arrays.items()),
    )


def write_bundle(
    path: Path, message: Message, manifest: Manifest, *, study: Study, identity: Identity
) -> None:
    """Sign a message, seal it to its recipient and its sender, and write it whole."""
    with write_whole(path) as target:
        seal_bundle(target, message, manifest, study=study, identity=identity)


def seal_bundle(
    target: IO[bytes], message: Message, manifest: Manifest, *, study: Study, identity: Identity
) -> None:
    """Sign a message, seal it to its recipient and its sender, and see it to disk."""
    if message.sender != identity.name:
        raise BundleError(f"{identity.name!r} cannot sign a message of {message.sender!r}.")
    head = manifest.to_bytes()
    recipients = [study.public_keys(message.recipient).recipient, identity.public.recipient]

    def pieces() -> Iterator[bytes | memoryview]:
        yield MAGIC + len(head).to_bytes(8, "little") + head + identity.sign(CONTEXT + head)
        for name, array in take_apart(message)[1].items():
            yield from in_pieces({name: array})

    try:
        pyrage.encrypt_io(_Reader(pieces()), target, recipients)
    except pyrage.EncryptError as error:
        # A full disk may surface as this, depending on where in a block it strikes.
        raise OSError(
            f"the bundle could not be written ({error}): make space, or choose another --out, and "
            f"run it again"
        ) from None
    finish(target)


def is_sealed(path: Path) -> bool:
    """Tell whether a file may be a bundle, sealed to whomever."""
    with path.open("rb") as file:
        return file.read(len(SEALED)) == SEALED


def open_bundle(path: Path, identity: Identity) -> tuple[Manifest, bytes, bytes]:
    """Unseal a bundle and see that it is whole, without trusting any of it yet.

    Returns
    -------
    manifest : Manifest
    head : bytes
        The manifest as it was signed.
    signature : bytes
    """
    signed: list[bytes] = []

    def accept(head: bytes, signature: bytes) -> Manifest:
        signed.extend((head, signature))
        return Manifest.from_bytes(head, path)

    manifest, _ = unseal(path, identity, accept)
    head, signature = signed
    return manifest, head, signature


def read_bundle(
    path: Path, *, study: Study, identity: Identity, own: bool = False, spill: Path | None = None
) -> tuple[Message, Manifest]:
    """Unseal, verify and read the message of a bundle, and its manifest, which is then true.

    Nothing of it is looked at before some role of the study is known to have signed it. Then the
    signature must be the sender's, the study the same, the recipient this role (or the sender, if
    it reads its own copy), every hash right; then the message checks its own contents.

    Parameters
    ----------
    path : Path
    study : Study
    identity : Identity
        Of who reads.
    own : bool, default=False
        Read what this role has sent itself.
    spill : Path, optional
        A private folder: the large arrays of the message are then maps of files there, to be read
        alone and gone with the message. Without one they are held in memory.
    """

    def accept(head: bytes, signature: bytes) -> Manifest:
        manifest = _verify(path, study, head, signature)
        _check_way(path, manifest, identity, own)
        return manifest

    manifest, arrays = unseal(path, identity, accept, spill)
    header = {name: getattr(manifest, name) for name in HEADER}
    try:
        return put_together(manifest.kind, header | manifest.fields, arrays), manifest
    except MessageError as error:
        raise BundleError(f"{path.name} breaks a rule: {error}") from None


def _verify(path: Path, study: Study, head: bytes, signature: bytes) -> Manifest:
    """Read a manifest that a role of the study signed: its sender, for this study."""
    signer = _signer(path, study, head, signature)
    if signer is None:
        raise BundleError(
            f"{path.name} is signed by no role of this study: it is forged, or of a study with "
            f"other keys. Ask whoever sent it for the study file they used, and to send it again."
        )
    manifest = Manifest.from_bytes(head, path)
    sender = manifest.sender
    if sender not in study.keys or not _is_signed(study.heirs.ever(sender), signature, head):
        raise BundleError(
            f"{path.name} claims to come from {sender!r:.80}, but is not signed with that "
            f"role's key: {signer!r} signed it."
        )
    if not _is_signed(study.heirs.signers(manifest.sender, manifest.digest), signature, head):
        raise BundleError(
            f"{path.name} is signed with a key that {manifest.sender!r} no longer has. Ask there "
            f"whether it counts, and to send it again."
        )
    if manifest.study != study.digest:
        raise BundleError(f"{path.name} belongs to another study: {_differs(study, manifest)}.")
    # They are the same; a thousand copies of the keys of a thousand roles are a gigabyte.
    return replace(manifest, terms=study.stated)


def _signer(path: Path, study: Study, head: bytes, signature: bytes) -> str | None:
    """Return a role whose key signed this; nobody if it is forged.

    Who it should be by the name of the file is tried first. Whoever gave it the name, that saves
    trying the keys of a thousand others.
    """

    def signed(role: str) -> bool:
        return _is_signed(study.heirs.ever(role), signature, head)

    def likely(role: str) -> bool:
        return role == ANALYST or path.name.startswith(f"{role.replace('/', '.')}.")

    first = [role for role in study.keys if likely(role)]
    return next((role for role in (*first, *study.keys) if signed(role)), None)


def _check_way(path: Path, manifest: Manifest, identity: Identity, own: bool) -> None:
    """See that a bundle is for who reads it, or of who reads its own."""
    if own and manifest.sender != identity.name:
        raise BundleError(f"{path.name} comes from {manifest.sender!r}, not {identity.name!r}.")
    if not own and manifest.recipient != identity.name:
        raise BundleError(
            f"{path.name} is addressed to {manifest.recipient!r:.80}, not to {identity.name!r}."
        )


def _is_signed(keys: Iterable[PublicKeys], signature: bytes, head: bytes) -> bool:
    return any(key.verify(signature, CONTEXT + head) for key in keys)


def _member(name: str, array: npt.NDArray[Any]) -> Member:
    digest, n_bytes = hashlib.sha256(), 0
    for piece in in_pieces({name: array}):
        digest.update(piece)
        n_bytes += len(piece)
    return Member(name, n_bytes, digest.hexdigest(), array.shape, str(array.dtype))


def _differs(study: Study, manifest: Manifest) -> str:
    """Say in words where the studies differ; the terms of the other are only compared."""
    lines = difference(study.stated, in_short(manifest.terms))
    shown = "; ".join(lines[:5]) + ("; and more" if len(lines) > 5 else "")
    return shown or "its terms cannot be read"


class _Reader:
    """A readable stream over pieces that are made one at a time."""

    def __init__(self, pieces: Iterator[bytes | memoryview]) -> None:
        self._pieces, self._rest = pieces, memoryview(b"")

    def read(self, n_bytes: int) -> bytes:
        while not self._rest:
            try:
                self._rest = memoryview(next(self._pieces))
            except StopIteration:
                return b""
        read, self._rest = self._rest[:n_bytes], self._rest[n_bytes:]
        return bytes(read)
