"""Three ``consilience peer`` processes on loopback, over shuttle (58,000 x 9).

    CONSILIENCE_DATA=DIR python -m benchmarks.speed.peers

Each peer holds three columns and runs k-means. Shows the wall time and the processor time of the
three processes, start-up included, whether the labels equal the in-process estimator's, and the
bytes sent against Proposition 3.1: what labels and ranks need in bits, and what framing adds.
Results go to benchmarks/results/speed-peers.csv.
"""

from __future__ import annotations

import ast
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from benchmarks.speed.fresh import record
from consilience import ConsensusClustering
from consilience.consensus.mesh import curve_keys
from consilience.consensus.protocol.payloads import bit_width
from consilience.datasets import load
from consilience.sources.source import Source
from consilience.study.identity import Identity
from consilience.study.keys import derive_key
from consilience.study.rows import read_rows
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

COLUMNS = {"bank": [0, 1, 2], "clinic": [3, 4, 5], "insurer": [6, 7, 8]}


@dataclass
class Run:
    """What peers of one row institution, each a process, came to.

    Parameters
    ----------
    table : ndarray of shape (n_rows, n_columns)
        What they clustered, in the order of all peers.
    found : list of ndarray of shape (n_rows,)
        The labels of each.
    said : dict of str to str
        What each wrote to stderr.
    wall_seconds, cpu_seconds : float
        Start-up included; of all processes.
    """

    table: np.ndarray
    found: list[np.ndarray]
    said: dict[str, str]
    wall_seconds: float
    cpu_seconds: float

    def all_have(self, labels: np.ndarray) -> bool:
        """Tell whether all found these labels."""
        return all(np.array_equal(found, labels) for found in self.found)


def free_port() -> int:
    """Find a port nobody uses."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def write_study(home: Path, X: np.ndarray, dealt: dict[str, list[int]], terms: dict) -> Study:
    """Write study file, keys and tables."""
    lines = ['name = "peers"', f'grid = {{rows = ["people"], columns = {list(dealt)}}}']
    for name, columns in dealt.items():
        lines.append(f"[schema.{name}]")
        lines += [f'v{j} = {{kind = "numeric", bounds = [-1e6, 1e6]}}' for j in columns]
        table = pd.DataFrame(X[:, columns], columns=[f"v{j}" for j in columns])
        table.insert(0, "id", np.arange(len(X)))
        table.to_csv(home / f"{name}.csv", index=False)
    lines += ["[consensus]", "timeout = 120.0", *(f"{k} = {v}" for k, v in terms.items())]
    for name in (f"people/{column}" for column in dealt):
        folder = PrivateFolder(home / "private" / name.replace("/", "."))
        identity = Identity.new(name)
        folder.write_identity(identity)
        folder.write_key("row", b"r" * 32)
        curve, _ = curve_keys(derive_key(identity.signing.private_bytes_raw(), "curve"))
        public = identity.public
        lines += [f'[keys."{name}"]', f'sign = "{public.sign}"', f'seal = "{public.seal}"']
        lines += [f'[consensus.places."{name}"]', f'curve = "{curve}"']
        lines.append(f'endpoint = "tcp://127.0.0.1:{free_port()}"')
    (home / "study.toml").write_text("\n".join(lines) + "\n")
    return Study.load(home / "study.toml")


def children_seconds() -> float:
    """Return the processor time of finished child processes."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def bound_bits(model: ConsensusClustering, n_labels: int) -> int:
    """Bits of one peer to one other: labels of active rows, places of members of clusters."""
    bits = 0
    for level in range(model.n_iter_):
        before = np.unique(model.hierarchy_.medoids(min(level, model.hierarchy_.n_levels)))
        after = model.hierarchy_.medoids(min(level + 1, model.hierarchy_.n_levels))[before]
        sizes = np.bincount(np.unique(after, return_inverse=True)[1])
        bits += len(before) * bit_width(n_labels) + sizes[sizes > 1].sum() * bit_width(len(before))
    return int(bits)


def run_processes(
    home: Path, X: np.ndarray, dealt: dict[str, list[int]], n_clusters: int, terms: dict
) -> Run:
    """Run ``consilience peer`` for every column group, in a folder, over loopback."""
    study = write_study(home, X, dealt, terms)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    start, used = time.perf_counter(), children_seconds()
    running = {
        name: subprocess.Popen(
            [
                *(sys.executable, "-m", "consilience", "peer", str(home / "study.toml")),
                *("--as", f"people/{name}", "--data", str(home / f"{name}.csv"), "--id", "id"),
                *("--set", f"n_clusters={n_clusters}", "--out", str(home / f"{name}-labels.csv")),
                "--yes",
            ],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in dealt
    }
    said = {name: process.communicate(timeout=600)[1] for name, process in running.items()}
    seconds, used = time.perf_counter() - start, children_seconds() - used
    sources = {name: Source(home / f"{name}.csv", "id") for name in dealt}
    rows = [read_rows(study, f"people/{n}", source, b"r" * 32) for n, source in sources.items()]
    table = np.hstack([(r.matrix - r.matrix.mean(0)) / r.matrix.std(0) for r in rows])
    ids = rows[0].ids.iloc[rows[0].kept].astype(int).to_numpy()
    found = [
        pd.read_csv(home / f"{n}-labels.csv").set_index("id").cluster.loc[ids].to_numpy()
        for n in dealt
    ]
    return Run(table, found, said, seconds, used)


def sent_by(said: str) -> dict[str, int]:
    """Read how many bytes of each kind of message a process says it has sent."""
    return ast.literal_eval(re.search(r"bytes: (\{.*?\})", said.replace("\n", " "))[1])


def main() -> None:
    """Run, compare, print and write."""
    X = load("shuttle").X
    with tempfile.TemporaryDirectory() as folder:
        run = run_processes(Path(folder), X, COLUMNS, n_clusters=5, terms={"seed": 3})
    start = time.perf_counter()
    model = ConsensusClustering(
        KMeans(5), columns=[*COLUMNS.values()], profile="paper", random_state=3
    ).fit(run.table)
    in_process = time.perf_counter() - start
    results = []
    for name, text in run.said.items():
        sent = sent_by(text)
        results.append(
            {
                "peer": name,
                "bytes_sent": sum(sent.values()),
                "labels_and_ranks": sent["LocalLabels"] + sent["Ranking"],
                "bound_3_1": 2 * bound_bits(model, 5) / 8,
                "pseudonyms": sent["Outline"] + sent.get("Roster", 0),
                "wall_seconds": run.wall_seconds,
                "cpu_seconds_of_all": run.cpu_seconds,
                "in_process_seconds": in_process,
                "labels_identical": run.all_have(model.labels_),
                "iterations": model.n_iter_,
                "clusters": model.n_clusters_,
            }
        )
        print(results[-1])
    record(pd.DataFrame(results), "peers", digits=6)


if __name__ == "__main__":
    main()
