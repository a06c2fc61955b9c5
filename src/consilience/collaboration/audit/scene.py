"""The scene of an audit: what everybody would hold if this party contributed now.

A party knows only its own rows. To see itself through others' eyes it plays them: part of its rows
is the victim's, part stands for a colluding party with rows alike, and the reductions of further
institutions are fitted on resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from consilience.collaboration.alignment import Target
from consilience.collaboration.anchors.keyed import default_n_anchor, draw_anchor
from consilience.collaboration.reduction import Reduction, Scaling, fit_reduction
from consilience.collaboration.rounding import RoundedReduction, Rounding, steps_for, steps_of
from consilience.privacy.audits.columns import CountedColumns
from consilience.privacy.audits.regression import AffineMap
from consilience.privacy.audits.scores import Scores, score
from consilience.privacy.audits.unmixing import unmix
from consilience.study.keys import KEY_BYTES

__all__ = [
    "FIT_ROWS",
    "MAX_ANCHOR",
    "MAX_ROWS",
    "Rebuilt",
    "Scene",
    "Setting",
    "TooFewError",
    "set_scene",
    "stage",
]

Array = npt.NDArray[np.float64]
Bounds = tuple[Array, Array]

MAX_ROWS = 2_000
"""Rows under attack in one repeat; a larger table is sampled."""
FIT_ROWS = 20_000
"""Rows a reduction is fitted on in an audit, at most."""
MAX_ANCHOR = 5_000
"""Anchor rows an attack uses, at most: more teach it nothing."""


class TooFewError(Exception):
    """An attack lacks what it needs; the text says what."""


class Rebuilt(NamedTuple):
    """What an attack got.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        The rows under attack.
    guess : ndarray of shape (n_rows, n_features)
        As close to them as the attacker can come.
    likeliest : ndarray of shape (n_rows, n_features), optional
        What they most likely are exactly; by default the guess.
    others : ndarray of shape (n_others, n_features), optional
        Rows that were not attacked, but that a guess may be taken for.
    """

    rows: Array
    guess: Array
    likeliest: Array | None = None
    others: Array | None = None

    def score(self, columns: CountedColumns) -> Scores:
        """Compare with the rows."""
        return score(self.rows, self.guess, columns, self.likeliest, self.others)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The terms of a study on which an audit depends.

    Parameters
    ----------
    reducer, n_components, scaling, rotate
        The private reduction, see :func:`~consilience.collaboration.reduction.fit_reduction`.
    rounding : float or "auto", optional
        Share of their spread to which coordinates are rounded, see
        :mod:`~consilience.collaboration.rounding`.
    anchor : str
    n_anchor : int, optional
        See :func:`~consilience.collaboration.anchors.keyed.draw_anchor`.
    target : {"population", "scaled", "orthonormal"}
        The alignment.
    answer : {"labels", "representation"}
        What the analyst sends back.
    n_institutions : int
        Row institutions of the study.
    anchor_scope : {"column", "all"}
        Who holds the anchor of these columns: the parties that share them, or every party.
    shuffled : bool
        Whether the order of the rows sent says nothing about the order of the table.
    noise : callable, optional
        Applied to the rows before the reduction is fitted, such as
        ``LaplaceNoise(lower, upper, epsilon).apply``.
    ranges : pair of ndarray of shape (n_features,), optional
        Where columns usually lie, by which they are scaled and between which the anchor is drawn;
        the public bounds if nothing is said.
    groups : tuple of tuple of int
        Places of the columns that are the categories of one variable, from the public schema.
    """

    reducer: Any = "pca"
    n_components: int | None = None
    scaling: Scaling = "none"
    rotate: bool = False
    rounding: Rounding | None = None
    anchor: str = "gaussian"
    n_anchor: int | None = None
    target: Target = "scaled"
    answer: Literal["labels", "representation"] = "labels"
    n_institutions: int = 3
    anchor_scope: Literal["column", "all"] = "column"
    shuffled: bool = True
    noise: Callable[[Array], Array] | None = None
    ranges: Bounds | None = None
    groups: tuple[tuple[int, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        reducer = self.reducer if isinstance(self.reducer, str) else repr(self.reducer)
        plain = {**vars(self), "reducer": reducer, "noise": self.noise is not None}
        del plain["ranges"]
        return plain

    def add_noise(self, X: Array) -> Array:
        """Return rows as they are before anything is fitted to them or sent of them."""
        return X if self.noise is None else self.noise(X)

    def fit_reduction(
        self, X: Array, bounds: Bounds, rng: np.random.Generator, y: npt.NDArray[Any] | None = None
    ) -> Reduction:
        """Fit the reduction of one institution to rows that have their noise."""
        return fit_reduction(
            X,
            self.reducer,
            self.n_components,
            scaling=self.scaling,
            bounds=self.ranges or bounds,
            rotate=self.rotate,
            y=y,
            rng=rng,
        )

    def round_map(self, f: Reduction, sample: Array, anchor: Array) -> Reduction:
        """Return the map by which an institution sends, that was fitted on a sample of its rows."""
        if self.rounding is None:
            return f
        steps = steps_for(sample, f, f.transform(anchor), self.rounding, self.groups)
        return RoundedReduction(f, steps)

    def draw_anchor(self, bounds: Bounds, rng: np.random.Generator) -> Array:
        """Draw an anchor, of no more rows than an attack uses."""
        n_anchor = min(self.n_anchor or default_n_anchor(len(bounds[0])), MAX_ANCHOR)
        return draw_anchor(self.anchor, rng.bytes(KEY_BYTES), *(self.ranges or bounds), n_anchor)


@dataclass(frozen=True, eq=False)
class Scene:
    """One repeat of an audit.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
        The victim's rows under attack.
    representation : ndarray of shape (n_rows, n_components)
        What the victim sends of them.
    like : ndarray of shape (n_like, n_features)
        Other rows, as a colluding party might hold them.
    anchor : ndarray of shape (n_anchor, n_features)
    anchor_kind : str
        How it is drawn, a public term.
    anchor_representations : list of ndarray of shape (n_anchor, n_components)
        What each row institution sends of the anchor, the victim first.
    lower, upper : ndarray of shape (n_features,)
        Public bounds.
    ranges : pair of ndarray of shape (n_features,)
        Between which the anchor is drawn.
    noise : ndarray of shape (n_features, n_features), or None
        Covariance of the noise on a row, which anybody can learn by adding it to rows of their own.
    rng : numpy.random.Generator
    groups : tuple of tuple of int
        As in :class:`Setting`.
    steps : ndarray of shape (n_components,)
        What the victim rounds coordinates to, which the analyst is told; 0 if it does not.
    others : list of ndarray of shape (n_rows_i, n_components)
        What the other row institutions send of their rows.
    """

    rows: Array
    representation: Array
    like: Array
    anchor: Array
    anchor_kind: str
    anchor_representations: list[Array]
    lower: Array
    upper: Array
    ranges: Bounds
    noise: Array | None
    rng: np.random.Generator
    steps: Array
    groups: tuple[tuple[int, ...], ...] = ()
    others: list[Array] = field(default_factory=list)

    @cached_property
    def components(self) -> AffineMap:
        """What an analyst alone finds in the anchor representations, once for all attacks."""
        return unmix(self.anchor_representations, self.rows.shape[1], seed=0)

    def another_anchor(self) -> Array:
        """Draw an anchor from another key: all that an attacker without this one can have."""
        key = self.rng.bytes(KEY_BYTES)
        return draw_anchor(self.anchor_kind, key, *self.ranges, len(self.anchor))


def set_scene(
    X: Array,
    bounds: Bounds,
    setting: Setting,
    rng: np.random.Generator,
    y: npt.NDArray[Any] | None = None,
    max_rows: int = MAX_ROWS,
    maps: Sequence[Reduction] = (),
) -> Scene:
    """Play one study in which this party is the victim.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    bounds : pair of ndarray of shape (n_features,)
        Public bounds.
    setting : Setting
    rng : numpy.random.Generator
    y : ndarray of shape (n_rows,), optional
        Labels, for a supervised reducer.
    max_rows : int
    maps : sequence of Reduction
        By which rows of this party left before, and the one they are about to leave by. The
        attackers hold all of it side by side. Without any, one is fitted anew.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(60, 4))
    >>> scene = set_scene(X, (np.zeros(4), np.ones(4)), Setting(), rng)
    >>> scene.rows.shape, scene.representation.shape, scene.like.shape
    ((30, 4), (30, 3), (30, 4))
    """
    order = rng.permutation(len(X))
    half = len(X) // 2
    used = order[:FIT_ROWS]
    samples = [used] + [rng.choice(used, size=len(used)) for _ in range(setting.n_institutions - 1)]
    return stage(
        X[order[: min(half, max_rows)]],
        X[order[half : half + FIT_ROWS]],
        [(X[rows], None if y is None else y[rows]) for rows in samples],
        bounds,
        setting,
        rng,
        maps,
    )


def stage(
    rows: Array,
    like: Array,
    samples: Sequence[tuple[Array, npt.NDArray[Any] | None]],
    bounds: Bounds,
    setting: Setting,
    rng: np.random.Generator,
    maps: Sequence[Reduction] = (),
) -> Scene:
    """Play one study with given rows.

    Parameters
    ----------
    rows, like
        As in :class:`Scene`.
    samples : sequence of (ndarray of shape (n_rows_i, n_features), labels or None)
        Rows each institution fits its reduction on, the victim first.
    bounds, setting, rng, maps
        As in :func:`set_scene`.
    """
    fitted = []
    for sample, labels in samples[1 if maps else 0 :]:
        noisy = setting.add_noise(sample)
        fitted.append((setting.fit_reduction(noisy, bounds, rng, labels), noisy))
    anchor = setting.draw_anchor(bounds, rng)
    rounded = [setting.round_map(f, noisy, anchor) for f, noisy in fitted]
    own, others = (maps, rounded) if maps else (rounded[:1], rounded[1:])
    noise = None
    if setting.noise is not None:
        noise = np.atleast_2d(np.cov((setting.noise(like) - like).T))
    return Scene(
        rows=rows,
        # Noise is drawn anew for each contribution.
        representation=np.hstack([f.transform(setting.add_noise(rows)) for f in own]),
        like=like,
        anchor=anchor,
        anchor_kind=setting.anchor,
        anchor_representations=[
            np.hstack([f.transform(anchor) for f in own]),
            *(f.transform(anchor) for f in others),
        ],
        lower=bounds[0],
        upper=bounds[1],
        ranges=setting.ranges or bounds,
        noise=noise,
        rng=rng,
        groups=setting.groups,
        steps=np.concatenate([steps_of(f, f.transform(anchor[:1]).shape[1]) for f in own]),
        others=[
            f.transform(setting.add_noise(sample[:MAX_ROWS]))
            for f, (sample, _) in zip(others, samples[1:], strict=True)
        ],
    )
