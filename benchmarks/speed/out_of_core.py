"""The analyst's work on rows that do not fit into memory, without sealing and unsealing.

    python -m benchmarks.speed.out_of_core ROWS FOLDER [memory] [disk] [dask] [one-worker] [killed]

2 x 2 parties, 16 columns in all, ten gaussian clusters that touch. What the parties sent lies in
mapped files of FOLDER, as a streamed reader leaves it; from there on it is what ``analyse`` does:
checks, join, alignment, k-means and answers. Each engine runs in a process of its own, in one
thread, and may hold 2 GB (RLIMIT_DATA); Dask has two workers of 2 GB, or one, and ``killed`` loses
one of its two, by kill -9, in the midst of the second step of k-means. CPU seconds are those of
the process and its workers; *pass* are those of giving every row its nearest centre once, from the
same files. Labels are compared by digest. Results go to benchmarks/results/speed-out-of-core.csv.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed.fresh import ROOT, memory

COLUMNS, CLUSTERS, ANCHOR, PART, STEP = 16, 10, 200, 2**20, 0.01
LIMIT = 2 * 10**9
WORKERS = {"dask": 2, "one-worker": 1, "killed": 2}
RESULTS = ROOT / "benchmarks" / "results" / "speed-out-of-core.csv"
PARTIES = ("a/x", "a/y", "b/x", "b/y")


def make(folder: Path, n_rows: int) -> None:
    """Write what every party sent: coordinates as whole numbers, and pseudonyms that rise."""
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=6.0, size=(CLUSTERS, COLUMNS))
    anchor = rng.normal(scale=20.0, size=(ANCHOR, COLUMNS))
    folder.mkdir(parents=True, exist_ok=True)
    for row in "ab":
        turns = [np.linalg.qr(rng.normal(size=(8, 8)))[0] for _ in "xy"]
        files = [
            [(folder / f"{row}.{c}.{part}").open("wb") for part in ("rows", "ids")] for c in "xy"
        ]
        for c, (turn, column) in enumerate(zip(turns, "xy", strict=True)):
            seen = anchor[:, 8 * c : 8 * c + 8] @ turn
            np.save(folder / f"{row}.{column}.anchor.npy", np.round(seen / STEP).astype(np.int32))
        n_own, gap = n_rows // 2, 2**64 // (n_rows // 2 + 1)
        for start in range(0, n_own, PART):
            n = min(PART, n_own - start)
            X = centers[rng.integers(CLUSTERS, size=n)] + rng.normal(scale=4.0, size=(n, COLUMNS))
            heads = np.arange(start, start + n, dtype=np.uint64) * np.uint64(gap)
            heads += rng.integers(gap, size=n, dtype=np.uint64)
            codes = np.stack([heads, rng.integers(2**63, size=n, dtype=np.uint64)], axis=1)
            for c, (of_rows, of_ids) in enumerate(files):
                part = X[:, 8 * c : 8 * c + 8] @ turns[c]
                of_rows.write(np.round(part / STEP).astype(np.int16).data)
                of_ids.write(codes.astype(">u8").data)
        for pair in files:
            for file in pair:
                file.close()


def read(folder: Path):
    """Return the contributions, as maps of the files."""
    from consilience.messages import Contribution

    for party in PARTIES:
        name = party.replace("/", ".")
        yield Contribution(
            study="",
            sender=party,
            recipient="analyst",
            representation=np.asarray(np.memmap(folder / f"{name}.rows", np.int16, "r")).reshape(
                -1, 8
            ),
            anchor=np.load(folder / f"{name}.anchor.npy"),
            anchor_digest=party[-1],
            pseudonyms=np.asarray(np.memmap(folder / f"{name}.ids", np.uint8, "r").reshape(-1, 16)),
            steps=np.full(8, STEP),
        )


def measure(how: str, folder: Path) -> dict[str, float | str]:
    """Solve once; report what it took."""
    from consilience.collaboration.analyst import Analyst
    from consilience.engines.in_memory import InMemory
    from consilience.engines.on_dask import OnDask, dask_client
    from consilience.engines.on_disk import OnDisk, run_here
    from consilience.kmeans import nearest_centers
    from consilience.mapped import in_blocks

    steps: dict[str, float] = {}
    victims: list[int] = []

    def tell(doing: str, done: int, total: int) -> None:
        if done == total:
            steps[doing] = time.process_time()
        if how == "killed" and not victims and doing == "k-means, step 2" and done >= total / 2:
            victims.append(next(iter(client.run(os.getpid).values())))
            os.kill(victims[0], signal.SIGKILL)

    if how != "memory":
        resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))
    spill, begin, clock = folder / f"spill-{how}", time.process_time(), time.perf_counter()
    cluster = dask_client(n_workers=WORKERS[how], memory=LIMIT) if how in WORKERS else nullcontext()
    with cluster as client:
        run = run_here if client is None else OnDask(client)
        engine = InMemory(tell) if how == "memory" else OnDisk(spill, run=run, tell=tell)
        analyst = Analyst(["a", "b"], ["x", "y"], n_clusters=CLUSTERS, engine=engine, seed=0)
        for message in read(folder):
            answers = analyst.receive(message)
        digest = hashlib.sha256()
        for answer in answers:
            for part in in_blocks(answer.labels, PART):
                digest.update(part.astype(np.int64).data)
        seconds = time.perf_counter() - clock
    spent = time.process_time() - begin
    peak = memory("VmHWM") / 1e6
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    workers = children.ru_utime + children.ru_stime
    begin = time.process_time()
    if how == "disk":
        nearest_centers(analyst.rows, analyst.partition.centers)
    one_pass = time.process_time() - begin
    shutil.rmtree(spill, ignore_errors=True)
    n_steps = sum(doing.startswith("k-means") for doing in steps)
    return {
        "cpu_seconds": spent + workers,
        "seconds": seconds,
        "peak_mb": peak,
        "worker_peak_mb": children.ru_maxrss / 1024 if how in WORKERS else np.nan,
        "steps": n_steps,
        "pass_seconds": one_pass if how == "disk" else np.nan,
        "labels": digest.hexdigest()[:12],
    }


def main(n_rows: int, folder: Path, engines: list[str]) -> None:
    """Make the contributions, let each engine solve them, print and record."""
    subprocess.run(
        [sys.executable, "-m", __spec__.name, "make", str(folder), str(n_rows)], check=True
    )
    known = pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame()
    for how in engines:
        command = [sys.executable, "-m", __spec__.name, "measure", str(folder), how]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = {"rows": n_rows, "engine": how, **json.loads(said.splitlines()[-1])}
        print(found, flush=True)
        if len(known):
            known = known[(known["rows"] != n_rows) | (known["engine"] != how)]
        known = pd.concat([known, pd.DataFrame([found])])
        known.sort_values(["rows", "engine"]).to_csv(
            RESULTS, index=False, float_format="%.4g", lineterminator="\n"
        )
    shutil.rmtree(folder)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "measure":
        print(json.dumps(measure(sys.argv[3], Path(sys.argv[2]))))
    else:
        main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or ["memory", "disk", "dask"])
