"""Statements, public keys and successions changed at random: nothing forged may be believed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.adversary.tried import Tried
from consilience.evidence.check import check_statement
from consilience.evidence.release import seal_release
from consilience.evidence.statement import Circumstances
from consilience.exceptions import ConsilienceError
from consilience.messages import LabelCounts
from consilience.study.collection import add_public
from consilience.study.envelope import Envelope
from consilience.study.identity import Identity
from consilience.study.participant import Participant
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.study.succession import Heirs, state_succession
from consilience.study.together import replace_together
from consilience.study.toml import to_toml
from consilience.transports.bundle import manifest_of

__all__ = ["attempt"]

N_TRIES = 20_000
PARTY, NEEDED = "a/lab", 2
ROWS = ["a", "b", "c", "d"]
TERMS = {
    "name": "a study",
    "grid": {"rows": ROWS, "columns": ["lab"]},
    "approvals": NEEDED,
    "schema": {
        "lab": {
            "age": {"kind": "numeric", "bounds": [0, 120]},
            "weight": {"kind": "numeric", "bounds": [0, 300]},
        }
    },
}


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Change what others may have written, and see what is believed."""
    rng, n = np.random.default_rng(seed), max(1, round(share * N_TRIES))
    people = {name: Identity.new(name) for name in (ANALYST, *(f"{row}/lab" for row in ROWS))}
    checkers = {name: Identity.new(name) for name in ("novak", "smith", "lee")}
    keys = {name: one.public.model_dump() for name, one in people.items()}
    approvers = {name: one.public.model_dump() for name, one in checkers.items()}
    study = Study.from_terms({**TERMS, "keys": keys, "approvers": {PARTY: approvers}})
    envelope = _state(study, people[PARTY])
    yield Tried(
        "a statement changed in 1 to 4 places is believed", n, _forge(envelope, study, n, rng)
    )
    strangers = [Identity.new(f"x{k}") for k in range(3)]
    signers = [*checkers.values(), *strangers, people["b/lab"]]
    wrong = _approve(envelope, study, set(checkers), signers, n // 10, rng)
    yield Tried("approvals are counted wrong", n // 10, wrong)
    wrong = _succeed(study, people, strangers, n // 10, rng)
    yield Tried("a succession stands, or falls, against the rule", n // 10, wrong)
    yield Tried("a changed public file breaks anything but itself", n // 10, _send_in(n // 10, rng))


def _state(study: Study, identity: Identity) -> Envelope:
    with tempfile.TemporaryDirectory() as place, replace_together(Path(place)) as opened:
        folder = PrivateFolder(Path(place) / "private")
        folder.write_identity(identity)
        me = Participant(study, PARTY, folder)
        message = LabelCounts(
            study=study.digest, sender=PARTY, recipient=ANALYST, counts=np.array([3, 4])
        )
        manifest = manifest_of(message, study, "a test")
        known = Circumstances("contribution", {"classes": 2})
        return seal_release(opened, "x", me, message, manifest, known)


def _mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """Change, insert, remove or repeat a few bytes."""
    changed = bytearray(data)
    for _ in range(rng.integers(1, 5)):
        place, value = int(rng.integers(len(changed))), int(rng.integers(256))
        match rng.integers(4):
            case 0:
                changed[place] = value
            case 1:
                changed.insert(place, value)
            case 2:
                del changed[place]
            case _:
                changed[place:place] = changed[place : place + int(rng.integers(1, 40))]
    return bytes(changed)


def _forge(envelope: Envelope, study: Study, n: int, rng: np.random.Generator) -> int:
    """Count changed statements that are believed, and errors that are not our own."""
    text, failures = envelope.to_text().encode(), 0
    for _ in range(n):
        if rng.random() < 0.5:
            forged = _mutate(text, rng)
        else:
            payload = _mutate(envelope.payload, rng)
            forged = Envelope(payload, envelope.signatures).to_text().encode()
        try:
            checked = check_statement(Envelope.from_text(forged), study, "x")
            failures += checked.envelope.payload != envelope.payload
        except ConsilienceError:
            continue
        except Exception:
            failures += 1
    return failures


def _approve(
    envelope: Envelope,
    study: Study,
    approvers: set[str],
    signers: list[Identity],
    n: int,
    rng: np.random.Generator,
) -> int:
    failures = 0
    for _ in range(n):
        chosen = [one for one in signers if rng.random() < 0.4]
        signed = envelope
        for one in chosen:
            signed = signed.signed(one)
        by = {one.name for one in chosen} & approvers
        checked = check_statement(signed, study, "x")
        right = (set(checked.approved_by), checked.n_missing)
        failures += right != (by, max(0, NEEDED - len(by)))
    return failures


def _succeed(
    study: Study,
    people: dict[str, Identity],
    strangers: list[Identity],
    n: int,
    rng: np.random.Generator,
) -> int:
    failures = 0
    others = [one for name, one in people.items() if name != PARTY]
    for _ in range(n):
        old, new = people[PARTY], Identity.new(PARTY)
        by = old if rng.random() < 0.2 else None
        envelope = state_succession(study.digest, PARTY, old.public, new, [], by)
        vouchers = [one for one in others if rng.random() < 0.5]
        for one in (*vouchers, *(one for one in strangers if rng.random() < 0.5)):
            envelope = envelope.signed(one)
        due = by is not None or 2 * len(vouchers) > len(others)
        heirs = Heirs(study.digest, study.keys)
        try:
            heirs.take(envelope)
        except ConsilienceError:
            failures += due
        else:
            failures += not due
    return failures


def _send_in(n: int, rng: np.random.Generator) -> int:
    """Count changed public files that do else than be refused or give a study that loads."""
    text, failures = to_toml(TERMS), 0
    public = to_toml({"keys": {PARTY: Identity.new(PARTY).public.model_dump()}}).encode()
    for _ in range(n):
        sent = _mutate(public, rng).decode(errors="replace")
        try:
            study = Study.from_text(add_public(text, {"x": sent})[0])
            failures += not set(study.keys) <= {ANALYST, *study.grid.parties}
        except ConsilienceError:
            continue
        except Exception:
            failures += 1
    return failures
