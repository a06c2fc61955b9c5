"""The parts of the VertCoHiRF benchmark [Belucci2026]_, each measured on its own.

Three peers, columns dealt in order with 20 % shared, five such partitions, continuous columns
standardised and categories one-hot, every method tuned with the same number of trials for each
metric on its own. The paper does not state the number of peers of its tables; three is that of its
published scripts. The text has the columns dealt at random: that is measured, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.problems import Array, Cells, Labels, standardise
from benchmarks.vertcohirf.methods import ALONE, CAI, METHODS, MISREAD, each_its_own, scripted
from benchmarks.vertcohirf.problems import METRICS, Problem
from consilience import ConsensusClustering
from consilience.datasets import load, multimodal, share_columns

N_PEERS = 3
DEALT = f"{N_PEERS} peers"
SHUFFLED = f"{DEALT}, columns shuffled"
"""Setting of the cells whose columns are dealt at random."""
SCRIPTED = f"{DEALT}, scripts' space"
OWN_SETTINGS = f"{DEALT}, a setting each"
"""Settings of the cells of VertCoHiRF that are searched elsewhere."""
BASELINES = ["Distr.KMeans", "CoresetKMeans", "DPFMPS", "DPFMPS-2PEst"]


def prepare(name: str, data: Path | None) -> tuple[Array, Labels]:
    """Load a set, standardised; the categories of nursery become 19 columns of 0 and 1."""
    dataset = load(name, data=data)
    if name == "nursery":
        frame = pd.get_dummies(dataset.frame.astype("category"), drop_first=True)
        return frame.to_numpy(dtype=np.float64), dataset.y
    return standardise(dataset.frame.to_numpy(dtype=np.float64)), dataset.y


def _problem(name: str, data: Path | None, n_peers: int, seed: int, shuffle: bool) -> Problem:
    X, y = prepare(name, data)
    views = share_columns(X.shape[1], n_peers, shuffle=shuffle, random_state=seed)
    return Problem(X, y, views, seed)


def partition(rows: pd.DataFrame, name: str, data: Path | None, trials: int, seed: int) -> Cells:
    """Tune every method of a set's two tables on one partition of the columns."""
    problem = _problem(name, data, N_PEERS, seed, shuffle=False)
    for metric in METRICS:
        alone = problem.best(ALONE, metric, trials)
        for table, method in _with_variants(rows[rows.metric == metric]):
            value = problem.best(method, metric, trials) if method != ALONE else alone
            yield (table, name, DEALT, method, metric), value
            yield (table, name, DEALT, method, f"{metric} diff"), value - alone
    table = rows.table[rows.metric == "ARI"].iloc[0]
    yield (table, name, DEALT, MISREAD, "ARI"), problem.best(MISREAD, "ARI", trials)


def shuffled(rows: pd.DataFrame, name: str, data: Path | None, trials: int, seed: int) -> Cells:
    """Tune every method for the adjusted Rand index with the columns dealt at random."""
    problem = _problem(name, data, N_PEERS, seed, shuffle=True)
    for table, method in _with_variants(rows[rows.metric == "ARI"]):
        yield (table, name, SHUFFLED, method, "ARI"), problem.best(method, "ARI", trials)


def spaces(rows: pd.DataFrame, name: str, data: Path | None, trials: int, seed: int) -> Cells:
    """Tune every consensus for the adjusted Rand index where else one may search.

    In the space of the published scripts; and with a setting for each peer, which is the point of
    peers that share no objective, in the paper's space.
    """
    problem = _problem(name, data, N_PEERS, seed, shuffle=False)
    cells = rows[(rows.metric == "ARI") & rows.method.str.startswith("VertCoHiRF")]
    for table, method in zip(cells.table, cells.method, strict=True):
        known = METHODS[method]
        searched = {SCRIPTED: scripted(known), OWN_SETTINGS: each_its_own(known, N_PEERS)}
        for setting, other in searched.items():
            value = problem.best(method, "ARI", trials, other)
            yield (table, name, setting, method, "ARI"), value


def _with_variants(cells: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the table and method of each cell, and of those the paper has under one name."""
    for table, method in zip(cells.table, cells.method, strict=True):
        yield table, method
        if method == "VertCoHiRF(SC-SRGF)":
            yield table, CAI


def table_1(trials: int, seed: int) -> Cells:
    """Section 4.1: DBSCAN at one peer, k-means at the other, against every baseline."""
    views: list[Any] = [np.arange(3), np.arange(3, 5)]
    X, y = multimodal(random_state=seed)
    problem = Problem(X, y, views, seed)
    scores = {m: problem.best_per_peer(m, "ARI", trials)[1] for m in [ALONE, *BASELINES]}
    bases = [DBSCAN(eps=2.0, min_samples=5), KMeans(3)]
    model = ConsensusClustering(bases, columns=views, profile="paper", random_state=seed).fit(X)
    scores["VertCoHiRF(DBSCAN, k-means)"] = [adjusted_rand_score(y, model.labels_)] * 2
    for method, each in scores.items():
        cell = ("Table 1", "multimodal", "2 peers", method)
        yield (*cell, "ARI peer 0"), each[0]
        yield (*cell, "ARI peer 1"), each[1]
        yield (*cell, "ARI mean"), float(np.mean(each))


def figure_4(data: Path | None, trials: int, n_peers: int, seed: int) -> Cells:
    """Section 4.2: two to six peers; the private methods' grid stops them after four."""
    name = "alizadeh-2000-v2"
    problem = _problem(name, data, n_peers, seed, shuffle=False)
    for method in [*BASELINES, "VertCoHiRF(k-means)", "VertCoHiRF(SC-SRGF)"]:
        if not method.startswith("DPFMPS") or n_peers <= 4:
            value = problem.best(method, "ARI", trials)
            yield ("Figure 4", name, f"{n_peers} peers", method, "ARI"), value
