"""Studies of classes, groups and summaries by files: CPU seconds and peak memory of each step.

    python -m benchmarks.speed.kinds [ROWS]

One party with rows of 8 columns and one of four classes from Parquet contributes, the analyst
analyses, the party labels its rows. Every command is a process of its own with one thread; what
importing the package takes is part of every line. Results go to
benchmarks/results/speed-kinds.csv, a line a kind, step and size.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed.by_files import run
from benchmarks.speed.fresh import ROOT

COLUMNS, CLASSES = 8, ("a", "b", "c", "d")
RESULTS = ROOT / "benchmarks" / "results" / "speed-kinds.csv"
LEARNING = f'[learning]\nholder = "x"\ntarget = "class"\nclasses = {list(CLASSES)}\n'
KINDS = {
    "classes": LEARNING,
    "groups": f'{LEARNING}labels = "distribution"\nthreshold = 0.2\n',
    "summaries": "[summaries]\nepsilon = 1.0\nn_clusters = 4\n",
}


def write_table(folder: Path, n_rows: int) -> None:
    """Write the table, part by part; that of summaries has no classes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    centers, order = rng.uniform(20, 80, size=(len(CLASSES), COLUMNS)), rng.permutation(n_rows)
    writers = {}
    for part in np.array_split(order, -(-n_rows // 500_000)):
        y = rng.integers(len(CLASSES), size=len(part))
        rows = np.clip(centers[y] + rng.normal(scale=5, size=(len(y), COLUMNS)), 0, 100)
        columns = {"id": [f"P{k:09d}" for k in part]}
        columns |= {f"x{j}": rows[:, j] for j in range(COLUMNS)}
        for name, more in {"rows": {}, "labelled": {"class": np.array(CLASSES)[y]}}.items():
            table = pa.table(columns | more)
            if name not in writers:
                writers[name] = pq.ParquetWriter(folder / f"{name}.parquet", table.schema)
            writers[name].write_table(table)
    for writer in writers.values():
        writer.close()


def write_study(folder: Path, kind: str) -> None:
    """Write a study of a kind into a folder of its own, and the private folder of each role."""
    from consilience.study.keys import new_key
    from consilience.study.secrets import PrivateFolder

    text = f'kind = "{kind}"\nname = "{kind}"\ngrid = {{rows = ["a"], columns = ["x"]}}\n'
    text += f"{KINDS[kind]}[schema.x]\n" + "".join(
        f'x{k} = {{kind = "numeric", bounds = [0, 100]}}\n' for k in range(COLUMNS)
    )
    for name in ("analyst", "a/x"):
        private = PrivateFolder(folder / kind / "private" / name.replace("/", "."))
        text += private.identity_of(name).public_lines()
        if name != "analyst":
            private.write_key("row", new_key())
            private.write_key("column", new_key())
    (folder / kind / "study.toml").write_text(text, encoding="utf-8")


def steps(folder: Path, kind: str):
    """Run a study of a kind; yield each step and what it took."""
    table = "rows.parquet" if kind == "summaries" else "labelled.parquet"
    given = ("--as", "a/x", "--data", str(folder / table), "--id", "id")
    for step, *words in (
        ("contribute", *given, "--yes"),
        ("analyse", "a.x.contribution"),
        ("label", "answers/a.x.answer", *given),
    ):
        yield step, run(folder / kind, "-m", "consilience", step, "study.toml", *words)


def main(n_rows: int) -> None:
    """Measure one size, print it and record it."""
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The peak of a child counts from its fork: make the data in another process.
        subprocess.run([sys.executable, "-m", __spec__.name, "data", name, str(n_rows)], check=True)
        for kind in KINDS:
            for step, took in steps(folder, kind):
                lines.append({"rows": n_rows, "kind": kind, "step": step, **took})
                print(lines[-1], flush=True)
    found = pd.DataFrame(lines)
    known = pd.read_csv(RESULTS) if RESULTS.exists() else found[:0]
    known = pd.concat([known[known["rows"] != n_rows], found]).sort_values("rows", kind="stable")
    known.to_csv(RESULTS, index=False, lineterminator="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["data"]:
        write_table(Path(sys.argv[2]), int(sys.argv[3]))
        for kind in KINDS:
            write_study(Path(sys.argv[2]), kind)
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 500_000)
