r"""Linkage by a register: the analyst alone finds out whose row is whose, without any anchor.

A register holds the columns of people some of whom take part. Principal axes of what a party sent
and of the register are nearly the same up to signs, which skewness tells. From there rows and
people are matched to the nearest of the other, and the map :math:`z = x F + b` is learnt anew from
the closest pairs [Besl1992]_: it fits without any error as soon as enough pairs are right.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree
from scipy.stats import skew

from consilience.privacy.audits.regression import AffineMap, fit_affine

__all__ = ["RegisterLinks", "link_with_register"]

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

N_DOUBTED = 6
"""Axes of least skewness whose signs are tried both ways."""
N_REFINED = 8
"""Beginnings followed to their end: those with the closest pairs."""
CLOSEST = (0.5, 0.7, 0.9)
"""Shares of the pairs, the closest, from which the map is learnt in turn."""
MAX_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class RegisterLinks:
    """Who an attacker says each row belongs to.

    Parameters
    ----------
    people : ndarray of shape (n_rows,), int
        Place in the register.
    distance : ndarray of shape (n_rows,)
        Between what was sent and what the map says of that person, in standard deviations of what
        was sent: about 0 if the attack succeeded.
    """

    people: Places
    distance: Array

    def recognised(self, register: Array, rows: Array) -> float:
        """Return the share of rows linked to the person they belong to, or to one just like it.

        Parameters
        ----------
        register : ndarray of shape (n_people, n_features)
        rows : ndarray of shape (n_rows, n_features)
            The truth, which no attacker holds.
        """
        return float((register[self.people] == rows).all(axis=1).mean())


def link_with_register(representation: Array, register: Array) -> RegisterLinks:
    """Link rows to people by the shape of the two clouds alone.

    Parameters
    ----------
    representation : ndarray of shape (n_rows, n_components)
        What a party sent.
    register : ndarray of shape (n_people, n_features)
        All columns of people, among whom those who take part, in the units of the study: scaled by
        its public bounds if it scales by them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> register = rng.exponential(size=(300, 4)) * [4.0, 3.0, 2.0, 1.0]
    >>> X = register[150:]
    >>> axes = np.linalg.svd(X - X.mean(axis=0))[2][:2].T
    >>> links = link_with_register((X - X.mean(axis=0)) @ axes, register)
    >>> links.recognised(register, X)
    1.0
    """
    scale = float(representation.std(axis=0).mean()) or 1.0
    Z = representation / scale
    register = register / scale
    begun = sorted(_beginnings(Z, register), key=lambda f: _closeness(Z, register, f))
    ends = [_refine(Z, register, f) for f in begun[:N_REFINED]]
    return min(ends, key=_badness)


def _beginnings(Z: Array, register: Array) -> list[AffineMap]:
    """Return maps that lead the principal axes of the register to those of what was sent."""
    k = min(Z.shape[1], register.shape[1])
    own, theirs = _axes(Z)[:, :k], _axes(register)[:, :k]
    ours = skew((Z - Z.mean(axis=0)) @ own, axis=0)
    others = skew((register - register.mean(axis=0)) @ theirs, axis=0)
    told = np.where(ours * others < 0, -1.0, 1.0)
    doubted = np.argsort(np.minimum(np.abs(ours), np.abs(others)))[:N_DOUBTED]
    found = []
    for flips in product((1.0, -1.0), repeat=len(doubted)):
        signs = told.copy()
        signs[doubted] *= flips
        linear = (theirs * signs) @ own.T
        found.append(AffineMap(linear, Z.mean(axis=0) - register.mean(axis=0) @ linear))
    return found


def _axes(X: Array) -> Array:
    return np.asarray(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2].T)


def _closeness(Z: Array, register: Array, f: AffineMap) -> float:
    """Return the mean distance of the closer half: people who do not take part do not count."""
    distance = _match(Z, register, f).distance
    return float(np.sort(distance)[: max(1, len(Z) // 2)].mean())


def _refine(Z: Array, register: Array, f: AffineMap) -> RegisterLinks:
    """Match and learn in turn until the matches stay as they are, from ever more pairs."""
    best = now = _match(Z, register, f)
    for share in CLOSEST:
        for _ in range(MAX_ROUNDS):
            f = _learn(Z, register, now, f, share)
            before, now = now, _match(Z, register, f)
            best = min(best, now, key=_badness)
            if (now.people == before.people).all():
                break
    return best


def _match(Z: Array, register: Array, f: AffineMap) -> RegisterLinks:
    distance, people = KDTree(f.apply(register)).query(Z)
    return RegisterLinks(np.asarray(people, dtype=np.intp), np.asarray(distance))


def _badness(links: RegisterLinks) -> float:
    return float(links.distance.mean())


def _learn(
    Z: Array, register: Array, links: RegisterLinks, f: AffineMap, share: float
) -> AffineMap:
    """Learn the map from the closest pairs: all of it if they suffice, else how it turns."""
    pairs = np.argsort(links.distance, kind="stable")[: max(2, int(share * len(Z)))]
    rows, sent = register[links.people[pairs]], Z[pairs]
    if len(pairs) > 2 * register.shape[1]:
        return fit_affine(rows, sent)
    mapped = f.apply(rows)
    left, _, right = np.linalg.svd((mapped - mapped.mean(axis=0)).T @ (sent - sent.mean(axis=0)))
    linear = f.linear @ left @ right
    return AffineMap(linear, sent.mean(axis=0) - rows.mean(axis=0) @ linear)
