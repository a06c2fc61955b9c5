"""Row ids leave only as pseudonyms: keyed hashes that the parties of a row compute alike.

The pseudonym of an id is the first 16 bytes of HMAC-SHA256 under the row key. Without the key it
can neither be turned back nor be tested against a list of candidate ids.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.messages import PSEUDONYM_BYTES
from consilience.study.keys import derive_key

__all__ = ["has_space", "normalise_ids", "normalise_texts", "pseudonyms"]


def normalise_ids(
    ids: pd.Series, *, strip: bool, fold_case: bool, drop_zeros: bool | None = False
) -> pd.Series:
    """Bring ids into the form in which two parties would write the same one.

    Unicode is always brought to its composed compatibility form (NFKC); folding case may undo
    that, so it is done again.

    Examples
    --------
    >>> normalise_ids(pd.Series([" P-07", "p-07 "]), strip=True, fold_case=True).tolist()
    ['p-07', 'p-07']
    >>> ids = pd.Series(["0071", "71", "P-07"])
    >>> normalise_ids(ids, strip=True, fold_case=False, drop_zeros=True).tolist()
    ['71', '71', 'P-07']
    """
    texts = ids.astype("string").fillna("").tolist()
    normalised = normalise_texts(texts, strip=strip, fold_case=fold_case, drop_zeros=drop_zeros)
    return pd.Series(normalised, index=ids.index, dtype=object)


def normalise_texts(
    texts: Sequence[str], *, strip: bool, fold_case: bool, drop_zeros: bool | None = False
) -> list[str]:
    """Bring ids into that form, where they are texts already; a missing one is empty."""

    def normalise(text: str) -> str:
        if text.isascii():  # composed already
            text = text.lower() if fold_case else text
        else:
            text = unicodedata.normalize("NFKC", text)
            if fold_case:
                text = unicodedata.normalize("NFKC", text.casefold())
        if strip:
            text = " ".join(text.split())
        # An id of zeros alone stays one.
        return text.lstrip("0") or "0" if drop_zeros and text.isdecimal() else text

    together = "\0".join(texts)
    simple = together.isascii() and together.count("\0") == len(texts) - 1
    if simple and not drop_zeros and not has_space(together):  # as in most tables
        return (together.lower() if fold_case else together).split("\0")
    return list(map(normalise, texts))


def has_space(text: str) -> bool:
    """Tell whether a text has white space anywhere, faster than by a pattern."""
    return text.split(maxsplit=1) != [text]


def pseudonyms(ids: Iterable[str], row_key: bytes) -> npt.NDArray[np.uint8]:
    """Return the pseudonym of each id under the key of its row institution.

    Parameters
    ----------
    ids : iterable of str
        Normalised ids.
    row_key : bytes
        The secret shared by the parties that hold these rows.

    Returns
    -------
    ndarray of shape (n_ids, 16), uint8

    Examples
    --------
    >>> pseudonyms(["p-07"], bytes(32)).shape
    (1, 16)
    """
    key = derive_key(row_key, "pseudonym")
    # HMAC hashes the key twice before each text (RFC 2104); here that is done once for all.
    block = key.ljust(hashlib.sha256().block_size, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))
    codes = bytearray()
    for text in ids:
        inside, outside = inner.copy(), outer.copy()
        inside.update(text.encode())
        outside.update(inside.digest())
        codes += outside.digest()[:PSEUDONYM_BYTES]
    return np.frombuffer(codes, dtype=np.uint8).reshape(-1, PSEUDONYM_BYTES)
