"""How often the number of clusters that a study of summaries chooses is the true one.

    python -m benchmarks.how_many_centers > benchmarks/results/how-many-centers.csv

Made-up rows of 1 to 7 round clusters of unequal sizes at five institutions, summarised at epsilon 1
and delta 1e-6. Rows of seeds below 100 served to choose the rule, those from 100 on were held out.
Beside it stands the rule there was before: the best mean silhouette of the weighted centres, from 2
clusters on. *Off* is how far a choice lies from the true number, on average.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances

from consilience.messages import Summary
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.summaries.how_many import MAX_AUTO, choose_number
from consilience.summaries.party import Party
from consilience.summaries.units import Units

__all__ = ["SCENES", "draw", "silhouette", "summarise"]

Array = npt.NDArray[np.float64]
Senders = npt.NDArray[np.intp]

SCENES = ((900, 6, 3.0), (3_000, 3, 4.0), (3_000, 6, 3.0), (3_000, 12, 2.5), (20_000, 6, 3.0))
"""Rows, columns, and how far the centres of clusters spread in units of a cluster."""
HALVES = {"chosen on": range(3), "held out": range(100, 103)}
N_INSTITUTIONS, MOST = 5, 7


def draw(n_rows: int, n_columns: int, apart: float, k: int, seed: int) -> Array:
    """Draw rows of k round clusters."""
    rng = np.random.default_rng([seed, k])
    centers = apart * rng.normal(size=(k, n_columns))
    sizes = rng.dirichlet(np.full(k, 6.0))
    return np.asarray(
        centers[rng.choice(k, n_rows, p=sizes)] + rng.normal(size=(n_rows, n_columns))
    )


def summarise(X: Array, seed: int) -> tuple[Array, Array, Senders]:
    """Return what five institutions send of rows dealt to them at random."""
    spread = X.std(axis=0)
    units = Units(np.floor(X.min(axis=0)), np.ceil(X.max(axis=0)), spread)
    dealt = np.random.default_rng(seed).integers(N_INSTITUTIONS, size=len(X))
    sent = []
    for i in range(N_INSTITUTIONS):
        noise = ConcentratedNoise(1.0, 1e-6, 1_000 * seed + i)
        (message,) = Party(str(i), units, noise=noise).begin(X[dealt == i])
        assert isinstance(message, Summary)
        sent.append(message)
    Z = units.scale(np.vstack([one.centers for one in sent]))
    weights = np.concatenate([one.weights for one in sent])
    senders = np.repeat(np.arange(N_INSTITUTIONS), [len(one.weights) for one in sent])
    return Z[weights > 0], weights[weights > 0], senders[weights > 0]


def silhouette(Z: Array, weights: Array) -> int:
    """Choose the number whose weighted mean silhouette is largest, as was done before."""
    distances, scores = pairwise_distances(Z), {}
    for k in range(2, min(MAX_AUTO, len(Z) - 1) + 1):
        labels = KMeans(k, n_init=10, random_state=0).fit(Z, sample_weight=weights).labels_
        members = (labels[:, None] == np.arange(k)) * weights[:, None]
        mean = distances @ members / members.sum(axis=0)
        own = mean[np.arange(len(Z)), labels]
        mean[np.arange(len(Z)), labels] = np.inf
        larger = np.maximum(own, mean.min(axis=1))
        score = np.where(larger > 0, (mean.min(axis=1) - own) / np.maximum(larger, 1e-300), 0)
        scores[k] = float(np.average(score, weights=weights))
    return max(scores, key=lambda k: scores[k])


def measure(n_rows: int, n_columns: int, apart: float, half: str) -> Iterator[str]:
    """Yield one line per rule."""
    chosen: dict[str, list[tuple[int, int]]] = {"silhouette": [], "held-back gap": []}
    for k in range(1, MOST + 1):
        for seed in HALVES[half]:
            Z, weights, senders = summarise(draw(n_rows, n_columns, apart, k, seed), seed)
            chosen["silhouette"].append((k, silhouette(Z, weights)))
            chosen["held-back gap"].append((k, choose_number(Z, weights, senders, 0)))
    for rule, pairs in chosen.items():
        right = sum(true == found for true, found in pairs)
        off = float(np.mean([abs(true - found) for true, found in pairs]))
        yield f"{half},{n_rows},{n_columns},{rule},{right},{len(pairs)},{off:.2f}"


def main() -> None:
    """Measure and print, row by row."""
    print("half,rows,columns,rule,right,of,off")
    for half in HALVES:
        for scene in SCENES:
            for line in measure(*scene, half):
                print(line, flush=True)


if __name__ == "__main__":
    main()
