"""The attacks on data collaboration, measured: who can rebuild what, and what each defence buys.

Three institutions hold a third of the rows each; the first is the victim, the second colludes. The
reference figures are those measured before this package was written, by other code.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.progress import Progress

from benchmarks.attacks.defaults import measure_defaults
from benchmarks.attacks.defences import measure_defences
from benchmarks.attacks.messages import measure_messages
from benchmarks.attacks.page import write_pages
from benchmarks.attacks.studies import Study, attack_studies
from benchmarks.tables import Trials, compare, published, write_csv
from consilience.collaboration.alignment import align
from consilience.collaboration.attacks import Attack, attacks_on, mispair
from consilience.collaboration.clustering import kmeans
from consilience.collaboration.links import link_rows
from consilience.collaboration.scene import MAX_ANCHOR, Scene, Terms
from consilience.privacy.audits import Scores, count_columns, rebuild_from_known_rows, score

__all__ = ["run"]

SMALL_ROWS, SMALL_TRIALS, LARGE_TRIALS, DEFAULTS_TRIALS = 1_000, 20, 3, 20
N_CONTROLS = 5
"""Draws of wrong knowledge in a trial: a single one may be right by chance."""
UNMIXED_ROWS = (1_000, 2_000)
INVERTED_ROWS = (100, 200, 500, 2_000)


def run(*, trials: int | None, data: Path | None, out: Path, progress: Progress) -> Iterator[Path]:
    """Measure every attack and defence and write the results and the pages.

    Parameters
    ----------
    trials : int or None
        Trials per cell; None means 20 for sets of up to 1,000 rows and for the defaults, and 3
        for larger sets.
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
    studies = attack_studies(data)
    budget = {study.name: trials or _default_trials(study) for study in studies}
    budget["defaults"] = trials or DEFAULTS_TRIALS
    measured = Trials()
    task = progress.add_task("attacks", total=sum(budget.values()))
    for study in studies:
        for seed in range(budget[study.name]):
            _collusion(measured, study, seed)
            _anchor_rows(measured, study, seed)
            _alone(measured, study, seed)
            _known_rows(measured, study, seed)
            _linkage(measured, study, seed)
            measure_messages(measured, study, seed)
            measure_defences(measured, study, seed)
            progress.advance(task)
    for seed in range(budget["defaults"]):
        measure_defaults(measured, data, seed)
        progress.advance(task)
    results = compare(measured.summary(), published("attacks"))
    path = out / "benchmarks" / "results" / "attacks.csv"
    write_csv(results, path)
    yield path
    yield from write_pages(results, studies, budget, out)


def _default_trials(study: Study) -> int:
    return SMALL_TRIALS if len(study.X) <= SMALL_ROWS else LARGE_TRIALS


def kept(study: Study) -> dict[str, int]:
    """Return the two numbers of dimensions every table shows."""
    m = study.X.shape[1]
    return {"m-1": m - 1, "m/2": m // 2}


def _record(measured: Trials, cell: tuple[str, str, str, str], *runs: Scores) -> None:
    """Add one trial; several runs of a trial, as of a control, count by their mean."""
    for metric, values in (
        ("median R2", [s.median_r2 for s in runs]),
        ("worst R2", [s.worst_r2 for s in runs]),
        ("relative error", [s.relative_error for s in runs]),
        ("within 10 %", [s.within_10_percent for s in runs]),
        ("top-1", [s.top1 for s in runs]),
    ):
        measured.add((*cell, metric), float(np.mean(values)))


def _run(attack: Attack, scene: Scene, study: Study, honest: bool = True) -> list[Scores]:
    """Run an attack once, or its control with several draws of wrong knowledge."""
    repeats = 1 if honest else N_CONTROLS
    return [score(*attack.rebuild(scene, honest), study.columns) for _ in range(repeats)]


def _attack(terms: Terms, study: Study, name: str) -> Attack:
    found = attacks_on(terms, study.X.shape[1], quick=False)
    return next(attack for attack in found if attack.name == name)


def _collusion(measured: Trials, study: Study, seed: int) -> None:
    """Analyst and a holder of the anchor, without and with rows like the victim's."""
    for setting, k in kept(study).items():
        terms = Terms(n_components=k)
        scene = study.scene(terms, seed)
        for attack, method in _collusions(terms, study):
            for honest, suffix in ((True, ""), (False, ", wrong anchor")):
                cell = ("Collusion", study.name, setting, method + suffix)
                _record(measured, cell, *_run(attack, scene, study, honest))


def _anchor_rows(measured: Trials, study: Study, seed: int) -> None:
    """Vary the number of anchor rows, from one more than columns, the least that tells the map."""
    n, m = study.X.shape
    rows = {"m + 1": m + 1, "n": min(n, MAX_ANCHOR), **{str(r): r for r in INVERTED_ROWS}}
    for name, n_anchor in rows.items():
        if n_anchor <= m:
            continue
        for setting, k in kept(study).items():
            terms = Terms(n_components=k, n_anchor=n_anchor)
            scene = study.scene(terms, seed)
            for attack, method in _collusions(terms, study):
                cell = ("Anchor rows", study.name, f"{setting}, r = {name}", method)
                _record(measured, cell, *_run(attack, scene, study))


def _collusions(terms: Terms, study: Study) -> list[tuple[Attack, str]]:
    names = {"collusion": "least squares", "collusion with prior": "with prior"}
    return [(_attack(terms, study, name), method) for name, method in names.items()]


def _alone(measured: Trials, study: Study, seed: int) -> None:
    """Analyst alone: independent component analysis of the anchor representations."""
    for kind in ("uniform", "gaussian"):
        for n_anchor in UNMIXED_ROWS:
            terms = Terms(n_components=study.X.shape[1] - 1, anchor=kind, n_anchor=n_anchor)
            scene = study.scene(terms, seed)
            for name, method in (
                ("unmixing", "by quantiles"),
                ("unmixing with correlations", "by quantiles and correlations"),
                ("unmixing with oracle", "oracle"),
            ):
                attack = _attack(terms, study, name)
                cell = ("Analyst alone", study.name, f"{kind}, r = {n_anchor}", method)
                _record(measured, cell, *_run(attack, scene, study))
                if method != "oracle":
                    cell = (*cell[:3], f"{method}, control")
                    _record(measured, cell, *_run(attack, scene, study, honest=False))


def _known_rows(measured: Trials, study: Study, seed: int) -> None:
    """M rows known to the analyst; and to a row-mate who is sent shared coordinates."""
    for setting, k in kept(study).items():
        terms = Terms(n_components=k)
        scene = study.scene(terms, seed)
        attack = _attack(terms, study, "known rows")
        for honest, method in ((True, "contribution"), (False, "contribution, wrong names")):
            cell = ("Known rows", study.name, setting, method)
            _record(measured, cell, *_run(attack, scene, study, honest))
    _row_mate(measured, study, seed)


def _row_mate(measured: Trials, study: Study, seed: int) -> None:
    """Two column groups: who holds the second is sent Z, and knows m rows of the first."""
    m = study.X.shape[1]
    rng = np.random.default_rng(seed)
    order = rng.permutation(m)
    groups = order[: m // 2], order[m // 2 :]
    for setting in ("m-1", "m/2"):
        scenes = []
        for group in groups:
            k = max(1, len(group) - 1 if setting == "m-1" else len(group) // 2)
            scenes.append(study.scene(Terms(n_components=k), seed, group))
        n_parties = len(scenes[0].anchor_representations)
        anchors = [
            np.hstack([s.anchor_representations[i] for s in scenes]) for i in range(n_parties)
        ]
        Z = align(anchors)[0].apply(np.hstack([s.representation for s in scenes]))
        rows = scenes[0].rows
        columns = count_columns(study.X[:, groups[0]])
        order = rng.permutation(len(rows))
        known, rest = order[:m], order[m:]
        labels, _ = kmeans(Z.copy(), study.n_clusters, seed)
        told = np.eye(study.n_clusters)[labels]
        right = [known]
        wrong = [mispair(known, rest, rng) for _ in range(N_CONTROLS)]
        for seen, pairings, method in (
            (Z, right, "shared coordinates"),
            (Z, wrong, "shared coordinates, wrong names"),
            (told, right, "labels"),
            (told, wrong, "labels, wrong names"),
        ):
            guesses = [
                rebuild_from_known_rows(rows[known], seen[paired], seen[rest])
                for paired in pairings
            ]
            cell = ("Known rows", study.name, setting, method)
            _record(measured, cell, *(score(rows[rest], guess, columns) for guess in guesses))


def _linkage(measured: Trials, study: Study, seed: int) -> None:
    """Link by a register that has half of the columns, by one that has all, and by order."""
    m = study.X.shape[1]
    for setting, k in {**kept(study), "m/4": max(1, m // 4)}.items():
        for shuffled in (True, False):
            terms = Terms(n_components=k, shuffled=shuffled)
            for finding in link_rows(terms, [study.scene(terms, seed)]):
                by_order = finding.attack == "order"
                if not shuffled and not by_order:
                    continue
                name = f"order of the {'shuffled ' if shuffled else ''}table"
                cell = ("Linkage", study.name, setting, name if by_order else finding.attack)
                for method, value in (("", finding.top1), (", control", finding.control_top1)):
                    assert value is not None
                    measured.add((*cell[:3], cell[3] + method, "top-1"), value.mean)
