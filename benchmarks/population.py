"""Agreement with the pooled clustering, aligned by the population and by the paper's target.

    python -m benchmarks.population measure DATA TRIALS [SET ...] > population.csv
    python -m benchmarks.population limit DATA TRIALS [SET ...] > population-limit.csv
    python -m benchmarks.population tables population.csv

Every set of at most 250 columns that states classes, in alphabetical order: choices were made on
the odd ones, the even ones were held out. k is the number of classes, at most 10; at most 5,000
rows; texts are coded 0 and 1 a category; rows with missing numbers are left out. k-means.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.anchors.keyed import default_n_anchor, draw_anchor
from consilience.collaboration.party import Party
from consilience.datasets import split_columns, split_rows
from consilience.messages import Message

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

SETS = [
    "abalone", "adult", "bank-marketing", "banknote", "breast-cancer", "cardiotocography",
    "chowdary-2006", "cmc", "covertype_kaggle", "credit-g", "dry_bean", "electricity",
    "gesture_phase", "heart-statlog", "hill-valley", "iris", "magic", "mfeat-factors", "mozilla4",
    "mushroom", "nursery", "optdigits", "ozone-level-8hr", "pendigits", "phoneme", "qsar-biodeg",
    "rice", "shuttle", "skin_segmentation", "steel-plates-fault", "wall-robot-navigation",
    "waveform-5000", "wine", "yeast",
]  # fmt: skip
CHOSEN_ON, HELD_OUT = SETS[::2], SETS[1::2]
MAX_ROWS, MAX_CLUSTERS = 5_000, 10
# Columns that tell the class.
INDICATORS = {
    "cardiotocography": [f"V{j}" for j in range(26, 36)],
    "steel-plates-fault": [f"V{j}" for j in range(28, 34)],
}
SETTINGS = {
    "default": 5,
    "default, 2 institutions": 2,
    "bounds ten times too wide": 5,
    "absent party": 5,
    "rows sorted": 5,
    "mixes differ": 5,
    "paper mode": 5,
}
TARGETS = ("scaled", "population")
STABLE = 0.95
"""Agreement of two pooled clusterings, each the best of ten starts, from which on one is stable."""


def read(name: str, data: str) -> tuple[Array, Labels, int]:
    """Return the table, the classes and the number of clusters."""
    if name in ("wine", "breast-cancer"):
        X, y = (load_wine if name == "wine" else load_breast_cancer)(return_X_y=True)
        return X, y, len(set(y))
    table = pd.read_parquet(Path(data) / f"{name}.parquet")
    table = table.drop(columns=INDICATORS.get(name, []))
    if len(table) > MAX_ROWS:
        table = table.sample(MAX_ROWS, random_state=0)
    y = pd.factorize(table.pop("label"))[0]
    X = pd.get_dummies(table, dtype=float).to_numpy(float)
    whole = ~np.isnan(X).any(axis=1)
    return X[whole], y[whole], min(MAX_CLUSTERS, int(y.max()) + 1)


def in_units(X: Array) -> Array:
    """Return rows as ``scaling = "bounds"`` sees them, up to a common factor."""
    width = np.ptp(X, axis=0)
    return np.asarray((X - X.min(axis=0)) / np.where(width > 0, width, 1.0))


def institutions_of(
    X: Array, y: Labels, setting: str, n_institutions: int, rng: np.random.Generator
) -> Labels:
    """Return which institution holds each row."""
    if setting == "mixes differ":
        return split_rows(
            len(X), n_institutions, "dirichlet", y=y, alpha=0.3, min_rows=10, top_up=True,
            random_state=rng,
        )  # fmt: skip
    if setting != "rows sorted":
        return split_rows(len(X), n_institutions, random_state=rng)
    Z = in_units(X) - in_units(X).mean(axis=0)
    first = Z @ np.linalg.svd(Z, full_matrices=False)[2][0]
    order = np.argsort(first / first.std() + 0.5 * rng.normal(size=len(X)))
    parties = np.empty(len(X), dtype=int)
    parties[order] = np.arange(len(X)) * n_institutions // len(X)
    return parties


def contributions(
    X: Array, parties: Labels, setting: str, rng: np.random.Generator
) -> Iterator[Message]:
    """Yield what the institutions send, half of the dimensions unless it is paper mode."""
    paper = setting == "paper mode"
    lower, upper = X.min(axis=0), X.max(axis=0)
    if setting == "bounds ten times too wide":
        lower = lower - 9 * rng.random(X.shape[1]) * (upper - lower)
        upper = lower + 10 * np.ptp(X, axis=0)
    n_anchor = max(len(X), X.shape[1] + 1) if paper else default_n_anchor(X.shape[1])
    groups = split_columns(X.shape[1], 2, random_state=rng)
    for j, columns in enumerate(groups):
        bounds = lower[columns], upper[columns]
        kind, width = "uniform" if paper else "gaussian", len(columns)
        anchor = draw_anchor(kind, rng.bytes(32), *bounds, n_anchor)
        for i in range(parties.max() + 1):
            if setting == "absent party" and (i, j) == (0, 1):
                continue
            party = Party(
                f"{i}/{j}", anchor, scaling="none" if paper else "bounds", bounds=bounds,
                n_components=max(1, width - 1) if paper else (width + 1) // 2, rotate=not paper,
                rng=rng,
            )  # fmt: skip
            yield from party.begin(X[np.ix_(parties == i, columns)])


def measure(
    X: Array, y: Labels, k: int, setting: str, n_institutions: int, seed: int
) -> tuple[dict[str, tuple[float, float]], float, float]:
    """Return agreement and NMI with institutions for each target, and the same of pooled."""
    rng = np.random.default_rng(seed)
    parties = institutions_of(X, y, setting, n_institutions, rng)
    table = X if setting == "paper mode" else in_units(X)
    pooled, again = (
        KMeans(k, n_init=10, random_state=start).fit_predict(table) for start in (seed, seed + 1000)
    )
    messages = list(contributions(X, parties, setting, rng))
    found = {}
    for target in TARGETS:
        analyst = Analyst(
            [str(i) for i in range(n_institutions)], ["0", "1"], n_clusters=k, seed=seed,
            absent=["0/1"] if setting == "absent party" else [], target=target,
        )  # fmt: skip
        for message in messages:
            analyst.receive(message)
        labels = np.empty(len(X), dtype=int)
        labels[np.argsort(parties, kind="stable")] = analyst.partition.labels
        found[target] = (
            adjusted_rand_score(pooled, labels),
            normalized_mutual_info_score(parties, labels),
        )
    of_pooled = normalized_mutual_info_score(parties, pooled)
    return found, adjusted_rand_score(pooled, again), of_pooled


def limit(X: Array, k: int, seed: int) -> tuple[float, float]:
    """Return what half of the dimensions can keep at best: nothing is split but the columns.

    One institution has all rows, and of each of two column groups keeps the directions of largest
    variance: first half of them, then one less than columns.
    """
    table = in_units(X)
    pooled = KMeans(k, n_init=10, random_state=seed).fit_predict(table)
    groups = split_columns(X.shape[1], 2, random_state=seed)
    found = []
    for widths in ([(len(g) + 1) // 2 for g in groups], [max(1, len(g) - 1) for g in groups]):
        kept = zip(groups, widths, strict=True)
        parts = [PCA(w, svd_solver="full").fit_transform(table[:, g]) for g, w in kept]
        labels = KMeans(k, n_init=10, random_state=seed + 1000).fit_predict(np.hstack(parts))
        found.append(adjusted_rand_score(pooled, labels))
    return found[0], found[1]


def limits(data: str, trials: str, *sets: str) -> None:
    """Write a line per set: the means of all trials."""
    print("half,data,trials,half of the dimensions,one less than columns")
    for name in sets or SETS:
        half = "held out" if name in HELD_OUT else "chosen on"
        X, _, k = read(name, data)
        found = np.mean([limit(X, k, seed) for seed in range(int(trials))], axis=0)
        print(f"{half},{name},{trials},{found[0]:.3f},{found[1]:.3f}", flush=True)


def main(data: str, trials: str, *sets: str) -> None:
    """Write a line per set, setting and target, the mean of all trials."""
    print("half,data,setting,target,trials,agreement,nmi,pooled twice,nmi of pooled")
    for name in sets or SETS:
        half = "held out" if name in HELD_OUT else "chosen on"
        X, y, k = read(name, data)
        for setting, n_institutions in SETTINGS.items():
            runs = [measure(X, y, k, setting, n_institutions, s) for s in range(int(trials))]
            twice, of_pooled = (np.mean([run[j] for run in runs]) for j in (1, 2))
            for target in TARGETS:
                ari, nmi = np.mean([found[target] for found, *_ in runs], axis=0)
                figures = f"{ari:.3f},{nmi:.3f},{twice:.3f},{of_pooled:.3f}"
                print(f'{half},{name},"{setting}",{target},{trials},{figures}', flush=True)


def tables(path: str) -> None:
    """Print the tables of the page from the results."""
    results = pd.read_csv(path)
    wide: Any = results.pivot(index=["half", "data", "setting"], columns="target")
    for half in ("held out", "chosen on"):
        part = wide.xs(half, level="half")
        twice = part.xs("default", level="setting")["pooled twice", "population"]
        stable = twice.index[twice >= STABLE]
        print(f"\n## {half.capitalize()}: {len(twice)} sets, pooled stable on {len(stable)}\n")
        print("| setting | mean | mean, stable | lowest, stable | largest NMI |")
        print("|---|---|---|---|---|")
        for setting in SETTINGS:
            found = part.xs(setting, level="setting")
            ari = found["agreement"]
            cells = [ari.mean(), ari.loc[stable].mean(), ari.loc[stable].min(), found["nmi"].max()]
            print(f"| {setting} | {' | '.join(_pair(cell) for cell in cells)} |")
        print(f"\n| data | {' | '.join(SETTINGS)} | pooled twice |")
        print("|---" * (len(SETTINGS) + 2) + "|")
        for name, value in twice.items():
            row = part.xs(name, level="data")["agreement"]
            print(f"| {name} | {' | '.join(_pair(row.loc[s]) for s in SETTINGS)} | {value:.3f} |")


def _pair(values: Any) -> str:
    """Return the figures of the paper's target and of the population."""
    return " / ".join(f"{values[target]:.3f}" for target in TARGETS)


if __name__ == "__main__":
    verbs: dict[str, Any] = {"measure": main, "limit": limits, "tables": tables}
    verbs[sys.argv[1]](*sys.argv[2:])
