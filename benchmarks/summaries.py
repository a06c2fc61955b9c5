"""What private summaries find, against pooled k-means and against other private ways.

    CONSILIENCE_DATA=DIR python -m benchmarks.summaries [PART ...] [TABLE ...]

Tables of at least 3,000 rows and at most 100 numeric columns, one of each pair of copies, were
dealt alternately by name: the rules in ``privacy/private_centers.py`` were chosen on CHOOSING,
and REPORTING was measured again, see ``docs/summaries.md``. Bounds stand for public knowledge: the
first and last percentile of each column, rounded outward to two digits, values beyond clipped. The
reference is k-means on the pooled rows in the same units; the score is the agreement (ARI) with it
as a share of what two such runs agree on, 1 at most. Five institutions, rows dealt at random.
Results go to benchmarks/results/summaries.csv.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture

from benchmarks.problems import Array, Labels
from consilience.baselines.dp_lloyd import private_centres
from consilience.continual.estimator import ContinualClustering
from consilience.messages import Summary
from consilience.metrics import agreement
from consilience.privacy.concentrated import ConcentratedNoise
from consilience.privacy.noise import LaplaceNoise
from consilience.study.study import Study
from consilience.summaries.audit import measure_epsilon
from consilience.summaries.estimator import SummaryClustering
from consilience.summaries.party import Party
from consilience.summaries.settings import make_units

CHOOSING = (
    *("abalone", "bank-marketing", "dry_bean", "gesture_phase", "mozilla4"),
    *("optdigits", "phoneme", "shuttle", "wall-robot-navigation"),
)
REPORTING = (
    *("adult", "covertype_kaggle", "electricity", "magic", "nursery"),
    *("pendigits", "rice", "skin_segmentation", "waveform-5000"),
)
LARGE = ("shuttle", "skin_segmentation", "made")
N_PARTIES, DELTA, MIN_ROWS, FCAC_ROWS = 5, 1e-6, 10, 1_000
N_RUNS = {"large": 10}
"""Of each way with noise; 3 where nothing is said."""
RESULTS = Path(__file__).parent / "results" / "summaries.csv"

Bounds = tuple[Array, Array]
Row = dict[str, Any]
Way = tuple[Callable[..., Labels], Sequence[float | None]]


def public_bounds(X: Array) -> Bounds:
    """Return what somebody who knows the columns would write, to two digits.

    Examples
    --------
    >>> lower, upper = public_bounds(np.arange(1000.0)[:, None])
    >>> lower.tolist(), upper.tolist()
    ([0.0], [990.0])
    """
    lower, upper = np.quantile(X, [0.01, 0.99], axis=0)
    rare = lower >= upper
    lower, upper = np.where(rare, X.min(axis=0), lower), np.where(rare, X.max(axis=0), upper)
    unit = 10.0 ** np.floor(np.log10(upper - lower)) / 10
    return np.floor(lower / unit) * unit, np.ceil(upper / unit) * unit


def read(name: str) -> tuple[Array, int]:
    """Return rows and the number of clusters: that of the classes, or 5 if they are many."""
    if name == "made":
        X, _ = make_blobs(200_000, 16, centers=8, cluster_std=4.0, random_state=0)
        return X, 8
    if name == "long":
        rng = np.random.default_rng(0)
        places = np.arange(20_000) % 3
        Z = rng.normal(size=(20_000, 4)) * [3.0, 0.3, 0.3, 1.0]
        Z[:, 1] += 2.0 * places
        return Z @ np.linalg.qr(rng.normal(size=(4, 4)))[0], 3
    table = pd.read_parquet(Path(os.environ["CONSILIENCE_DATA"]) / f"{name}.parquet")
    n_classes = table.pop("label").nunique()
    X = table.select_dtypes("number").to_numpy(dtype=np.float64)
    return X[:, X.std(axis=0) > 0], n_classes if n_classes <= 10 else 5


def by_summaries(
    X: Array,
    k: int,
    bounds: Bounds,
    parties: Labels,
    seed: int,
    epsilon: float | None,
    min_rows: int | None = None,
) -> Labels:
    """Let institutions send summaries."""
    model = SummaryClustering(
        k, epsilon=epsilon, delta=DELTA, bounds=bounds, min_rows=min_rows, random_state=seed
    )
    return model.fit(X, parties=parties).labels_


def by_means(
    X: Array, k: int, bounds: Bounds, parties: Labels, seed: int, epsilon: float | None
) -> Labels:
    """Let institutions send means of at least ten rows, without noise."""
    return by_summaries(X, k, bounds, parties, seed, epsilon, MIN_ROWS)


def by_row_noise(
    X: Array, k: int, bounds: Bounds, parties: Labels, seed: int, epsilon: float
) -> Labels:
    """Pool rows that each have Laplace noise."""
    lower, upper = bounds
    noise = LaplaceNoise(lower.tolist(), upper.tolist(), epsilon, insecure_seed=seed)
    model = KMeans(k, n_init=3, random_state=seed).fit(noise.apply(X) / (upper - lower))
    return np.asarray(model.predict(np.clip(X, lower, upper) / (upper - lower)), dtype=np.int64)


def by_private_lloyd(
    X: Array, k: int, bounds: Bounds, parties: Labels, seed: int, epsilon: float
) -> Labels:
    """Cluster the centres of private Lloyd steps at every institution."""
    lower, upper = bounds
    Z = 2 * (np.clip(X, lower, upper) - lower) / (upper - lower) - 1
    rng = np.random.default_rng(seed)
    found = [private_centres(Z[parties == p], k, epsilon, rng) for p in range(N_PARTIES)]
    model = KMeans(k, n_init=10, random_state=seed).fit(np.vstack(found))
    return np.asarray(model.predict(Z), dtype=np.int64)


def by_fcac(X: Array, k: int, bounds: Bounds, parties: Labels, seed: int, epsilon: float) -> Labels:
    """Let institutions send nodes of noisy rows; of 1,000 rows, as more would only take time."""
    model = ContinualClustering(
        epsilon=epsilon, bounds=bounds, profile="improved", max_nodes=100, random_state=seed
    )
    rows = np.random.default_rng(seed).permutation(len(X))[:FCAC_ROWS]
    X = np.clip(X, *bounds)
    return model.fit(X[rows], parties=parties[rows]).predict(X)


def by_diffprivlib(
    X: Array, k: int, bounds: Bounds, parties: Labels, seed: int, epsilon: float
) -> Labels:
    """Cluster the centres of diffprivlib's private k-means at every institution.

    Version 0.6.6 spends more than it is told (by 1.21 in ten columns): it is ahead of the others
    by that much. It is no dependency: ``pip install --no-deps diffprivlib==0.6.6``.
    """
    lower, upper = bounds
    Z = 2 * (np.clip(X, lower, upper) - lower) / (upper - lower) - 1
    private = _diffprivlib_kmeans()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            private(k, epsilon=epsilon, bounds=(-1.0, 1.0), random_state=seed * N_PARTIES + p)
            .fit(Z[parties == p])
            .cluster_centers_
            for p in range(N_PARTIES)
        ]
    model = KMeans(k, n_init=10, random_state=seed).fit(np.vstack(found))
    return np.asarray(model.predict(Z), dtype=np.int64)


def _diffprivlib_kmeans() -> Any:
    """Load diffprivlib's k-means alone: its forests need an older scikit-learn than ours."""
    spec = importlib.util.find_spec("diffprivlib")
    if spec is None or spec.origin is None:
        raise SystemExit("this part needs diffprivlib: pip install --no-deps diffprivlib==0.6.6")
    models = types.ModuleType("diffprivlib.models")
    models.__path__ = [str(Path(spec.origin).parent / "models")]
    sys.modules.setdefault("diffprivlib.models", models)
    return importlib.import_module("diffprivlib.models.k_means").KMeans


WAYS: Mapping[str, Way] = {
    "summaries": (by_summaries, (1.0, 4.0)),
    "means of 10": (by_means, (None,)),
    "noise on rows": (by_row_noise, (1.0,)),
    "private Lloyd": (by_private_lloyd, (1.0, 4.0)),
}
FCAC: Mapping[str, Way] = {"FCAC with noise": (by_fcac, (1.0,))}
DIFFPRIVLIB: Mapping[str, Way] = {"diffprivlib k-means": (by_diffprivlib, (1.0,))}
AT_HALF: Mapping[str, Way] = {"summaries": (by_summaries, (0.5,))}


def compare(part: str, names: Sequence[str], ways: Mapping[str, Way]) -> Iterator[Row]:
    """Measure ways on tables."""
    for name in names:
        X, k = read(name)
        bounds = public_bounds(X)
        Z = np.clip(X, *bounds) / (bounds[1] - bounds[0])
        runs = [KMeans(k, n_init=10, random_state=seed).fit_predict(Z) for seed in range(3)]
        ceiling = float(np.mean([agreement(run, runs[0]) for run in runs[1:]]))
        for way, (find, epsilons) in ways.items():
            for epsilon in epsilons:
                for seed in range(N_RUNS.get(part, 3) if epsilon else 1):
                    parties = np.random.default_rng(seed).permutation(len(X)) % N_PARTIES
                    found = agreement(find(X, k, bounds, parties, seed, epsilon), runs[0])
                    yield {
                        "what": part,
                        "data": name,
                        "n_rows": len(X),
                        "n_columns": X.shape[1],
                        "n_clusters": k,
                        "way": way,
                        "epsilon": epsilon,
                        "seed": seed,
                        "agreement": round(found, 4),
                        "two pooled runs": round(ceiling, 4),
                        "share": round(min(1.0, found / ceiling), 4),
                    }


def optima(name: str = "shuttle", epsilon: float = 0.5, n_runs: int = 10) -> Iterator[Row]:
    """See how near the best sum of squares what was found is, and what else is as near.

    Beside each run: k-means on the pooled rows from the centres that were found, and from one
    start of its own.
    """
    X, k = read(name)
    bounds = public_bounds(X)
    Z = np.clip(X, *bounds) / (bounds[1] - bounds[0])
    best = KMeans(k, n_init=10, random_state=0).fit(Z)
    for seed in range(n_runs):
        parties = np.random.default_rng(seed).permutation(len(X)) % N_PARTIES
        labels = by_summaries(X, k, bounds, parties, seed, epsilon)
        centers = np.stack([Z[labels == c].mean(axis=0) for c in np.unique(labels)])
        ends = {
            "summaries": (labels, float(((Z - centers[_places(labels)]) ** 2).sum())),
            "pooled k-means from there": _end(Z, k, init=centers, n_init=1),
            "pooled k-means from one start": _end(Z, k, n_init=1, random_state=100 + seed),
        }
        for way, (found, squares) in ends.items():
            yield {
                "what": "optima",
                "data": name,
                "way": way,
                "epsilon": epsilon,
                "seed": seed,
                "agreement": round(agreement(found, best.labels_), 4),
                "squares": round(squares / best.inertia_, 4),
            }


def _places(labels: Labels) -> Labels:
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)


def _end(Z: Array, k: int, **settings: Any) -> tuple[Labels, float]:
    size = len(settings["init"]) if "init" in settings else k
    model = KMeans(size, **settings).fit(Z)
    return model.labels_, float(model.inertia_)


def mixtures(names: Sequence[str] = ("long", "rice", "magic")) -> Iterator[Row]:
    """Compare mixtures from summaries with a mixture of the pooled rows."""
    for name in names:
        X, k = read(name)
        bounds = public_bounds(X)
        Z = np.clip(X, *bounds) / (bounds[1] - bounds[0])
        starts = {"n_init": 10, "init_params": "random_from_data", "reg_covar": 1e-4}
        runs = [GaussianMixture(k, random_state=s, **starts).fit_predict(Z) for s in (0, 1)]
        ceiling = agreement(runs[1], runs[0])
        for epsilon, mixture in ((1.0, True), (4.0, True), (None, True), (4.0, False)):
            for seed in range(3 if epsilon else 1):
                parties = np.random.default_rng(seed).permutation(len(X)) % N_PARTIES
                model = SummaryClustering(
                    k, epsilon=epsilon, bounds=bounds, mixture=mixture, random_state=seed
                )
                found = agreement(model.fit(X, parties=parties).labels_, runs[0])
                yield {
                    "what": "mixtures",
                    "data": name,
                    "n_rows": len(X),
                    "way": "mixture" if mixture else "k-means",
                    "epsilon": epsilon,
                    "seed": seed,
                    "agreement": round(found, 4),
                    "two pooled runs": round(ceiling, 4),
                }


def shadows(n_shadows: int = 500) -> Iterator[Row]:
    """Attack summaries of different epsilon: is the one outlying person there."""
    numeric = {"kind": "numeric", "bounds": [-1, 1]}
    X = np.random.default_rng(0).normal(size=(300, 2)) / 10
    X[0] = [1.0, 1.0]
    for epsilon in (0.5, 1.0, 2.0, 4.0, 200.0):
        study = Study.from_terms(
            {
                "kind": "summaries",
                "name": "shadows",
                "grid": {"rows": ["a", "b"], "columns": ["lab"]},
                "schema": {"lab": {"x": numeric, "y": numeric}},
                "summaries": {"epsilon": epsilon},
            }
        )
        rng = np.random.default_rng(1)
        found = measure_epsilon(study, "a/lab", X, rng, n_shadows=n_shadows // 2)
        yield {
            "what": "shadows",
            "n_rows": len(X),
            "way": "summaries",
            "epsilon": epsilon,
            "measured epsilon": round(found.lower, 4),
            "advantage": round(found.advantage, 4),
        }


def speed(n_rows: int = 1_000_000) -> Iterator[Row]:
    """Time the summary of many rows against one k-means over them."""
    X = np.random.default_rng(0).normal(size=(n_rows, 16))
    units = make_units(None, None, 16)
    about = {"what": "speed", "n_rows": n_rows, "n_columns": 16, "n_clusters": 8}
    rows = []
    ways: dict[str, dict[str, Any]] = {
        "summaries": {"noise": ConcentratedNoise(1.0, DELTA)},
        "means of 10": {"min_rows": MIN_ROWS},
    }
    for way, settings in ways.items():
        before, start = _peak(), time.process_time()
        [sent] = Party("a", units, **settings).begin(X)
        assert isinstance(sent, Summary)
        sizes = [a.nbytes for a in (sent.centers, sent.weights, sent.errors) if a is not None]
        taken = time.process_time() - start
        more = {"seconds": round(taken, 1), "bytes": sum(sizes)}
        rows.append({**about, "way": way, **more, "extra MB": round(_peak() - before)})
    start = time.process_time()
    KMeans(8, n_init=1, random_state=0).fit(X)
    whole = time.process_time() - start
    for row in rows:
        yield {**row, "seconds of k-means": round(whole, 1), "MB of rows": X.nbytes // 2**20}


def _peak() -> float:
    """Return the most memory this process ever had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


PARTS: Mapping[str, Callable[..., Iterator[Row]]] = {
    "choosing": lambda names=CHOOSING: compare("choosing", names, WAYS),
    "reporting": lambda names=REPORTING: compare("reporting", names, WAYS),
    "fcac": lambda names=REPORTING: compare("fcac", names, FCAC),
    "diffprivlib": lambda names=REPORTING: compare("diffprivlib", names, DIFFPRIVLIB),
    "large": lambda names=LARGE: compare("large", names, AT_HALF),
    "optima": optima,
    "mixtures": mixtures,
    "shadows": shadows,
    "speed": speed,
}


def main(asked: Sequence[str]) -> None:
    """Measure parts, of all tables or of those that are named, and replace what was measured."""
    tables = [name for name in asked if name not in PARTS]
    for part in [name for name in asked if name in PARTS] or PARTS:
        rows = []
        for row in PARTS[part](tables) if tables else PARTS[part]():
            rows.append(row)
            print(*row.values(), flush=True)
        old = pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=["what"])
        again = old.what == part
        if tables:
            again &= old.data.isin(tables)
        pd.concat([old[~again], pd.DataFrame(rows)]).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
