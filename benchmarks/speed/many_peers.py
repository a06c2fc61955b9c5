"""Many peers: bytes of control, of labels and ranks and of rosters, and processor time.

    python -m benchmarks.speed.many_peers small [VERSION]     # 3 to 40 peers, 2,000 rows
    python -m benchmarks.speed.many_peers large [VERSION]     # 200,000 rows
    python -m benchmarks.speed.many_peers rosters [VERSION]   # 200,000 rows, of which some differ
    python -m benchmarks.speed.many_peers loopback            # 20 processes over loopback

All but the last run in one process. Each peer holds two columns of made-up rows in eight piles, and
runs k-means, for at most four iterations. Labels are compared with those of
``ConsensusClustering``. Results go to benchmarks/results/speed-many-peers.csv,
where VERSION is "now" unless said: to measure an earlier version, run this file with its sources on
the path. A third word is the only number of peers to measure.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter, deque
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from benchmarks.speed.fresh import ROOT, record
from benchmarks.speed.peers import run_processes, sent_by
from consilience import ConsensusClustering
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.transports.wire import encode

KINDS = {"LocalLabels": "labels_and_ranks", "Ranking": "labels_and_ranks"}
KINDS |= {"Outline": "rosters", "Roster": "rosters"}
RESULTS = ROOT / "benchmarks" / "results" / "speed-many-peers.csv"
SEED, N_GROUPS, MAX_ITER = 3, 4, 4
TERMS = {"seed": SEED, "max_iter": MAX_ITER}


def made_rows(n_rows: int, n_peers: int) -> np.ndarray:
    """Make rows in eight piles, of which every peer sees other sides."""
    rng = np.random.default_rng(n_peers)
    centers = rng.uniform(-10, 10, size=(8, 2 * n_peers))
    return centers[rng.integers(8, size=n_rows)] + rng.normal(size=(n_rows, 2 * n_peers))


def columns_of(n_peers: int) -> list[list[int]]:
    """Deal two columns to each peer."""
    return [[2 * k, 2 * k + 1] for k in range(n_peers)]


def expected(X: np.ndarray, n_peers: int) -> ConsensusClustering:
    """Cluster the rows all peers hold by the estimator."""
    agreed = {"max_iter": MAX_ITER, "profile": "paper", "random_state": SEED}
    return ConsensusClustering(KMeans(N_GROUPS), columns=columns_of(n_peers), **agreed).fit(X)


def in_process(n_peers: int, n_rows: int, missing: float = 0.0) -> dict:
    """Let peers agree, each without a share of the rows; count bytes by what they are for."""
    X, rng = made_rows(n_rows, n_peers), np.random.default_rng(n_rows)
    codes = rng.integers(256, size=(n_rows, 16), dtype=np.uint8)
    codes = codes[np.lexsort(codes.T[::-1])]
    names = tuple(f"peer-{k:02d}" for k in range(n_peers))
    held, roles = {}, {}
    start = time.process_time()
    for name, columns in zip(names, columns_of(n_peers), strict=True):
        held[name] = np.flatnonzero(rng.random(n_rows) >= missing)
        own, terms = X[held[name]][:, columns], ConsensusTerms(**TERMS)
        step, given = LocalStep(KMeans(N_GROUPS)), {"pseudonyms": codes[held[name]], "study": "s"}
        roles[name] = Peer(name, names, own, terms, step, **given)
    sent, queue = Counter(), deque(m for role in roles.values() for m in role.begin())
    counting = 0.0
    while queue:
        message = queue.popleft()
        begun = time.process_time()
        sent[KINDS.get(type(message).__name__, "control")] += len(encode(message))
        counting += time.process_time() - begun
        queue.extend(roles[message.recipient].receive(message))
    seconds = time.process_time() - start - counting
    common = np.flatnonzero(np.bincount(np.concatenate([*held.values()])) == n_peers)
    begun = time.process_time()
    model = expected(X[common], n_peers)
    same = all(
        np.array_equal(role.labels[np.isin(held[name], common)], model.labels_)
        for name, role in roles.items()
    )
    return {
        "peers": n_peers,
        "rows": n_rows,
        "missing": missing,
        **{kind: sent[kind] for kind in ("control", "labels_and_ranks", "rosters")},
        "cpu_seconds": seconds,
        "estimator_cpu_seconds": time.process_time() - begun,
        "iterations": model.n_iter_,
        "clusters": model.n_clusters_,
        "labels_identical": same,
    }


def over_loopback(n_peers: int, n_rows: int) -> dict:
    """Let processes agree, start-up included."""
    X = made_rows(n_rows, n_peers)
    columns = {f"peer{k:02d}": own for k, own in enumerate(columns_of(n_peers))}
    with tempfile.TemporaryDirectory() as folder:
        run = run_processes(Path(folder), X, columns, N_GROUPS, TERMS)
        model = expected(run.table, n_peers)
        same = run.all_have(model.labels_)
    sent = Counter()
    for said in run.said.values():
        for kind, n_bytes in sent_by(said).items():
            sent[KINDS.get(kind, "control")] += n_bytes
    return {
        "peers": n_peers,
        "rows": n_rows,
        "missing": 0.0,
        **sent,
        "cpu_seconds": run.cpu_seconds,
        "wall_seconds": run.wall_seconds,
        "iterations": model.n_iter_,
        "clusters": model.n_clusters_,
        "labels_identical": same,
    }


PLANS = {
    "small": [(in_process, n, 2_000, 0.0) for n in (3, 8, 20, 40)],
    "large": [(in_process, n, 200_000, 0.001) for n in (3, 8, 20, 40)],
    "rosters": [(in_process, 3, 200_000, f) for f in (0.0, 0.0001, 0.001, 0.01, 0.1)],
    "loopback": [(over_loopback, 20, 2_000)],
}


def main(what: str, version: str = "now", only: str = "") -> None:
    """Measure what is asked for, print it and replace its lines in the results."""
    for measure, n_peers, *sizes in PLANS[what]:
        if only and n_peers != int(only):
            continue
        found = pd.DataFrame([{"what": what, "version": version, **measure(n_peers, *sizes)}])
        print(found.to_dict("records"), flush=True)
        results = pd.concat([pd.read_csv(RESULTS), found]) if RESULTS.exists() else found
        place = ["what", "version", "peers", "rows", "missing"]
        results = results[results.what.isin(PLANS)].drop_duplicates(place, keep="last")
        record(results.sort_values(place), "many-peers", digits=6)


if __name__ == "__main__":
    main(*sys.argv[1:])
