"""Tables 3 and 4 of FCAC [Masuyama2024]_, its epsilon study, ranks and three-round demonstration.

Settings as the published tables need them: no scaling, rows permuted by the trial's seed and dealt
by `fcac_splits`, compared methods told the number of classes, FCAC told nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import Progress
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
)

from consilience.baselines import MUFC, FedFCM, KFed
from consilience.bench.fcac_noise import published_noise
from consilience.bench.fcac_page import write_page
from consilience.bench.fcac_privacy import study_privacy
from consilience.bench.fcac_rounds import demonstrate
from consilience.bench.fcac_splits import deal
from consilience.bench.ranks import Comparison, compare_ranks, draw_diagram
from consilience.bench.tables import Trials, compare, published, write_csv
from consilience.continual import ContinualClustering
from consilience.datasets import available, load

__all__ = ["run"]

Labels = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

CLIENTS = {
    "hill-valley": 5,
    "ozone-level-8hr": 5,
    "bioresponse": 10,
    "phoneme": 10,
    "optdigits": 50,
    "pendigits": 50,
    "mozilla4": 10,
    "magic": 50,
    "fashion-mnist": 100,
    "skin_segmentation": 100,
}
"""Number of clients of each set (Table 2)."""
SETTINGS = {"iid": ("Table 3", "iid"), "non-iid": ("Table 4", "dirichlet")}
METHODS = ("k-means", "k-FED", "FedFCM", "MUFC", "FCAC")
IMPROVED = "FCAC improved"
METRICS = ("ARI", "AMI", "NMI")
EPSILONS = (15.0, 25.0, 50.0, 75.0)
DEFAULT_TRIALS = 20
LARGE = 200_000
"""Values of a table (rows times features) above which a set is left out of the epsilon study."""


@dataclass(frozen=True)
class Problem:
    """One trial: rows in the order in which clients present them, classes, and who holds what."""

    X: FloatArray
    y: npt.NDArray[np.int64]
    parties: npt.NDArray[np.intp]
    lower: FloatArray
    upper: FloatArray
    seed: int

    @property
    def k(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every cell and write the results, the pictures and the page.

    Parameters
    ----------
    trials : int or None
        Trials per cell of Tables 3 and 4; None means 20, as in the paper. The epsilon study has
        a tenth of them, at least one.
    data : Path or None
        Folder with the data sets.
    out : Path
        Root under which ``benchmarks/results`` and ``docs`` are written.
    progress : rich.progress.Progress

    Yields
    ------
    Path
        Each file written.
    """
    trials = trials or DEFAULT_TRIALS
    names = [name for name in CLIENTS if name in available(data)]
    missing = [name for name in CLIENTS if name not in names]
    few = max(1, trials // 10)
    small = [name for name in names if load(name, data=data).X.size <= LARGE]
    budget = (
        f"{trials} trials of Tables 3 and 4 on {len(names)} sets, {few} of the epsilon study on "
        f"the {len(small)} of up to {LARGE:,} values"
    )
    progress.console.print(f"budget: {budget}; not in the folder: {', '.join(missing) or 'none'}")
    steps = len(names) * trials + len(small) * few * len(EPSILONS)
    task = progress.add_task("FCAC", total=2 * steps + 2)
    results, pictures = out / "benchmarks" / "results", out / "docs" / "images"

    measured, noisy = Trials(), Trials()
    for name in names:
        dataset = load(name, data=data)
        for setting in SETTINGS:
            for seed in range(trials):
                problem = _problem(dataset, name, setting, seed)
                _trial(measured, name, setting, problem, (*METHODS, IMPROVED))
                progress.advance(task)
    comparisons = _compare_all(measured, names)
    _add_ranks(measured, comparisons)
    table = compare(measured.summary(), published("fcac"))
    yield _write(table, results / "fcac.csv")
    for name in small:
        dataset = load(name, data=data)
        for setting in SETTINGS:
            for seed, epsilon in product(range(few), EPSILONS):
                problem = _add_noise(_problem(dataset, name, setting, seed), epsilon)
                _trial(noisy, name, f"{setting}, epsilon {epsilon:g}", problem, METHODS)
                progress.advance(task)
    study = {f"{e:g}": _compare(noisy, small, METHODS, f", epsilon {e:g}") for e in EPSILONS}
    yield _write(noisy.summary(), results / "fcac-epsilon.csv")
    yield draw_diagram(
        {title: c for title, c in comparisons.items() if title in ("all", *SETTINGS)},
        pictures / "fcac-ranks.png",
    )
    yield draw_diagram(
        {f"epsilon {e} per feature": c for e, c in study.items()},
        pictures / "fcac-epsilon-ranks.png",
    )
    rounds = demonstrate(pictures / "fcac-rounds.png")
    progress.advance(task)
    yield _write(rounds, results / "fcac-rounds.csv")
    privacy = study_privacy({n: load(n, data=data) for n in ("pendigits", "phoneme") if n in names})
    progress.advance(task)
    yield _write(privacy, results / "fcac-privacy.csv")
    page = out / "docs" / "bench-fcac.md"
    yield write_page(table, comparisons, study, rounds, privacy, budget, missing, page)


def _problem(dataset: Any, name: str, setting: str, seed: int) -> Problem:
    rows, parties = deal(dataset.y, CLIENTS[name], SETTINGS[setting][1], seed)
    X = dataset.X
    return Problem(X[rows], dataset.y[rows], parties, X.min(axis=0), X.max(axis=0), seed)


def _add_noise(problem: Problem, epsilon: float) -> Problem:
    """Add the published noise client by client; the bounds grow with it, as nothing clips."""
    X = np.empty_like(problem.X)
    for party in np.unique(problem.parties):
        rows = problem.parties == party
        X[rows] = published_noise(problem.X[rows], epsilon, problem.seed)
    limits = X.min(axis=0), X.max(axis=0)
    return Problem(X, problem.y, problem.parties, *limits, problem.seed)


def _trial(
    measured: Trials, name: str, setting: str, problem: Problem, methods: tuple[str, ...]
) -> None:
    table = SETTINGS[setting.partition(",")[0]][0]
    for method in methods:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = _MODELS[method](problem)
        scores = (
            adjusted_rand_score(problem.y, model.labels_),
            adjusted_mutual_info_score(problem.y, model.labels_),
            normalized_mutual_info_score(problem.y, model.labels_),
        )
        for metric, value in zip(METRICS, scores, strict=True):
            measured.add((table, name, setting, method, metric), value)
        if isinstance(model, ContinualClustering):
            counts = {"nodes": model.n_nodes_, "clusters": model.n_clusters_}
            counts |= {"nodes sent": model.n_sent_, "nodes equal to a row": model.copies_}
            for metric, count in counts.items():
                measured.add((table, name, setting, method, metric), count)


def _fit(model: Any, problem: Problem) -> Any:
    return model.fit(problem.X, parties=problem.parties)


_MODELS: dict[str, Callable[[Problem], Any]] = {
    "k-means": lambda p: KMeans(p.k, n_init=10, max_iter=100, random_state=p.seed).fit(p.X),
    "k-FED": lambda p: _fit(KFed(p.k, random_state=p.seed), p),
    "FedFCM": lambda p: _fit(FedFCM(p.k, random_state=p.seed), p),
    "MUFC": lambda p: _fit(MUFC(p.k, random_state=p.seed), p),
    "FCAC": lambda p: _fit(ContinualClustering(random_state=0), p),
    IMPROVED: lambda p: _fit(
        ContinualClustering(profile="improved", bounds=(p.lower, p.upper), random_state=0), p
    ),
}


def _compare(
    measured: Trials, names: list[str], methods: tuple[str, ...], suffix: str = ""
) -> Comparison:
    """Rank methods over all sets, scenarios and metrics, as Figs. 10a and 11 do."""
    blocks = [(n, s, m) for n in names for s in SETTINGS for m in METRICS]
    return _rank(measured, blocks, methods, suffix)


def _rank(
    measured: Trials,
    blocks: list[tuple[str, str, str]],
    methods: tuple[str, ...],
    suffix: str = "",
) -> Comparison:
    scores = [
        [measured.mean((SETTINGS[s][0], n, s + suffix, method, m)) for method in methods]
        for n, s, m in blocks
    ]
    return compare_ranks(np.array(scores), methods)


def _compare_all(measured: Trials, names: list[str]) -> dict[str, Comparison]:
    found = {"all": _compare(measured, names, METHODS)}
    for setting in SETTINGS:
        blocks = [(n, setting, m) for n in names for m in METRICS]
        found[setting] = _rank(measured, blocks, METHODS)
        for metric in METRICS:
            one = [(n, setting, metric) for n in names]
            found[f"{setting} {metric}"] = _rank(measured, one, METHODS)
        found[f"{setting} improved"] = _rank(measured, blocks, ("FCAC", IMPROVED))
    found["improved"] = _compare(measured, names, ("FCAC", IMPROVED))
    found["with improved"] = _compare(measured, names, (*METHODS, IMPROVED))
    return found


def _add_ranks(measured: Trials, comparisons: dict[str, Comparison]) -> None:
    """Enter the average ranks into the last rows of both tables."""
    for setting, (table, _) in SETTINGS.items():
        titles = {f"average {m} rank": f"{setting} {m}" for m in METRICS}
        for metric, title in {**titles, "average rank": setting}.items():
            for method, rank in comparisons[title].ranks.items():
                measured.add((table, "all", setting, method, metric), rank)


def _write(frame: Any, path: Path) -> Path:
    write_csv(frame, path)
    return path
