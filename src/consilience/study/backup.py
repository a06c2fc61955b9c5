"""A copy of a role's secrets that a passphrase opens, to be kept away from the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pyrage

from consilience.arrays import read_json
from consilience.exceptions import ArraysError, StudyError
from consilience.study.secrets import PrivateFolder

__all__ = ["LEAST_CHARACTERS", "open_backup", "seal_backup"]

LEAST_CHARACTERS = 12
"""A shorter passphrase is refused: whoever finds the copy may try as long as they like."""

MAX_BYTES = 2**20
SECRETS = ("identity*.toml", "*.key")


def seal_backup(folder: PrivateFolder, passphrase: str) -> bytes:
    """Return the identity and the keys of a role as one age file, sealed by a passphrase.

    The ledger is no secret and grows: it is not in it.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.study.identity import Identity
    >>> here, there = (PrivateFolder(Path(tempfile.mkdtemp()) / name) for name in "ab")
    >>> here.write_identity(Identity.new("analyst"))
    >>> words = "five plain words are fine"
    >>> open_backup(seal_backup(here, words), words, there)
    ['identity.toml']
    >>> there.read_identity("analyst").public == here.read_identity("analyst").public
    True
    """
    if len(passphrase) < LEAST_CHARACTERS:
        raise StudyError(
            f"the passphrase has {len(passphrase)} characters, must have {LEAST_CHARACTERS} or "
            f"more: whoever finds the copy may try as long as they like. Take five plain words."
        )
    found = sorted({path for mark in SECRETS for path in folder.path.glob(mark)})
    if not found:
        raise StudyError(f"{folder.path} holds no secrets yet: make some with consilience keygen.")
    texts = {path.name: path.read_text(encoding="utf-8") for path in found}
    sealed: bytes = pyrage.passphrase.encrypt(json.dumps(texts).encode(), passphrase)
    return sealed


def open_backup(data: bytes, passphrase: str, folder: PrivateFolder) -> list[str]:
    """Put the secrets of a back-up into a private folder; return their names.

    None is ever overwritten; what is there must be moved away first.
    """
    try:
        texts = read_json(pyrage.passphrase.decrypt(data, passphrase), MAX_BYTES)
    except (pyrage.DecryptError, ArraysError):
        raise StudyError("the passphrase is another one, or the file is no back-up.") from None
    names = [name for name in texts if any(Path(name).match(mark) for mark in SECRETS)]
    if set(names) != set(texts) or any(Path(name).name != name for name in names):
        raise StudyError("the file holds other things than secrets of a role: it is no back-up.")
    folder.refuse_to_replace(*names)
    for name in names:
        folder.write_secret(name, str(texts[name]))
    return names
