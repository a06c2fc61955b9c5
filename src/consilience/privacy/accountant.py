"""One account of what was spent on the records of a party, whatever ran, crashed or ran at once.

A draw goes through four steps, each on disk before the next: the charge is entered in the ledger,
the noise is drawn, what was drawn is kept in the private folder, the ledger says that it was. Only
then may anybody see it. So a run that dies

- before the charge has spent nothing;
- before the draw was kept has shown it to nobody, and the same charge pays for the next;
- afterwards has its draw kept, which the next run shows again: the same, at no further cost.

One lock per private folder makes runs wait for each other. A draw is known by a keyed hash of what
it is about: neither the ledger nor the name of a file tells a guess of the table from the table.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, cast

import numpy as np

from consilience.arrays import Arrays, from_bytes, in_pieces
from consilience.exceptions import ArraysError, StudyError
from consilience.privacy.budget import Budget, Charge
from consilience.privacy.noise import opendp
from consilience.privacy.release import Noise, Values
from consilience.study.files import write_whole
from consilience.study.keys import new_key
from consilience.study.ledger import Ledger
from consilience.study.locks import locked
from consilience.study.secrets import PrivateFolder

__all__ = ["Accountant", "charges_in"]

CHARGE, DRAWN = "charge", "drawn"
KEPT_MODE = 0o600
NAME_LENGTH = 32
"""So many digits of the name of a draw stand in the name of its file."""


class Accountant:
    """Charges the ledger of a private folder, and keeps what was paid for.

    Parameters
    ----------
    folder : PrivateFolder
    limit : float, optional
        What everything noted in the ledger may cost a record together; None keeps account only.
    facts : mapping, optional
        What else the ledger says of every charge, such as the study.

    Examples
    --------
    >>> import tempfile
    >>> accountant = Accountant(PrivateFolder(Path(tempfile.mkdtemp())), limit=1.5)
    >>> draw = lambda: {"values": np.random.default_rng().normal(size=3)}
    >>> first = accountant.draw_once("a table, a study", 1.0, draw)
    >>> again = accountant.draw_once("a table, a study", 1.0, draw)
    >>> bool((first["values"] == again["values"]).all()), accountant.spent
    (True, 1.0)
    """

    def __init__(
        self,
        folder: PrivateFolder,
        limit: float | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self._folder, self._limit, self._facts = folder, limit, dict(facts or {})

    @property
    def budget(self) -> Budget:
        """What was spent so far, of how much."""
        return Budget(self._limit, charges_in(self._folder.ledger))

    @property
    def spent(self) -> float:
        """Total epsilon per record so far."""
        return self.budget.spent

    @property
    def spoken(self) -> str:
        """What was spent of how much, in words."""
        return self.budget.spoken

    def draw(self, X: Values, noise: Noise[Values], purpose: str) -> Values:
        """Return private values with noise: the same for the same values, noise and purpose.

        Parameters
        ----------
        X : ndarray
            Rows, or counts.
        noise : Noise
        purpose : str
            What they are drawn for; the ledger says so.
        """
        values = np.ascontiguousarray(cast(Any, X))
        table = hashlib.sha256(values.tobytes()).hexdigest()
        terms = json.dumps(vars(noise), default=list, sort_keys=True)
        key = f"{purpose}\n{terms}\n{values.dtype} {values.shape} {table}"
        facts: dict[str, Any] = {"purpose": purpose}
        if noise.insecure_seed is None:
            opendp()  # who cannot draw does not pay
        else:
            facts["insecure"] = True

        def draw() -> Arrays:
            return {"values": np.asarray(noise.apply(X))}

        return cast(Values, self.draw_once(key, noise.epsilon, draw, facts)["values"])

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
            What the draw is about: the terms and the table, or a digest of it. The ledger and the
            name of the file hold a keyed hash of it, no more.
        epsilon : float
        draw : callable
            Makes it; called once at most.
        facts : mapping, optional
            What else the ledger says of the charge.

        Raises
        ------
        BudgetError
            If the limit would be exceeded; nothing is drawn then.
        StudyError
            If the ledger lacks the charge of a draw that is kept: it is not the one it was.
        """
        ledger = self._folder.ledger
        with locked(self._folder.path / "draws.lock"):
            entries = ledger.entries()
            self._refuse_other_ledger(entries)
            name = self._name(key)
            said = [e["what"] for e in entries if e.get("draw") == name]
            # Nobody saw the draw of a charge that was never kept; one that was kept and then
            # deleted may have been seen.
            unseen = said.count(CHARGE) > said.count(DRAWN)
            kept = self._read(name)
            if kept is None:
                if not unseen:
                    self.budget.charge(epsilon, (facts or {}).get("purpose", "this draw"))
                    about = {**self._facts, **(facts or {})}
                    ledger.add(CHARGE, draw=name, epsilon=epsilon, **about)
                kept, unseen = draw(), True
                with write_whole(self._path(name), KEPT_MODE) as stream:
                    stream.writelines(in_pieces(kept, {"draw": name}))
            if unseen:
                ledger.add(DRAWN, draw=name)
        return kept

    def _name(self, key: str) -> str:
        """Return the name of a draw, which only this folder can tell from its key."""
        if not (self._folder.path / "draws.key").exists():
            self._folder.write_key("draws", new_key())
        return hmac.new(self._folder.read_key("draws"), key.encode(), hashlib.sha256).hexdigest()

    def _path(self, name: str) -> Path:
        return self._folder.path / f"draw-{name[:NAME_LENGTH]}.safetensors"

    def _read(self, name: str) -> Arrays | None:
        """Return what was drawn under a name, or None."""
        path = self._path(name)
        if not path.exists():
            return None
        try:
            about, arrays = from_bytes(path.read_bytes())
        except ArraysError:
            about = {}
        if about.get("draw") != name:
            raise StudyError(
                f"{path} is damaged. Restore it from a copy, or delete it: the noise is then drawn "
                f"anew, and paid for once more."
            )
        return arrays

    def _refuse_other_ledger(self, entries: list[dict[str, Any]]) -> None:
        charged = {str(e.get("draw"))[:NAME_LENGTH] for e in entries if e["what"] == CHARGE}
        for path in self._folder.path.glob("draw-*.safetensors"):
            if path.stem.removeprefix("draw-") not in charged:
                raise StudyError(
                    f"{path} was paid for, and {self._folder.ledger.path} does not say so: it is "
                    f"missing, or not the ledger it was. Restore it from a copy."
                )


def charges_in(ledger: Ledger) -> list[Charge]:
    """Return everything in a ledger that was paid for with epsilon.

    Terms and studies may have changed in between: a person's record does not become another one. A
    contribution whose noise has a charge of its own (``charged``) is not paid for twice. Windows of
    an earlier version have no charges, but say what their study had spent by then.
    """
    windows = {
        e["study"]: Charge(f"windows until {e['when']}", float(e["spent"]))
        for e in ledger.entries()
        if e["what"] == "window" and e.get("spent") and not e.get("charged")
    }
    paid = [
        Charge(f"{e['what']} of {e['when']}", _epsilon(e, ledger), bool(e.get("insecure")))
        for e in ledger.entries()
        if "epsilon" in e
        and (e["what"] == CHARGE or (e["what"] == "contribution" and not e.get("charged")))
    ]
    return [*windows.values(), *paid]


def _epsilon(entry: Mapping[str, Any], ledger: Ledger) -> float:
    epsilon = entry["epsilon"]
    if type(epsilon) not in (int, float) or not (isfinite(epsilon) and epsilon > 0):
        raise StudyError(
            f"{ledger.path} has a charge without a price, on {entry['when']:.10}. Restore it from "
            f"a copy."
        )
    return float(epsilon)
