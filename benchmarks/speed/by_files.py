"""A study by files: CPU seconds, peak memory and bytes of each step.

    python -m benchmarks.speed.by_files [ROWS]

2 x 2 parties, 16 columns in all, ten gaussian clusters, from Parquet: one party contributes and is
timed, the others contribute, the analyst analyses, the party labels its rows. Every command is a
process of its own with one thread; what importing the package takes is measured beside it. Results
go to benchmarks/results/speed-by-files.csv, a line a step and size.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed.fresh import ROOT

COLUMNS, CLUSTERS = 16, 10
PARTIES = ("a/x", "a/y", "b/x", "b/y")
RESULTS = ROOT / "benchmarks" / "results" / "speed-by-files.csv"


def write_tables(folder: Path, n_rows: int) -> None:
    """Write the table of each party; ids are texts, and in another order at every party."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(20, 80, size=(CLUSTERS, COLUMNS))
    half = n_rows // 2
    for row in "ab":
        rows = centers[rng.integers(CLUSTERS, size=half)] + rng.normal(scale=5, size=(half, 16))
        ids = np.char.add("P", np.char.zfill(rng.permutation(half).astype(str), 9))
        for j, column in enumerate("xy"):
            names = [f"{column}{k}" for k in range(COLUMNS // 2)]
            order = rng.permutation(half)
            part = np.clip(rows[order, j * 8 : j * 8 + 8], 0, 100)
            table = pd.DataFrame(part, columns=names)
            table.insert(0, "id", ids[order])
            table.to_parquet(folder / f"{row}.{column}.parquet", index=False)


def write_study(folder: Path) -> None:
    """Write the study, and the private folder of each role."""
    from consilience.study.identity import Identity
    from consilience.study.keys import new_key
    from consilience.study.secrets import PrivateFolder

    text = 'name = "speed"\ngrid = {rows = ["a", "b"], columns = ["x", "y"]}\n'
    text += f"[clustering]\nn_clusters = {CLUSTERS}\n"
    for column in "xy":
        text += f"[schema.{column}]\n" + "".join(
            f'{column}{k} = {{kind = "numeric", bounds = [0, 100]}}\n' for k in range(COLUMNS // 2)
        )
    keys = {name: new_key() for name in "abxy"}
    for name in ("analyst", *PARTIES):
        identity = Identity.new(name)
        private = PrivateFolder(folder / "private" / name.replace("/", "."))
        private.write_identity(identity)
        text += f'[keys."{name}"]\nsign = "{identity.public.sign}"\n'
        text += f'seal = "{identity.public.seal}"\n'
        if name != "analyst":
            row, column = name.split("/")
            private.write_key("row", keys[row])
            private.write_key("column", keys[column])
    (folder / "study.toml").write_text(text, encoding="utf-8")


def run(folder: Path, *arguments: str) -> dict[str, float]:
    """Run Python once; return CPU seconds, seconds and peak memory in MB."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment = {**os.environ, **threads, "PYTHONPATH": str(ROOT / "src")}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} ended with {process.returncode}")
    return {
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "seconds": round(time.perf_counter() - start, 1),
        "peak_mb": round(usage.ru_maxrss / 1024),
    }


def steps(folder: Path) -> dict[str, dict[str, float]]:
    """Run the study; return what each step took."""
    command = ("-m", "consilience")
    found = {"import": run(folder, "-c", "import consilience.cli.contribute")}
    for party in PARTIES:
        table = f"{party.replace('/', '.')}.parquet"
        contribute = (*command, "contribute", "study.toml", "--as", party, "--yes")
        found["contribute"] = run(folder, *contribute, "--data", table, "--id", "id")
    sent = folder / f"{PARTIES[-1].replace('/', '.')}.contribution"
    found["contribute"]["bytes_a_row"] = sent.stat().st_size
    contributions = [f"{party.replace('/', '.')}.contribution" for party in PARTIES]
    found["analyse"] = run(folder, *command, "analyse", "study.toml", *contributions)
    answer = folder / "answers" / f"{PARTIES[-1].replace('/', '.')}.answer"
    found["analyse"]["bytes_a_row"] = answer.stat().st_size
    label = (*command, "label", "study.toml", f"answers/{answer.name}", "--as", PARTIES[-1])
    found["label"] = run(folder, *label, "--data", table, "--id", "id")
    return found


def main(n_rows: int) -> None:
    """Measure one size, print it and record it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The peak of a child counts from its fork: make the data in another process.
        subprocess.run([sys.executable, "-m", __spec__.name, "data", name, str(n_rows)], check=True)
        found = pd.DataFrame(steps(folder)).T
    found["bytes_a_row"] = (found["bytes_a_row"] / (n_rows // 2)).round(2)
    found = found.rename_axis("step").reset_index()
    found.insert(0, "rows", n_rows)
    print(found.to_string(index=False))
    known = pd.read_csv(RESULTS) if RESULTS.exists() else found[:0]
    known = pd.concat([known[known["rows"] != n_rows], found]).sort_values("rows", kind="stable")
    known.to_csv(RESULTS, index=False, lineterminator="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["data"]:
        write_tables(Path(sys.argv[2]), int(sys.argv[3]))
        write_study(Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 1_000_000)
