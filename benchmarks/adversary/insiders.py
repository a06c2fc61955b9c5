"""Insiders: parties of a study that send something else than their rows and the anchor.

A study drawn at random is solved with honest parties, and again with one of them dishonest: it
changes what it is about to send in one of the ways below. Either the analyst refuses it by name, or
the labels of all others stay what they are without that party, to a Rand index of .95 at least. An
honest party must never be refused, and must not change what others get either: the groups of a
study are drawn far apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from benchmarks.adversary.tried import Tried, share_of
from consilience.collaboration.roles import analyst_of, party_of
from consilience.exceptions import MessageError
from consilience.messages import Contribution
from consilience.study.study import Study

__all__ = ["INSIDERS", "attempt", "harmed_by", "make_scene"]

Array = npt.NDArray[np.float64]
Insider = Callable[[Contribution, Contribution, np.random.Generator], Contribution]

TRIES = 30
HARMLESS = 0.95
TRIM = 0.1


@dataclass(frozen=True)
class Scene:
    """A study, what its parties send, and which of them is dishonest."""

    study: Study
    sent: list[Contribution]
    insider: str


def make_scene(seed: int) -> Scene:
    """Draw a study: institutions, columns, terms, and rows in groups that lie far apart."""
    rng = np.random.default_rng(seed)
    rows = [f"h{i}" for i in range(rng.integers(3, 7))]
    m, n_groups = int(rng.integers(4, 13)), int(rng.integers(2, 5))
    width = 10.0 ** rng.integers(-2, 3, size=m) if rng.integers(2) else np.ones(m)
    scaling = str(rng.choice(["bounds", "spread"]))
    spread = {"spread": 0.25} if scaling == "spread" else {}
    columns = {
        f"x{j}": {
            "kind": "numeric",
            "bounds": [0.0, float(width[j])],
            **{name: share * float(width[j]) for name, share in spread.items()},
        }
        for j in range(m)
    }
    study = Study.from_terms(
        {
            "name": "insiders",
            "kind": "clusters",
            "grid": {"rows": rows, "columns": ["all"], "missing_party": "refuse"},
            "schema": {"all": columns},
            "reduction": {
                "scaling": scaling,
                "rotate": bool(rng.integers(2)),
                "rounding": float(rng.choice([2**-8, 2**-6, 2**-4])),
                "n_components": {"all": int(rng.integers((m + 1) // 2, m))},
            },
            "anchor": {"kind": str(rng.choice(["gaussian", "uniform", "rotated"]))},
            "alignment": {"target": str(rng.choice(["population", "scaled"]))},
            "clustering": {"n_clusters": n_groups, "trim": TRIM},
        }
    )
    sent: list[Contribution] = []
    key, centers = rng.bytes(32), _centers(n_groups, m, rng)
    for row in rows:
        y = rng.permutation(np.arange(int(rng.integers(60, 200))) % n_groups)
        X = np.clip(centers[y] + rng.normal(scale=0.04, size=(len(y), m)), 0, 1) * width
        party = party_of(study, f"{row}/all", key, rng=np.random.default_rng(rng.integers(2**31)))
        (message,) = party.begin(X)
        assert isinstance(message, Contribution)
        sent.append(message)
    return Scene(study, sent, str(rng.choice([message.sender for message in sent])))


def _centers(n_groups: int, m: int, rng: np.random.Generator) -> Array:
    """Draw middles of groups until each is far from all others."""
    while True:
        centers = rng.uniform(0.15, 0.85, size=(n_groups, m))
        apart = np.linalg.norm(centers[:, None] - centers[None], axis=2)
        if apart[~np.eye(n_groups, dtype=bool)].min() > 0.3 * np.sqrt(m) / 1.5:
            return centers


def _as_is(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    return own


def _scaled(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    """Use other units for anchor and rows: they agree with each other, not with the study."""
    assert own.steps is not None
    return replace(own, steps=own.steps * 10.0 ** rng.uniform(-2, 3))


def _rows_scaled(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    rows = np.rint(own.representation * 10.0 ** rng.uniform(0.5, 3)).astype(np.int32)
    return replace(own, representation=rows)


def _few_far(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    """Put one to three rows as far away as numbers go, or just within what is believed."""
    rows = own.representation.astype(np.int32)
    chosen = rng.choice(len(rows), int(rng.integers(1, 4)), replace=False)
    rows[chosen] = np.clip(rows[chosen] * 10.0 ** rng.uniform(0.2, 5), -(2**30), 2**30)
    return replace(own, representation=rows)


def _overflow(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    assert own.steps is not None
    return replace(own, steps=np.full_like(own.steps, 2.0 ** rng.integers(180, 200)))


def _constant(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    anchor = own.anchor.copy()
    anchor[:, rng.integers(anchor.shape[1]) :] = anchor[0, -1]
    return replace(own, anchor=anchor)


def _copied(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    """Send the anchor of another party, as if its reduction were this one's."""
    assert own.steps is not None
    return replace(own, anchor=np.rint(other.anchor_rows / own.steps).astype(np.int32))


def _rotated(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    """Turn rows against the anchor."""
    return _with_rows(own, own.rows @ _rotation(own.rows.shape[1], rng))


def _noise(own: Contribution, other: Contribution, rng: np.random.Generator) -> Contribution:
    """Send an anchor that nobody drew, as wide as it should be."""
    assert own.steps is not None
    anchor = rng.normal(own.anchor_rows.mean(axis=0), own.anchor_rows.std(axis=0), own.anchor.shape)
    return replace(own, anchor=np.rint(anchor / own.steps).astype(np.int32))


def _with_rows(own: Contribution, rows: Array) -> Contribution:
    assert own.steps is not None
    return replace(own, representation=np.rint(rows / own.steps).astype(np.int32))


def _rotation(k: int, rng: np.random.Generator) -> Any:
    return np.linalg.qr(rng.normal(size=(k, k)))[0]


INSIDERS: dict[str, Insider] = {
    "an honest party is refused, or changes others' labels": _as_is,
    "anchor and rows in other units": _scaled,
    "rows in other units than the anchor": _rows_scaled,
    "one to three rows far away": _few_far,
    "numbers that overflow": _overflow,
    "an anchor that is constant along some directions": _constant,
    "the anchor of another party": _copied,
    "rows turned against the anchor": _rotated,
    "an anchor that nobody drew": _noise,
}


def harmed_by(insider: Insider, seed: int) -> bool:
    """Return whether an insider is neither named nor harmless; an honest one must be both."""
    scene = make_scene(seed)
    rng = np.random.default_rng([seed, 1])
    own = next(m for m in scene.sent if m.sender == scene.insider)
    other = next(m for m in scene.sent if m.sender != scene.insider)
    changed = insider(own, other, rng)
    others = [m for m in scene.sent if m is not own]
    expected = _labels(scene.study, others)
    try:
        found = _labels(scene.study, [*others, changed])
    except MessageError as error:
        return insider is _as_is or not str(error).startswith(scene.insider)
    scores = [adjusted_rand_score(expected[m.sender], found[m.sender]) for m in others]
    return bool(min(scores) < HARMLESS)


def _labels(study: Study, sent: list[Contribution]) -> dict[str, Any]:
    analyst, answers = analyst_of(study), []
    for message in sent:
        answers = analyst.receive(message)
    return {a.recipient: a.labels for a in answers or analyst.solve()}  # type: ignore[attr-defined]


def attempt(share: float, seed: int) -> Iterator[Tried]:
    """Try every kind of insider in studies drawn at random."""
    tries = share_of(TRIES, share)
    for what, insider in INSIDERS.items():
        failures = sum(harmed_by(insider, seed + k) for k in range(tries))
        yield Tried(what, tries, failures)
