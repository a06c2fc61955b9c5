"""What a long run has measured so far, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import consilience

__all__ = ["Journal", "code_digest"]


class Journal:
    """One line of JSON per measurement, written as soon as it is known.

    A journal belongs to the code it was written with: another version starts a new one.

    Parameters
    ----------
    path : Path
        Continued if it exists; its folder is made.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.journal")
    ...     first = Journal(path).measure("iris", lambda: {"ARI": 0.73})
    ...     again = Journal(path).measure("iris", lambda: {"ARI": 0.0})
    >>> again
    {'ARI': 0.73}
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, dict[str, float]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        code = code_digest()
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if lines[:1] == [code]:
            for line in lines[1:]:
                try:
                    key, values = json.loads(line)
                except json.JSONDecodeError:  # the line that was being written
                    continue
                self._known[key] = values
        else:
            path.write_text(f"{code}\n", encoding="utf-8")

    def __len__(self) -> int:
        return len(self._known)

    def measure(self, key: str, function: Callable[[], Mapping[str, float]]) -> dict[str, float]:
        """Return what is known under `key`, or find it out and write it down.

        Parameters
        ----------
        key : str
        function : callable
            Returns numbers by name.
        """
        if key not in self._known:
            self._known[key] = {name: float(value) for name, value in function().items()}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, self._known[key]]) + "\n")
        return self._known[key]

    def finish(self) -> None:
        """Forget the run: the next one measures everything again."""
        self._path.unlink()


def code_digest() -> str:
    """Return a digest of the package's own source, which names the code of a measurement."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(consilience.__path__[0]).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
