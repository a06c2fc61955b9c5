"""A shelf in memory: whole federations in one process."""

from __future__ import annotations

from threading import Condition

from consilience.exceptions import CarrierError

__all__ = ["Memory"]


class Memory:
    """A shelf in memory, for threads of one process.

    Examples
    --------
    >>> shelf = Memory()
    >>> shelf.write("a/b", b"piece")
    >>> shelf.find(), shelf.read("a/b")
    ({'a/b': 5}, b'piece')
    """

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._changed = Condition()

    def write(self, path: str, data: bytes) -> None:
        """Write a file; one that is there already gives way."""
        with self._changed:
            self._files[path] = bytes(data)
            self._changed.notify_all()

    def read(self, path: str) -> bytes:
        """Return a file."""
        try:
            return self._files[path]
        except KeyError:
            raise CarrierError(f"{path} is not there.") from None

    def find(self) -> dict[str, int]:
        """Return the size of every file, by path."""
        return {path: len(data) for path, data in list(self._files.items())}

    def rest(self, seconds: float) -> None:
        """Return when something was written, at the latest after so many seconds."""
        with self._changed:
            self._changed.wait(seconds)
