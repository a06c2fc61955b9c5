"""What happened that is worth knowing, in lines that any terminal may show."""

from __future__ import annotations

__all__ = ["MAX_LINES", "Log", "quoted"]

MAX_LINES = 200
MAX_QUOTED = 300


class Log(list[str]):
    r"""Lines about a run, so many at most and each once.

    Others can make a peer write lines: by messages it must refuse, by reasons they give. They can
    make it write neither without end nor commands to a terminal.

    Examples
    --------
    >>> log = Log()
    >>> for _ in range(3):
    ...     log.append("clinic refused: \x1b[2J")
    >>> log
    ['clinic refused: ?[2J']
    """

    def append(self, line: str, /) -> None:
        """Add a line, unless it is there or there are enough."""
        line = "".join(c if c.isprintable() else "?" for c in line)
        if line not in self and len(self) <= MAX_LINES:
            more = "more happened than is noted here"
            super().append(line if len(self) < MAX_LINES else more)


def quoted(text: str) -> str:
    """Shorten what somebody else wrote.

    Examples
    --------
    >>> len(quoted("no " * 1000))
    301
    """
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"
