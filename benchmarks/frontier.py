"""Rows, summaries and noise in one picture: what is found, and what can be told of a row.

    CONSILIENCE_DATA=DIR python -m benchmarks.frontier [recognised] [epsilon] [draw]

*recognised*: agreement with pooled k-means against the share of rows that somebody who knows all
columns of everybody recognises. Rows are the studies of ``consilience bench attacks`` in units of
the bounds. Summaries of institutions that hold all columns are means of k rows, or centres with
noise. Where columns are split in two, the holders of a row agree on groups of k rows first, and
each sends the means of its own columns: groups are found by the columns of one of them, or by what
each tells the others of a row, the nearest of 16 centres of its own columns; beside them groups as
somebody who holds all columns would make them. A row then has the cluster of its group.

*epsilon*: the same agreement against epsilon. Five row institutions, rows dealt at random. Results
go to benchmarks/results/frontier.csv, the picture to docs/images/frontier.png.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits

from benchmarks.problems import Array, Labels
from benchmarks.summaries import (
    N_PARTIES,
    Bounds,
    by_private_lloyd,
    by_row_noise,
    by_summaries,
    public_bounds,
    read,
)
from consilience.datasets import load
from consilience.metrics import agreement
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.summaries.analyst import Analyst
from consilience.summaries.micro_groups import micro_groups
from consilience.summaries.party import Party
from consilience.summaries.settings import make_units

SETS = {"breast cancer": 2, "digits": 10, "rice": 2, "pendigits": 10}
"""Where the attacks on rows were measured, with at least 500 rows; and their clusters."""
TABLES = ("rice", "pendigits", "magic")
SIZES = (2, 5, 10, 25)
EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0, 16.0)
ROW_EPSILONS = (1.0, 4.0, 16.0, 64.0, 256.0)
N_CODES = 16
ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "frontier.csv"
PICTURE = ROOT / "docs" / "images" / "frontier.png"
SENT_ROWS = {
    "rows, paper mode": "paper mode, scaled by bounds",
    "rows, default study": "default, scaled by bounds",
    "rows, epsilon 100": "default, epsilon 100 per row, scaled by bounds",
}
Row = dict[str, Any]


def by_first_holder(Z: Array, halves: Sequence[Array], k: int, seed: int) -> Labels:
    """Group rows by the columns of one holder, who tells the others the groups."""
    return np.asarray(micro_groups(halves[0], k), dtype=np.int64)


def by_codes(Z: Array, halves: Sequence[Array], k: int, seed: int) -> Labels:
    """Group rows by what each holder tells of them: the nearest of a few centres of its own."""
    told = []
    for half in halves:
        model = KMeans(min(N_CODES, len(half)), n_init=1, random_state=seed).fit(half)
        told.append(model.cluster_centers_[model.labels_])
    return np.asarray(micro_groups(np.hstack(told), k), dtype=np.int64)


def by_all(Z: Array, halves: Sequence[Array], k: int, seed: int) -> Labels:
    """Group rows as somebody would who holds all columns."""
    return np.asarray(micro_groups(Z, k), dtype=np.int64)


GROUPINGS: Mapping[str, Callable[[Array, Sequence[Array], int, int], Labels]] = {
    "split, groups by one holder": by_first_holder,
    "split, groups by codes": by_codes,
    "split, groups by all columns": by_all,
}


def recognised(names: Sequence[str] = tuple(SETS), seed: int = 0) -> Iterator[Row]:
    """Measure what is found and recognised, by set and setting."""
    sent_rows = pd.read_csv(RESULTS.parent / "attacks.csv")
    for name in names:
        X, n_clusters = _rows_of(name), SETS[name]
        X = X[:, X.std(axis=0) > 0]
        lower, upper = public_bounds(X)
        units = make_units((lower, upper), None, X.shape[1])
        Z = units.scale(X)
        pooled = KMeans(n_clusters, n_init=10, random_state=0).fit_predict(Z)
        parties = np.random.default_rng(seed).permutation(len(X)) % N_PARTIES
        for way, setting in SENT_ROWS.items():
            rows = sent_rows[(sent_rows.data == name) & (sent_rows.setting == setting)]
            found = rows.groupby("metric").ours.mean()
            if len(found):
                yield _row(name, way, found["ARI with pooled"], found["top-1"])
        for k in SIZES:
            labels, share = _summaries(X, units, parties, n_clusters, {"min_rows": k})
            yield _row(name, f"means of {k}", agreement(labels, pooled), share)
        for epsilon in (1.0, 4.0):
            labels, share = _summaries(X, units, parties, n_clusters, {"epsilon": epsilon})
            yield _row(name, f"summaries, epsilon {epsilon:g}", agreement(labels, pooled), share)
        for way, group in GROUPINGS.items():
            for k in SIZES:
                labels, share = _split(Z, parties, n_clusters, k, group, seed)
                yield _row(name, f"{way}, {k}", agreement(labels, pooled), share)


def _rows_of(name: str) -> Array:
    if name in ("breast cancer", "digits"):
        source = load_breast_cancer() if name == "breast cancer" else load_digits()
        return np.asarray(source.data, dtype=np.float64)
    return np.asarray(load(name).X, dtype=np.float64)


def _row(data: str, way: str, found: float, share: float) -> Row:
    about = {"what": "recognised", "data": data, "way": way}
    return {**about, "agreement": round(float(found), 4), "recognised": round(float(share), 4)}


def _summaries(
    X: Array, units: Any, parties: Labels, n_clusters: int, terms: Mapping[str, Any]
) -> tuple[Labels, float]:
    """Return the labels of a study of summaries, and which share of rows a centre betrays."""
    analyst, told = Analyst([str(p) for p in range(N_PARTIES)], units, n_clusters=n_clusters), []
    for p in range(N_PARTIES):
        noise = ConcentratedNoise(terms["epsilon"], 1e-6) if "epsilon" in terms else None
        party = Party(str(p), units, noise=noise, min_rows=terms.get("min_rows"))
        [sent] = party.begin(X[parties == p])
        analyst.receive(sent)
        nearest = units.nearest(X[parties == p], sent.centers)  # type: ignore[attr-defined]
        held = np.bincount(nearest, minlength=len(sent.weights))  # type: ignore[attr-defined]
        told.append((held > 0).sum())
    return units.nearest(X, analyst.centers), float(sum(told)) / len(X)


def _split(
    Z: Array,
    parties: Labels,
    n_clusters: int,
    k: int,
    group: Callable[[Array, Sequence[Array], int, int], Labels],
    seed: int,
) -> tuple[Labels, float]:
    """Return the clusters of rows whose holders agreed on groups, and which share is recognised."""
    middle = Z.shape[1] // 2
    groups, means, n_found = np.empty(len(Z), dtype=np.int64), [], 0
    for p in range(N_PARTIES):
        held = np.flatnonzero(parties == p)
        rows = Z[held]
        found = group(rows, (rows[:, :middle], rows[:, middle:]), k, seed)
        sizes = np.bincount(found)
        sums = np.column_stack([np.bincount(found, weights=column) for column in rows.T])
        means.append(np.asarray(sums / sizes[:, None], dtype=np.float64))
        groups[held] = found + n_found
        n_found += len(sizes)
    centers, sizes = np.vstack(means), np.bincount(groups)
    model = KMeans(n_clusters, n_init=10, random_state=seed).fit(centers, sample_weight=sizes)
    nearest = make_units((-10.0, 10.0), np.ones(Z.shape[1]), Z.shape[1]).nearest(Z, centers)
    right = nearest == groups
    return model.labels_[groups], float(np.mean(right / sizes[groups]))


def epsilons(names: Sequence[str] = TABLES, n_seeds: int = 2) -> Iterator[Row]:
    """Measure agreement against epsilon."""
    ways: Mapping[str, tuple[Callable[..., Labels], Sequence[float]]] = {
        "summaries": (by_summaries, EPSILONS),
        "private Lloyd": (by_private_lloyd, EPSILONS),
        "noise on rows": (by_row_noise, ROW_EPSILONS),
    }
    for name in names:
        X, k = read(name)
        bounds: Bounds = public_bounds(X)
        Z = np.clip(X, *bounds) / (bounds[1] - bounds[0])
        pooled = KMeans(k, n_init=10, random_state=0).fit_predict(Z)
        for way, (find, given) in ways.items():
            for epsilon in given:
                for seed in range(n_seeds):
                    parties = np.random.default_rng(seed).permutation(len(X)) % N_PARTIES
                    found = agreement(find(X, k, bounds, parties, seed, epsilon), pooled)
                    about = {"what": "epsilon", "data": name, "way": way, "epsilon": epsilon}
                    yield {**about, "seed": seed, "agreement": round(found, 4)}


def draw(results: pd.DataFrame) -> Figure:
    """Draw both pictures beside each other."""
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    found = results[results.what == "recognised"].groupby("way")[["recognised", "agreement"]].mean()
    families = {"means of": "o", "summaries": "*", "split, groups by one": "v"}
    families |= {"split, groups by codes": "s", "split, groups by all": "^", "rows": "X"}
    for family, marker in families.items():
        part = found[found.index.str.startswith(family)].sort_values("recognised")
        left.plot(part.recognised, part.agreement, marker, label=_caption(family), markersize=8)
        for way, place in part.iterrows():
            text = str(way).rsplit(", ", 1)[-1].removeprefix("means of ")
            left.annotate(text, place, (5, -3), textcoords="offset points", fontsize=7)
    left.set(xlabel="rows recognised by who knows all columns", ylabel="agreement with pooled")
    left.set_xscale("symlog", linthresh=0.02)
    left.set_xlim(0, 1.6)
    left.legend(fontsize=8, loc="lower right")
    curves = results[results.what == "epsilon"].groupby(["way", "epsilon"]).agreement.mean()
    for way in curves.index.unique("way"):
        right.plot(curves[way].index, curves[way], "o-", label=way)
    right.set(xlabel="epsilon, per record", xscale="log", ylim=(-0.03, 1.03))
    right.legend(fontsize=8, loc="lower right")
    return figure


def _caption(family: str) -> str:
    named = {"means of": "summaries: means of k rows", "summaries": "summaries with noise"}
    return named.get(
        family, family.replace("one", "one holder").replace("by all", "by all columns")
    )


def main(parts: Sequence[str]) -> None:
    """Measure what is named, keep it, and draw."""
    measured = {"recognised": recognised, "epsilon": epsilons}
    for part in parts or measured:
        if part not in measured:
            continue
        rows = []
        for row in measured[part]():
            rows.append(row)
            print(*row.values(), flush=True)
        old = pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=["what"])
        pd.concat([old[old.what != part], pd.DataFrame(rows)]).to_csv(RESULTS, index=False)
    kept = pd.read_csv(RESULTS)
    if set(measured) <= set(kept.what):
        draw(kept).savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main(sys.argv[1:])
