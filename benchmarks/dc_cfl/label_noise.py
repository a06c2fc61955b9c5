"""Groups of institutions by noisy label counts, by epsilon and size of the institutions.

    python -m benchmarks.dc_cfl.label_noise TRIALS

Forty institutions of four kinds; a kind is a label mix of seven classes (Dirichlet, alpha .5), and
an institution draws its rows from the mix of its kind. Writes CSV to stdout: the adjusted Rand
index between the groups that noisy counts give and the kinds, mean over the trials, for a threshold
of .3 and for the largest gap. Without epsilon the counts are exact. Mixes are seeded by the trial;
the noise is OpenDP's and is not.
"""

from __future__ import annotations

import sys
from typing import Literal

import numpy as np
from sklearn.metrics import adjusted_rand_score

from consilience.collaboration.learning.grouping import (
    choose_threshold,
    group_parties,
    label_distributions,
    merge_tree,
)
from consilience.collaboration.learning.targets import settle_counts
from consilience.privacy.noise import CountNoise

SIZES = (50, 200, 1000, 5000)
EPSILONS = (None, 3.0, 1.0, 0.3, 0.1, 0.03)
RULES: tuple[float | Literal["gap"], ...] = (0.3, "gap")
KINDS, EACH, CLASSES = 4, 10, 7


def measure(n_rows: int, epsilon: float | None, rule: float | Literal["gap"], seed: int) -> float:
    """Return how well the groups of one draw are the kinds."""
    rng = np.random.default_rng([seed, n_rows])
    mixes = rng.dirichlet(np.full(CLASSES, 0.5), size=KINDS)
    kinds = np.repeat(np.arange(KINDS), EACH)
    counts = np.array([rng.multinomial(n_rows, mixes[kind]) for kind in kinds])
    if epsilon is not None:
        noise = CountNoise(epsilon)
        counts = np.array([settle_counts(noise.apply(row)) for row in counts])
    tree = merge_tree(label_distributions(counts))
    groups = group_parties(tree, choose_threshold(rule, tree))
    return float(adjusted_rand_score(kinds, groups))


def main(trials: int) -> None:
    """Measure and print."""
    print("rows,epsilon,threshold,trials,ARI with kinds")
    for n_rows in SIZES:
        for epsilon in EPSILONS:
            for rule in RULES:
                found = [measure(n_rows, epsilon, rule, seed) for seed in range(trials)]
                print(f"{n_rows},{epsilon or ''},{rule},{trials},{np.mean(found):.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
