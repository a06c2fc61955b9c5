"""Fingerprints: a study, or the keys of a role, as digits two people can compare aloud."""

from __future__ import annotations

import hashlib

__all__ = ["fingerprint"]

GROUPS, DIGITS = 12, 5


def fingerprint(what: str, text: str) -> str:
    """Return sixty digits in groups of five that stand for a text.

    Whoever wants another text with the same digits has to try about 10**60 of them, and any two
    texts with the same digits take about 10**30.

    Parameters
    ----------
    what : str
        What the text is, such as ``"study"``: the same text as something else has other digits.
    text : str

    Examples
    --------
    >>> fingerprint("study", "abc")
    '97943 48134 31853 05173 78655 89410 46289 04940 62587 05382 87746 06312'
    """
    drawn = hashlib.sha256(f"consilience {what}\0{text}".encode()).digest()
    digits = f"{int.from_bytes(drawn, 'big') % 10 ** (GROUPS * DIGITS):0{GROUPS * DIGITS}d}"
    return " ".join(digits[k : k + DIGITS] for k in range(0, GROUPS * DIGITS, DIGITS))
