"""Memory and time of ``consilience contribute`` for a large table.

    python -m benchmarks.speed.contribute

A party with 1,000,000 rows of 16 columns in a CSV file contributes, in a process of its own. What
is reported is its peak memory less that of a process which only imports the same modules, as a
multiple of the matrix (128 MB). Results go to benchmarks/results/speed-contribute.csv.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS, COLUMNS = 1_000_000, 16
MATRIX_BYTES = 8 * ROWS * COLUMNS
LIMIT = 4.0
SOURCE = Path(__file__).parents[2] / "src"
RESULTS = Path(__file__).parents[1] / "results" / "speed-contribute.csv"

STUDY = """
name = "speed"
grid = {rows = ["a"], columns = ["all"]}
[schema.all]
"""


def write_data(path: Path) -> None:
    """Write the table, a part at a time."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    names = [f"x{j}" for j in range(COLUMNS)]
    for start in range(0, ROWS, 100_000):
        part = pd.DataFrame(rng.uniform(0, 100, size=(100_000, COLUMNS)), columns=names)
        part.insert(0, "id", [f"P{start + i:09d}" for i in range(len(part))])
        part.to_csv(path, mode="a", index=False, header=start == 0)


def write_study(folder: Path) -> None:
    """Write the study and the secrets of its two roles."""
    from consilience.study.identity import Identity
    from consilience.study.keys import new_key
    from consilience.study.secrets import PrivateFolder

    text = STUDY + "".join(
        f'x{j} = {{kind = "numeric", bounds = [0, 100]}}\n' for j in range(COLUMNS)
    )
    for name in ("analyst", "a/all"):
        identity, secrets = Identity.new(name), folder / "private" / name.replace("/", ".")
        PrivateFolder(secrets).write_identity(identity)
        public = identity.public
        text += f'[keys."{name}"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    party = PrivateFolder(folder / "private" / "a.all")
    party.write_key("column", new_key())
    party.write_key("row", new_key())
    (folder / "study.toml").write_text(text, encoding="utf-8")


def run(arguments: list[str], folder: Path) -> tuple[float, int]:
    """Run Python with arguments; return seconds and peak memory in bytes."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def main() -> None:
    """Measure, print and record."""
    sys.path.insert(0, str(SOURCE))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The peak of a child counts from its fork: make the data in another process.
        subprocess.run([sys.executable, __file__, "data", name], check=True)
        _, imports = run(["-c", "import consilience.cli.contribute"], folder)
        command = ["-m", "consilience", "contribute", "study.toml", "--as", "a/all", "--yes"]
        seconds, peak = run([*command, "--data", "a.csv", "--id", "id"], folder)
        sent = (folder / "a.all.contribution").stat().st_size
    multiple = (peak - imports) / MATRIX_BYTES
    print(f"{ROWS:,} rows x {COLUMNS} columns: {seconds:.1f} s, {multiple:.2f} x the matrix")
    row = {
        "rows": ROWS,
        "columns": COLUMNS,
        "matrix_bytes": MATRIX_BYTES,
        "import_peak_bytes": imports,
        "peak_bytes": peak,
        "peak_over_matrix": round(multiple, 3),
        "limit": LIMIT,
        "seconds": round(seconds, 1),
        "bundle_bytes": sent,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, row, lineterminator="\n")
        writer.writeheader()
        writer.writerow(row)
    if multiple > LIMIT:
        raise SystemExit(f"peak memory is {multiple:.2f} x the matrix, must be <= {LIMIT}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["data"]:
        sys.path.insert(0, str(SOURCE))
        write_data(Path(sys.argv[2]) / "a.csv")
        write_study(Path(sys.argv[2]))
    else:
        main()
