"""The manifest of a bundle: what it says it holds, before any of it is read."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.arrays import read_json
from consilience.exceptions import BundleError
from consilience.messages import BY_NAME
from consilience.study.study import MAX_STUDY_BYTES

__all__ = ["FORMAT", "HEADER", "MAX_MANIFEST_BYTES", "Manifest", "Member"]

FORMAT = 1
MAX_MANIFEST_BYTES = 2 * MAX_STUDY_BYTES
MAX_MEMBERS = 64
HEADER = ("study", "sender", "recipient")


@dataclass(frozen=True)
class Member:
    """One array of a bundle."""

    name: str
    n_bytes: int
    sha256: str
    shape: tuple[int, ...]
    dtype: str

    @property
    def is_sound(self) -> bool:
        """Whether its fields are of their types; somebody else may have written them."""
        texts, numbers = (self.name, self.sha256, self.dtype), (self.n_bytes, *self.shape)
        return all(type(t) is str for t in texts) and all(
            type(n) is int and n >= 0 for n in numbers
        )


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

    def to_bytes(self) -> bytes:
        """Write it as it is signed."""
        fields = {"format": FORMAT, **dataclasses.asdict(self)}
        head = json.dumps(fields, sort_keys=True).encode()
        if len(head) > MAX_MANIFEST_BYTES:
            raise BundleError(
                f"the manifest has {len(head)} bytes, must be at most {MAX_MANIFEST_BYTES}: the "
                f"terms of the study are too long to go with every message."
            )
        return head

    @classmethod
    def from_bytes(cls, head: bytes, path: Path) -> Manifest:
        """Read what somebody may have written into a bundle at a path."""
        try:
            return cls._read(head)
        except (ValueError, KeyError, TypeError):
            raise BundleError(f"{path.name} is damaged: its manifest cannot be read.") from None

    @classmethod
    def _read(cls, head: bytes) -> Manifest:
        """Read a manifest; whatever is wrong with it is a ValueError, KeyError or TypeError."""
        fields = read_json(head, MAX_MANIFEST_BYTES)
        if fields.pop("format") != FORMAT or fields["kind"] not in BY_NAME:
            raise ValueError
        stated = fields.pop("members")
        if len(stated) > MAX_MEMBERS:
            raise ValueError
        members = tuple(Member(**{**m, "shape": tuple(m["shape"])}) for m in stated)
        manifest = cls(**fields, members=members)
        texts = (manifest.study, manifest.sender, manifest.recipient, manifest.purpose)
        names = [m.name for m in members]
        if (
            not all(isinstance(text, str) for text in texts)
            or not isinstance(manifest.fields, dict)
            or not isinstance(manifest.terms, dict)
            or not all(member.is_sound for member in members)
            or len({*names, *manifest.fields, *HEADER}) != len(names) + len(manifest.fields) + 3
        ):
            raise ValueError
        return manifest
