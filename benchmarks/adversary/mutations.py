"""Bytes that are almost right: cut, doubled, flipped, or with a hostile word among them."""

from __future__ import annotations

import random
import re

__all__ = ["mutate"]

WORDS = re.compile(rb'"[^"\n]{0,80}"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|[A-Za-z_-]+')
HOSTILE = (
    *(b"-1", b"0", b"1.5", b"1e999", b"NaN", b"-Infinity", b"true", b"null", b"[]", b"{}", b'""'),
    *(str(2**k + d).encode() for k in (31, 32, 40, 53, 63, 64, 200) for d in (-1, 0)),
    *(b"9" * 5000, b"[" * 400 + b"]" * 400, b'{"a":' * 60 + b"1" + b"}" * 60, b'"' + b"x" * 3000),
    *(b'"\\ud800"', b'"\\u0000"', b"'", b'"""', b"1979-05-27T07:32:00Z", b"0x7f", b"inf", b"a.b.c"),
    *(b"F64", b"U8", b"shape", b"__metadata__", b"\xff\xfe", b"\xc3\x28", b"\n", b"=", b"[[a]]"),
)


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Change some bytes by one to three steps of eight kinds.

    Examples
    --------
    >>> chance = random.Random(0)
    >>> len({mutate(b'{"rows": 12}', chance) for _ in range(50)}) > 40
    True
    """
    for _ in range(chance.choice((1, 1, 2, 3))):
        data = _step(data, chance)
    return data


def _step(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice((1, 1, 2, 4, 8, 16, 64)))
    kind = chance.randrange(8)
    if kind == 0 and start < len(data):
        return data[:start] + bytes([data[start] ^ 1 << chance.randrange(8)]) + data[start + 1 :]
    if kind == 1:
        return data[:start] + chance.randbytes(end - start) + data[end:]
    if kind == 2:
        return data[:start] + data[end:]
    if kind == 3:
        return data[:end] + data[start:]
    if kind == 4:
        return data[:start]
    if kind == 5:
        return data[:start] + chance.choice(HOSTILE) + data[start:]
    word = WORDS.search(data, start) or WORDS.search(data)
    if word is None:
        return data + chance.choice(HOSTILE)
    if kind == 6:
        return data[: word.start()] + chance.choice(HOSTILE) + data[word.end() :]
    other = WORDS.search(data, chance.randrange(len(data))) or word
    return data[: word.start()] + other.group() + data[word.end() :]
