"""The attacks on data collaboration, one trial each: who can rebuild what.

Three institutions hold a third of the rows each; the first is the victim, the second colludes.
"""

from __future__ import annotations

import numpy as np

from benchmarks.attacks.studies import Study
from benchmarks.problems import Cells
from consilience.collaboration.alignment import align
from consilience.collaboration.audit.attacks import Attack, attacks_on
from consilience.collaboration.audit.links import link_rows
from consilience.collaboration.audit.scene import MAX_ANCHOR, Scene, Setting
from consilience.collaboration.audit.with_known_rows import mispair
from consilience.kmeans import kmeans
from consilience.privacy.audits.columns import count_columns
from consilience.privacy.audits.known_rows import rebuild_from_known_rows
from consilience.privacy.audits.scores import Scores, score

N_CONTROLS = 5
"""Draws of wrong knowledge in a trial: a single one may be right by chance."""
UNMIXED_ROWS = (1_000, 2_000)
INVERTED_ROWS = (100, 200, 500, 2_000)


def _kept(study: Study) -> dict[str, int]:
    """Return the two numbers of dimensions every table shows."""
    m = study.X.shape[1]
    return {"m-1": m - 1, "m/2": m // 2}


def _record(cell: tuple[str, str, str, str], runs: list[Scores]) -> Cells:
    """Yield the scores of a trial; several runs of it, as of a control, count by their mean."""
    for metric, values in (
        ("median R2", [s.median_r2 for s in runs]),
        ("worst R2", [s.worst_r2 for s in runs]),
        ("relative error", [s.relative_error for s in runs]),
        ("within 10 %", [s.within_10_percent for s in runs]),
        ("top-1", [s.top1 for s in runs]),
    ):
        yield (*cell, metric), float(np.mean(values))


def _run(attack: Attack, scene: Scene, study: Study, honest: bool = True) -> list[Scores]:
    """Run an attack once, or its control with several draws of wrong knowledge."""
    repeats = 1 if honest else N_CONTROLS
    return [attack.rebuild(scene, honest).score(study.columns) for _ in range(repeats)]


def _attack(terms: Setting, study: Study, name: str) -> Attack:
    found = attacks_on(terms, study.X.shape[1], quick=False)
    return next(attack for attack in found if attack.name == name)


def _collusions(terms: Setting, study: Study) -> list[tuple[Attack, str]]:
    names = {"collusion": "least squares", "collusion with prior": "with prior"}
    return [(_attack(terms, study, name), method) for name, method in names.items()]


def collusion(study: Study, seed: int) -> Cells:
    """Analyst and a holder of the anchor, without and with rows like the victim's."""
    for setting, k in _kept(study).items():
        terms = Setting(n_components=k)
        scene = study.scene(terms, seed)
        for attack, method in _collusions(terms, study):
            for honest, suffix in ((True, ""), (False, ", wrong anchor")):
                cell = ("Collusion", study.name, setting, method + suffix)
                yield from _record(cell, _run(attack, scene, study, honest))


def anchor_rows(study: Study, seed: int) -> Cells:
    """Vary the number of anchor rows, from one more than columns, the least that tells the map."""
    n, m = study.X.shape
    rows = {"m + 1": m + 1, "n": min(n, MAX_ANCHOR), **{str(r): r for r in INVERTED_ROWS}}
    for name, n_anchor in rows.items():
        if n_anchor <= m:
            continue
        for setting, k in _kept(study).items():
            terms = Setting(n_components=k, n_anchor=n_anchor)
            scene = study.scene(terms, seed)
            for attack, method in _collusions(terms, study):
                cell = ("Anchor rows", study.name, f"{setting}, r = {name}", method)
                yield from _record(cell, _run(attack, scene, study))


def alone(study: Study, seed: int) -> Cells:
    """Analyst alone: independent component analysis of the anchor representations."""
    for kind in ("uniform", "gaussian"):
        for n_anchor in UNMIXED_ROWS:
            terms = Setting(n_components=study.X.shape[1] - 1, anchor=kind, n_anchor=n_anchor)
            scene = study.scene(terms, seed)
            cell = ("Analyst alone", study.name, f"{kind}, r = {n_anchor}")
            for name, method in (
                ("unmixing", "by quantiles"),
                ("unmixing with correlations", "by quantiles and correlations"),
                ("unmixing with oracle", "oracle"),
            ):
                attack = _attack(terms, study, name)
                yield from _record((*cell, method), _run(attack, scene, study))
                if method != "oracle":
                    runs = _run(attack, scene, study, honest=False)
                    yield from _record((*cell, f"{method}, control"), runs)


def known_rows(study: Study, seed: int) -> Cells:
    """M rows known to the analyst; and to a row-mate who is sent shared coordinates."""
    for setting, k in _kept(study).items():
        terms = Setting(n_components=k)
        scene = study.scene(terms, seed)
        attack = _attack(terms, study, "known rows")
        for honest, method in ((True, "contribution"), (False, "contribution, wrong names")):
            cell = ("Known rows", study.name, setting, method)
            yield from _record(cell, _run(attack, scene, study, honest))
    rng = np.random.default_rng(seed)
    order = rng.permutation(study.X.shape[1])
    for setting in ("m-1", "m/2"):
        yield from _row_mate(study, setting, order, rng, seed)


def _row_mate(
    study: Study, setting: str, order: np.ndarray, rng: np.random.Generator, seed: int
) -> Cells:
    """Two column groups: who holds the second is sent Z, and knows m rows of the first."""
    m = study.X.shape[1]
    groups = order[: m // 2], order[m // 2 :]
    scenes = []
    for group in groups:
        k = max(1, len(group) - 1 if setting == "m-1" else len(group) // 2)
        scenes.append(study.scene(Setting(n_components=k), seed, group))
    pairs = zip(*(scene.anchor_representations for scene in scenes), strict=True)
    anchors = [np.hstack(pair) for pair in pairs]
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
            rebuild_from_known_rows(rows[known], seen[paired], seen[rest]) for paired in pairings
        ]
        cell = ("Known rows", study.name, setting, method)
        yield from _record(cell, [score(rows[rest], guess, columns) for guess in guesses])


def linkage(study: Study, seed: int) -> Cells:
    """Link by a register that has half of the columns, by one that has all, and by order."""
    m = study.X.shape[1]
    for setting, k in {**_kept(study), "m/4": max(1, m // 4)}.items():
        for shuffled in (True, False):
            terms = Setting(n_components=k, shuffled=shuffled)
            for finding in link_rows(terms, [study.scene(terms, seed)]):
                by_order = finding.attack == "order"
                if not shuffled and not by_order:
                    continue
                name = f"order of the {'shuffled ' if shuffled else ''}table"
                method = name if by_order else finding.attack
                cell = ("Linkage", study.name, setting)
                for suffix, value in (("", finding.top1), (", control", finding.control_top1)):
                    assert value is not None
                    yield (*cell, method + suffix, "top-1"), value.mean
