"""What each defence buys, and what the defaults of a new study cost."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.decomposition import KernelPCA

from consilience import CollaborationClustering
from consilience.bench.attack_studies import Study
from consilience.bench.tables import Trials
from consilience.collaboration.attacks import attacks_on
from consilience.collaboration.reduction import default_n_components
from consilience.collaboration.rehearsal import rehearse
from consilience.collaboration.scene import Terms, stage
from consilience.datasets import load, split_columns, split_rows
from consilience.metrics import agreement
from consilience.privacy.audits import count_columns, score

__all__ = ["DEFAULT_SETS", "measure_defaults", "measure_defences"]

Array = npt.NDArray[np.float64]

DEFAULT_SETS = (
    "iris",
    "wine",
    "breast cancer",
    "digits",
    "heart-statlog",
    "rice",
    "banknote",
    "phoneme",
    "pendigits",
    "dry bean",
)
"""Sets on which the defaults are compared with paper mode."""
CURVED_ROWS = 2_000
EPSILONS = (10.0, 100.0, 1_000.0)


def defences(study: Study, seed: int) -> dict[str, Terms]:
    """List the defences, each one step away from paper mode or from half of the dimensions."""
    m = study.X.shape[1]
    rng = np.random.default_rng(seed)
    spread = 0.3 * study.X.std(axis=0)
    paper, half = Terms(n_components=m - 1), Terms(n_components=_half(m))
    found = {
        "paper mode": replace(paper, anchor="uniform", n_anchor=min(len(study.X), 5_000)),
        "gaussian anchor": paper,
        "3/4 of the dimensions": Terms(n_components=max(1, (3 * m) // 4)),
        "1/2 of the dimensions": half,
        "1/4 of the dimensions": Terms(n_components=max(1, m // 4)),
        "1/2, rotated": replace(half, rotate=True),
        "1/2, random projection": replace(half, reducer="random"),
        "1/2, LDA (supervised)": replace(half, reducer="lda"),
        "1/2, kernel PCA": replace(
            half, reducer=KernelPCA(half.n_components, kernel="rbf", gamma=_width(study.X))
        ),
        "m-1, noise of 0.3 sd": replace(
            paper, noise=lambda rows: rows + spread * rng.normal(size=rows.shape)
        ),
    }
    for epsilon in EPSILONS:
        found[f"1/2, epsilon {epsilon:g} per row"] = replace(
            half, noise=partial(_laplace, study.bounds, epsilon, rng)
        )
    return found


def _laplace(
    bounds: tuple[Array, Array], epsilon: float, rng: np.random.Generator, rows: Array
) -> Array:
    """Add the noise that makes each row epsilon-differentially private before it is reduced.

    Rows within the bounds, scaled to the unit cube, differ by at most m in the L1 norm: Laplace
    noise of scale m / epsilon on every value. Drawn here from a seed, to be repeatable; noise that
    is to protect anybody comes from the operating system and a vetted library.
    """
    width = bounds[1] - bounds[0]
    scale = rows.shape[1] / epsilon
    return np.asarray(rows + width * rng.laplace(scale=scale, size=rows.shape))


def measure_defences(measured: Trials, study: Study, seed: int) -> None:
    """Attack each defence by the strongest coalition, and rehearse what it costs."""
    for name, terms in defences(study, seed).items():
        curved = not isinstance(terms.reducer, str)
        if curved and len(study.X) > 3 * CURVED_ROWS:
            continue
        scene = study.scene(terms, seed)
        runs = [
            score(*attack.rebuild(scene, True), study.columns)
            for attack in attacks_on(terms, study.X.shape[1], quick=True)
        ]
        # Whatever else fails, the mean of rows alike remains a guess.
        mean = np.repeat(scene.like.mean(axis=0)[None], len(scene.rows), axis=0)
        runs.append(score(scene.rows, mean, study.columns))
        cell = ("Defences", study.name, name, "best collusion")
        measured.add((*cell, "median R2"), max(s.median_r2 for s in runs))
        measured.add((*cell, "top-1"), max(s.top1 for s in runs))
        rng = np.random.default_rng(seed)
        value = rehearse(study.X, study.bounds, terms, study.n_clusters, rng, study.y)
        measured.add((*cell[:3], "collaboration", "ARI with pooled"), value)


def measure_defaults(measured: Trials, data: Path | None, seed: int) -> None:
    """Compare a new study's defaults with paper mode: 5 x 2 institutions, k-means.

    Each in the units of the table and scaled by the bounds; pooled k-means has the same units.
    """
    for name in DEFAULT_SETS:
        table, k = _table(name, data)
        n, m = table.shape
        parties = split_rows(n, 5, random_state=seed)
        columns = split_columns(m, 2, random_state=seed)
        width = np.ptp(table, axis=0)
        scaled = (table - table.min(axis=0)) / np.where(width > 0, width, 1.0)
        for units, X in (("", table), (", scaled by bounds", scaled)):
            pooled = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
            for setting, choose, terms in (
                ("paper mode", default_n_components, Terms(anchor="uniform", n_anchor=n)),
                ("default", _half, Terms(rotate=True)),
            ):
                counts = [choose(len(c)) for c in columns]
                model = CollaborationClustering(
                    k,
                    columns=columns,
                    n_components=counts,
                    anchor=terms.anchor,
                    n_anchor=terms.n_anchor,
                    rotate=terms.rotate,
                    random_state=seed,
                )
                labels = model.fit(X, parties=parties).labels_
                cell = ("Defaults", name, setting + units)
                measured.add((*cell, "collaboration", "ARI with pooled"), agreement(labels, pooled))
                terms = replace(terms, n_components=counts[0])
                part = X[:, columns[0]]
                _attack_party(measured, (*cell, "best collusion"), part, parties, terms, seed)


def _attack_party(
    measured: Trials,
    cell: tuple[str, str, str, str],
    X: Array,
    parties: npt.NDArray[np.int64],
    terms: Terms,
    seed: int,
) -> None:
    """Attack the first institution's part of the first column group."""
    rows = [np.flatnonzero(parties == i) for i in range(5)]
    scene = stage(
        X[rows[0]],
        X[rows[1]],
        [(X[r], None) for r in rows],
        (X.min(axis=0), X.max(axis=0)),
        terms,
        np.random.default_rng(seed),
    )
    columns = count_columns(X)
    runs = [
        score(*attack.rebuild(scene, True), columns)
        for attack in attacks_on(terms, X.shape[1], quick=True)
    ]
    measured.add((*cell, "median R2"), max(s.median_r2 for s in runs))
    measured.add((*cell, "top-1"), max(s.top1 for s in runs))


def _table(name: str, data: Path | None) -> tuple[Array, int]:
    shipped = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
    if name in shipped:
        source = shipped[name]()
        return source.data, len(source.target_names)
    slugs = {"phoneme": "phoneme_elena", "dry bean": "dry_bean"}
    dataset = load(slugs.get(name, name), data=data)
    return dataset.X, len(dataset.class_names)


def _half(n_features: int) -> int:
    """Return half of the columns, rounded up, as a study without ``n_components`` does."""
    return (n_features + 1) // 2


def _width(X: Array) -> float:
    """Return the inverse of the total variance: a radial kernel about as wide as the table."""
    return float(1.0 / X.var(axis=0).sum())
