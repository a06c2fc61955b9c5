"""What each defence buys, attacked by the strongest coalition, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.decomposition import KernelPCA

from benchmarks.attacks.studies import Study
from benchmarks.problems import Cells
from consilience.collaboration.audit.attacks import attacks_on
from consilience.collaboration.audit.rehearsal import rehearse
from consilience.collaboration.audit.scene import Scene, Setting
from consilience.privacy.audits.columns import CountedColumns
from consilience.privacy.audits.scores import score

CURVED_ROWS = 2_000
NOISY_ROWS = 2_000
"""Rows of an institution that get noise: a vetted library takes its time for each value."""
EPSILONS = (10.0, 100.0, 1_000.0)


def defences(study: Study, seed: int) -> dict[str, Setting]:
    """List the defences, each one step away from paper mode or from half of the dimensions."""
    m = study.X.shape[1]
    rng = np.random.default_rng(seed)
    spread = 0.3 * study.X.std(axis=0)
    # A radial kernel about as wide as the table.
    width = float(1.0 / study.X.var(axis=0).sum())
    paper, half = Setting(n_components=m - 1), Setting(n_components=half_of(m))
    found = {
        "paper mode": replace(paper, anchor="uniform", n_anchor=min(len(study.X), 5_000)),
        "gaussian anchor": paper,
        "3/4 of the dimensions": Setting(n_components=max(1, (3 * m) // 4)),
        "1/2 of the dimensions": half,
        "1/4 of the dimensions": Setting(n_components=max(1, m // 4)),
        "1/2, rotated": replace(half, rotate=True),
        "1/2, random projection": replace(half, reducer="random"),
        "1/2, LDA (supervised)": replace(half, reducer="lda"),
        "1/2, kernel PCA": replace(
            half, reducer=KernelPCA(half.n_components, kernel="rbf", gamma=width)
        ),
        "m-1, noise of 0.3 sd": replace(
            paper, noise=lambda rows: rows + spread * rng.normal(size=rows.shape)
        ),
    }
    for epsilon in EPSILONS:
        found[f"1/2, epsilon {epsilon:g} per row"] = replace(half, noise=study.noise(epsilon).apply)
    return found


def measure_defences(study: Study, seed: int) -> Cells:
    """Attack each defence by the strongest coalition, and rehearse what it costs."""
    for name, terms in defences(study, seed).items():
        curved = not isinstance(terms.reducer, str)
        if curved and len(study.X) > 3 * CURVED_ROWS:
            continue
        scene = study.scene(terms, seed, max_fit=NOISY_ROWS if "epsilon" in name else None)
        cell = ("Defences", study.name, name)
        yield from best_collusion(cell, scene, terms, study.columns)
        rng = np.random.default_rng(seed)
        value = rehearse(study.X, study.bounds, terms, study.n_clusters, rng, study.y)
        yield (*cell, "collaboration", "ARI with pooled"), value


def best_collusion(
    cell: tuple[str, ...], scene: Scene, terms: Setting, columns: CountedColumns
) -> Cells:
    """Run the collusions these terms are open to, and keep the best of each score."""
    runs = [
        attack.rebuild(scene, True).score(columns)
        for attack in attacks_on(terms, scene.rows.shape[1], quick=True)
    ]
    # Whatever else fails, the mean of rows alike remains a guess.
    mean = np.repeat(scene.like.mean(axis=0)[None], len(scene.rows), axis=0)
    runs.append(score(scene.rows, mean, columns))
    yield (*cell, "best collusion", "median R2"), max(s.median_r2 for s in runs)
    yield (*cell, "best collusion", "top-1"), max(s.top1 for s in runs)


def half_of(n_features: int) -> int:
    """Return half of the columns, rounded up, as a study without ``n_components`` does."""
    return (n_features + 1) // 2
