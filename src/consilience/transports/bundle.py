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

import dataclasses
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy.typing as npt
import pyrage

from consilience.arrays import Arrays, from_bytes, in_pieces, read_json
from consilience.exceptions import ArraysError, BundleError, MessageError
from consilience.messages import BY_NAME, Message
from consilience.study.files import finish, write_whole
from consilience.study.identity import Identity, PublicKeys
from consilience.study.study import MAX_STUDY_BYTES, Study
from consilience.study.wording import difference
from consilience.transports.wire import put_together, take_apart

__all__ = [
    "Manifest",
    "Member",
    "is_sealed",
    "manifest_of",
    "open_bundle",
    "read_bundle",
    "read_members",
    "seal_bundle",
    "write_bundle",
]

MAGIC = b"consilience bundle 1\n"
FORMAT = 1
SIGNATURE_BYTES = 64
SEALED, SEALED_END = b"age-encryption.org/v1\n", b"\n--- "
MAX_SEAL_BYTES = 4096
"""A seal to two recipients has some 500 bytes, and begins with a line of its own."""

MAX_MANIFEST_BYTES = 2 * MAX_STUDY_BYTES
MAX_MEMBERS = 64
CONTEXT = b"consilience manifest\0"
"""Put before what is signed, so that a signature means nothing anywhere else."""

HEADER = ("study", "sender", "recipient")


@dataclass(frozen=True)
class Member:
    """One array of a bundle."""

    name: str
    n_bytes: int
    sha256: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Manifest:
    """What a bundle says it holds; safe to show."""

    kind: str
    study: str
    terms: dict[str, Any]
    sender: str
    recipient: str
    purpose: str
    fields: dict[str, Any]
    members: tuple[Member, ...]

    @property
    def n_bytes(self) -> int:
        """Size of all arrays."""
        return sum(member.n_bytes for member in self.members)

    @property
    def digest(self) -> str:
        """SHA-256 of what the message says, whatever its purpose; an answer refers to it so."""
        said = {name: getattr(self, name) for name in ("kind", *HEADER, "fields")}
        said["members"] = [[member.name, member.sha256] for member in self.members]
        text = json.dumps(said, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


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
        terms=study.terms(),
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
    head = json.dumps({"format": FORMAT, **dataclasses.asdict(manifest)}, sort_keys=True).encode()
    if len(head) > MAX_MANIFEST_BYTES:
        raise BundleError(
            f"the manifest has {len(head)} bytes, must be at most {MAX_MANIFEST_BYTES}: the terms "
            f"of the study are too long to go with every message."
        )
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


def open_bundle(path: Path, identity: Identity) -> tuple[Manifest, bytes, memoryview, bytes]:
    """Unseal a bundle and read its manifest, without trusting any of it yet.

    Returns
    -------
    manifest : Manifest
    head : bytes
        The manifest as it was signed.
    body : memoryview
        The members.
    signature : bytes
    """
    head, body, signature = _unpack(path, identity)
    return _manifest(path, head), head, body, signature


def _unpack(path: Path, identity: Identity) -> tuple[bytes, memoryview, bytes]:
    """Unseal a bundle and part it: manifest as it was signed, members, signature."""
    plain = _unseal(path, identity)
    start = len(MAGIC) + 8
    if bytes(plain[: len(MAGIC)]) != MAGIC:
        raise BundleError(f"{path.name} is not a bundle of format {FORMAT}.")
    length = int.from_bytes(plain[len(MAGIC) : start], "little")
    if length > min(MAX_MANIFEST_BYTES, len(plain) - start - SIGNATURE_BYTES):
        raise BundleError(f"{path.name} is damaged: its manifest is longer than the file.")
    head = bytes(plain[start : start + length])
    signature = bytes(plain[start + length : start + length + SIGNATURE_BYTES])
    return head, plain[start + length + SIGNATURE_BYTES :], signature


def read_bundle(
    path: Path, *, study: Study, identity: Identity, own: bool = False
) -> tuple[Message, Manifest]:
    """Unseal, verify and read the message of a bundle, and its manifest, which is then true.

    Nothing of it is looked at before some role of the study is known to have signed it. Then the
    signature must be the sender's, the study the same, the recipient this role (or the sender, if
    it reads its own copy), every hash right; then the message checks its own contents.
    """
    head, body, signature = _unpack(path, identity)
    signers = [name for name in study.keys if _is_signed(study.heirs.ever(name), signature, head)]
    if not signers:
        raise BundleError(
            f"{path.name} is signed by no role of this study: it is forged, or of a study with "
            f"other keys. Ask whoever sent it for the study file they used, and to send it again."
        )
    manifest = _manifest(path, head)
    if manifest.sender not in signers:
        raise BundleError(
            f"{path.name} claims to come from {manifest.sender!r:.80}, but is not signed with that "
            f"role's key: {signers[0]!r} signed it."
        )
    if not _is_signed(study.heirs.signers(manifest.sender, manifest.digest), signature, head):
        raise BundleError(
            f"{path.name} is signed with a key that {manifest.sender!r} no longer has. Ask there "
            f"whether it counts, and to send it again."
        )
    if manifest.study != study.digest:
        raise BundleError(f"{path.name} belongs to another study: {_differs(study, manifest)}.")
    if own and manifest.sender != identity.name:
        raise BundleError(f"{path.name} comes from {manifest.sender!r}, not {identity.name!r}.")
    if not own and manifest.recipient != identity.name:
        raise BundleError(
            f"{path.name} is addressed to {manifest.recipient!r:.80}, not to {identity.name!r}."
        )
    arrays = read_members(path, manifest, body)
    header = {name: getattr(manifest, name) for name in HEADER}
    try:
        return put_together(manifest.kind, header | manifest.fields, arrays), manifest
    except MessageError as error:
        raise BundleError(f"{path.name} breaks a rule: {error}") from None


def _is_signed(keys: Iterable[PublicKeys], signature: bytes, head: bytes) -> bool:
    return any(key.verify(signature, CONTEXT + head) for key in keys)


def read_members(path: Path, manifest: Manifest, body: memoryview) -> Arrays:
    """Read the arrays of a bundle; each must have the hash, size, shape and kind stated."""
    arrays, start = {}, 0
    for member in manifest.members:
        data = body[start : start + member.n_bytes]
        start += member.n_bytes
        arrays[member.name] = _array(path, member, data)
    if start != len(body):
        raise BundleError(f"{path.name} is damaged: it does not have the length it states.")
    return arrays


def _member(name: str, array: npt.NDArray[Any]) -> Member:
    digest, n_bytes = hashlib.sha256(), 0
    for piece in in_pieces({name: array}):
        digest.update(piece)
        n_bytes += len(piece)
    return Member(name, n_bytes, digest.hexdigest(), array.shape, str(array.dtype))


def _array(path: Path, member: Member, data: memoryview) -> npt.NDArray[Any]:
    if len(data) != member.n_bytes or hashlib.sha256(data).hexdigest() != member.sha256:
        raise BundleError(f"{path.name} is damaged: member {member.name!r} has another hash.")
    try:
        _, arrays = from_bytes(data)
    except ArraysError:
        arrays = {}
    array = arrays.pop(member.name, None)
    if array is None or arrays or (array.shape, str(array.dtype)) != (member.shape, member.dtype):
        raise BundleError(f"{path.name} is damaged: member {member.name!r} is no such array.")
    return array


def _unseal(path: Path, identity: Identity) -> memoryview:
    plain = io.BytesIO()
    with path.open("rb") as sealed:
        try:
            # A long header costs the square of its length, and ours are short.
            beginning = sealed.read(MAX_SEAL_BYTES)
            if not beginning.startswith(SEALED) or SEALED_END not in beginning:
                raise ValueError
            sealed.seek(0)
            pyrage.decrypt_io(sealed, plain, [identity.sealing])
        except (pyrage.DecryptError, OSError, ValueError):
            raise BundleError(
                f"{path.name} cannot be opened by {identity.name!r}: it is damaged or cut short, "
                f"or sealed to somebody else."
            ) from None
    return plain.getbuffer()


def _manifest(path: Path, head: bytes) -> Manifest:
    try:
        fields = read_json(head, MAX_MANIFEST_BYTES)
        if fields.pop("format") != FORMAT or fields["kind"] not in BY_NAME:
            raise ValueError
        stated = fields.pop("members")
        if len(stated) > MAX_MEMBERS:
            raise ValueError
        members = tuple(Member(**{**m, "shape": tuple(m["shape"])}) for m in stated)
        manifest = Manifest(**fields, members=members)
        texts = (manifest.study, manifest.sender, manifest.recipient, manifest.purpose)
        names = [m.name for m in members]
        header = set(HEADER)
        if (
            not all(isinstance(text, str) for text in texts)
            or not isinstance(manifest.fields, dict)
            or not isinstance(manifest.terms, dict)
            or not all(_is_sound(member) for member in members)
            or len({*names, *manifest.fields, *header}) != len(names) + len(manifest.fields) + 3
        ):
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise BundleError(f"{path.name} is damaged: its manifest cannot be read.") from None
    return manifest


def _is_sound(member: Member) -> bool:
    texts = (member.name, member.sha256, member.dtype)
    numbers = (member.n_bytes, *member.shape)
    return all(type(t) is str for t in texts) and all(type(n) is int and n >= 0 for n in numbers)


def _differs(study: Study, manifest: Manifest) -> str:
    """Say in words where the studies differ; the terms of the other are only compared."""
    lines = difference(study.terms(), manifest.terms)
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
