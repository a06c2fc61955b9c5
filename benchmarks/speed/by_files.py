"""A study by files: CPU seconds, peak memory and bytes of each step.

    python -m benchmarks.speed.by_files [ROWS]
    python -m benchmarks.speed.by_files party [ROWS_OF_A_PARTY]
    python -m benchmarks.speed.by_files analyse ROWS

2 x 2 parties, 16 columns in all, ten gaussian clusters, from Parquet: one party contributes and is
timed, the others contribute, the analyst analyses, the party labels its rows. Every command is a
process of its own with one thread; what importing the package takes is measured beside it. Results
go to benchmarks/results/speed-by-files.csv, a line a step and size.

With ``party``, one party alone: it contributes its rows of 8 columns, as they are and rounded, and
labels them by an answer made for that, since an analyst takes longer than either. Results go to
benchmarks/results/speed-party.csv.

With ``analyse``, the analyst alone: what the four parties sent is analysed on disk, and up to
2,000,000 rows in memory, too. Results go to benchmarks/results/speed-analyse.csv.
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
SENT = [f"{party.replace('/', '.')}.contribution" for party in PARTIES]
RESULTS = ROOT / "benchmarks" / "results" / "speed-by-files.csv"
PARTY_RESULTS = RESULTS.with_name("speed-party.csv")
ANALYST_RESULTS = RESULTS.with_name("speed-analyse.csv")
MAX_IN_MEMORY = 2_000_000


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


def write_party(folder: Path, n_rows: int) -> None:
    """Write the table of the last party alone, part by part."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    centers, order = rng.uniform(20, 80, size=(CLUSTERS, 8)), rng.permutation(n_rows)
    writer = None
    for part in np.array_split(order, -(-n_rows // 500_000)):
        rows = centers[rng.integers(CLUSTERS, size=len(part))]
        rows = np.clip(rows + rng.normal(scale=5, size=rows.shape), 0, 100)
        columns = {"id": [f"P{k:09d}" for k in part]}
        table = pa.table(columns | {f"y{k}": rows[:, k] for k in range(8)})
        writer = writer or pq.ParquetWriter(folder / "b.y.parquet", table.schema)
        writer.write_table(table)
    writer.close()


def write_study(folder: Path, rounding: str = "") -> None:
    """Write the study, and the private folder of each role, if there is none yet."""
    from consilience.study.keys import new_key
    from consilience.study.secrets import PrivateFolder

    text = 'name = "speed"\ngrid = {rows = ["a", "b"], columns = ["x", "y"]}\n'
    text += f"[clustering]\nn_clusters = {CLUSTERS}\n[reduction]\n{rounding}\n"
    for column in "xy":
        text += f"[schema.{column}]\n" + "".join(
            f'{column}{k} = {{kind = "numeric", bounds = [0, 100]}}\n' for k in range(COLUMNS // 2)
        )
    keys = {name: new_key() for name in "abxy"}
    for name in ("analyst", *PARTIES):
        private = PrivateFolder(folder / "private" / name.replace("/", "."))
        known, identity = private.has_identity, private.identity_of(name)
        text += f'[keys."{name}"]\nsign = "{identity.public.sign}"\n'
        text += f'seal = "{identity.public.seal}"\n'
        if name != "analyst" and not known:
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
    found["contribute"] = contribute_all(folder)
    sent = folder / f"{PARTIES[-1].replace('/', '.')}.contribution"
    found["contribute"]["bytes_a_row"] = sent.stat().st_size
    found["analyse"] = run(folder, *command, "analyse", "study.toml", *SENT)
    answer = folder / "answers" / f"{PARTIES[-1].replace('/', '.')}.answer"
    found["analyse"]["bytes_a_row"] = answer.stat().st_size
    label = (*command, "label", "study.toml", f"answers/{answer.name}", "--as", PARTIES[-1])
    found["label"] = run(folder, *label, "--data", "b.y.parquet", "--id", "id")
    return found


def contribute_all(folder: Path) -> dict[str, float]:
    """Let every party contribute; return what the last one took."""
    for party in PARTIES:
        given = ("--as", party, "--data", f"{party.replace('/', '.')}.parquet", "--id", "id")
        took = run(folder, "-m", "consilience", "contribute", "study.toml", *given, "--yes")
    return took


def analyst_main(n_rows: int) -> None:
    """Measure the analyst alone with one size, print it and record it."""
    columns = ["rows", "engine", "cpu_seconds", "peak_mb"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", __spec__.name, "data", name, str(n_rows)], check=True)
        contribute_all(folder)
        lines = [{"rows": 0, "engine": "import"}]
        lines[0] |= run(folder, "-c", "import consilience.cli.analyse")
        for engine in ("memory", "disk") if n_rows <= MAX_IN_MEMORY else ("disk",):
            command = ("-m", "consilience", "analyse", "study.toml", *SENT, "--engine", engine)
            lines.append({"rows": n_rows, "engine": engine, **run(folder, *command)})
    found = pd.DataFrame(lines)[columns]
    print(found.to_string(index=False))
    known = pd.read_csv(ANALYST_RESULTS) if ANALYST_RESULTS.exists() else found[:0]
    known = known[~known["rows"].isin(found["rows"])]
    known = pd.concat([known, found]).sort_values("rows", kind="stable")
    known.to_csv(ANALYST_RESULTS, index=False, lineterminator="\n")


def party_steps(folder: Path) -> dict[str, dict[str, float]]:
    """Let one party contribute and label; return what each step took."""
    party, command = PARTIES[-1], ("-m", "consilience")
    given = ("--as", party, "--data", "b.y.parquet", "--id", "id")
    agreed = ("--yes", "--accept")  # to another study, the second time
    found = {"import": run(folder, "-c", "import consilience.cli.contribute")}
    for name, rounding in (("contribute, rounded", 'rounding = "auto"'), ("contribute", "")):
        write_study(folder, rounding)
        found[name] = run(folder, *command, "contribute", "study.toml", *given, *agreed)
        found[name]["bytes_a_row"] = (folder / "b.y.contribution").stat().st_size
    module = (sys.executable, "-m", __spec__.name, "answer", str(folder))
    subprocess.run(module, check=True, cwd=ROOT)
    found["label"] = run(folder, *command, "label", "study.toml", "b.y.answer", *given)
    found["label"]["bytes_a_row"] = (folder / "b.y.answer").stat().st_size
    return found


def write_answer(folder: Path) -> None:
    """Answer the last party as the analyst would, with clusters at random."""
    from consilience.collaboration.answers import shorten
    from consilience.messages import Answer
    from consilience.study.secrets import PrivateFolder
    from consilience.study.study import Study
    from consilience.transports.bundle import manifest_of, read_bundle, write_bundle

    study = Study.load(folder / "study.toml")
    analyst = PrivateFolder(folder / "private" / "analyst").read_identity("analyst")
    path = folder / "b.y.contribution"
    sent, manifest = read_bundle(path, study=study, identity=analyst, spill=folder)
    header = {"study": study.digest, "sender": "analyst", "recipient": sent.sender}
    labels = np.random.default_rng(0).integers(CLUSTERS, size=len(sent.representation))
    answer = Answer(**header, labels=labels, n_clusters=CLUSTERS, contribution=manifest.digest)
    told = manifest_of(shorten(answer), study, "a measurement")
    write_bundle(folder / "b.y.answer", shorten(answer), told, study=study, identity=analyst)


def main(n_rows: int, *, party: bool = False) -> None:
    """Measure one size, print it and record it."""
    results = PARTY_RESULTS if party else RESULTS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The peak of a child counts from its fork: make the data in another process.
        make = [sys.executable, "-m", __spec__.name, "rows" if party else "data", name, str(n_rows)]
        subprocess.run(make, check=True)
        found = pd.DataFrame((party_steps if party else steps)(folder)).T
    found["bytes_a_row"] = (found["bytes_a_row"] / (n_rows if party else n_rows // 2)).round(2)
    found = found.rename_axis("step").reset_index()
    found.insert(0, "rows", n_rows)
    print(found.to_string(index=False))
    known = pd.read_csv(results) if results.exists() else found[:0]
    known = pd.concat([known[known["rows"] != n_rows], found]).sort_values("rows", kind="stable")
    known.to_csv(results, index=False, lineterminator="\n")


if __name__ == "__main__":
    what = sys.argv[1] if sys.argv[1:] else ""
    if what == "data":
        write_tables(Path(sys.argv[2]), int(sys.argv[3]))
        write_study(Path(sys.argv[2]))
    elif what == "rows":
        write_party(Path(sys.argv[2]), int(sys.argv[3]))
    elif what == "answer":
        write_answer(Path(sys.argv[2]))
    elif what == "analyse":
        analyst_main(int(sys.argv[2]))
    elif what == "party":
        main(int(sys.argv[2]) if sys.argv[2:] else 5_000_000, party=True)
    else:
        main(int(what) if what else 1_000_000)
