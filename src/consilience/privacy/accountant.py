"""One account of what was spent on the records of a party, whatever ran, crashed or ran at once.

A draw goes through four steps, each on disk before the next: the charge is entered in the ledger,
the noise is drawn, what was drawn is kept in the private folder, the ledger says that it was. Only
then may anybody see it. So a run that dies

- before the charge has spent nothing;
- before the draw was kept has shown it to nobody, and the same charge pays for the next;
- afterwards has its draw kept, which the next run shows again: the same, at no further cost.

One lock per private folder makes runs wait for each other.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from consilience.arrays import Arrays, from_bytes, to_bytes
from consilience.privacy.budget import Budget, Charge
from consilience.study.files import write_whole
from consilience.study.ledger import Ledger
from consilience.study.secrets import PrivateFolder

__all__ = ["Accountant", "charges_in"]

CHARGE, DRAWN = "charge", "drawn"
KEPT_MODE = 0o600


class Accountant:
    """Charges the ledger of a private folder, and keeps what was paid for.

    Parameters
    ----------
    folder : PrivateFolder
    limit : float, optional
        What everything noted in the ledger may cost a record together; None keeps account only.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> accountant = Accountant(PrivateFolder(Path(tempfile.mkdtemp())), limit=1.5)
    >>> draw = lambda: {"values": np.random.default_rng().normal(size=3)}
    >>> first = accountant.draw_once("a table, a study", 1.0, draw)
    >>> again = accountant.draw_once("a table, a study", 1.0, draw)
    >>> bool((first["values"] == again["values"]).all()), accountant.budget.spent
    (True, 1.0)
    """

    def __init__(self, folder: PrivateFolder, limit: float | None = None) -> None:
        self._folder, self._limit = folder, limit

    @property
    def budget(self) -> Budget:
        """What was spent so far, of how much."""
        return Budget(self._limit, charges_in(self._folder.ledger))

    def draw_once(
        self,
        key: str,
        epsilon: float,
        draw: Callable[[], Arrays],
        facts: Mapping[str, Any] | None = None,
    ) -> Arrays:
        """Return what was drawn under a key before, or charge, draw and keep it.

        Parameters
        ----------
        key : str
            What the draw is about: the terms and the table. The ledger holds its SHA-256.
        epsilon : float
        draw : callable
            Makes it; called once at most.
        facts : mapping, optional
            What else the ledger says of the charge.

        Raises
        ------
        BudgetError
            If the limit would be exceeded; nothing is drawn then.
        """
        name = hashlib.sha256(key.encode()).hexdigest()
        path, ledger = self._folder.path / f"draw-{name[:32]}.safetensors", self._folder.ledger
        with _locked(self._folder.path / "ledger.lock"):
            said = [e["what"] for e in ledger.entries() if e.get("draw") == name]
            # Nobody saw the draw of a charge that was never kept; one that was kept and then
            # deleted may have been seen.
            unseen = said.count(CHARGE) > said.count(DRAWN)
            if path.exists():
                if unseen:
                    ledger.add(DRAWN, draw=name)
                return from_bytes(path.read_bytes())[1]
            if not unseen:
                self.budget.charge(epsilon, "this draw")
                ledger.add(CHARGE, draw=name, epsilon=epsilon, **(facts or {}))
            arrays = draw()
            with write_whole(path, KEPT_MODE) as stream:
                stream.write(to_bytes(arrays, {"draw": name}))
            ledger.add(DRAWN, draw=name)
        return arrays


def charges_in(ledger: Ledger) -> list[Charge]:
    """Return everything in a ledger that was paid for with epsilon.

    Terms and studies may have changed in between: a person's record does not become another one.
    """
    paid = [e for e in ledger.entries() if e["what"] in (CHARGE, "contribution")]
    return [
        Charge(f"{e['what']} of {e['when']}", float(e["epsilon"])) for e in paid if "epsilon" in e
    ]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Wait until nobody else holds the lock of a file; a process that dies lets it go."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, KEPT_MODE)
    try:
        if sys.platform == "win32":
            import msvcrt
            import time

            while True:
                try:
                    msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
                    break
                except OSError:  # it gives up after ten seconds
                    time.sleep(0.1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
