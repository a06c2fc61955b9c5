"""A table of 1,000,000 x 20 rows from PostgreSQL: processor time and memory of reading it.

    python -m benchmarks.speed.databases            # all
    python -m benchmarks.speed.databases read by    # reading alone

Starts a PostgreSQL of its own on loopback and reads the table by ADBC and by SQLAlchemy, each in a
process of its own; beside them, what ``consilience contribute`` takes from the same rows in a
Parquet file and from the database. Memory is the peak less that of a process which only imports the
same modules. Results go to benchmarks/results/speed-databases.csv.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from benchmarks.speed.fresh import record
from tests.postgres import PASSWORD, USER, run_postgres

ROWS, COLUMNS = 1_000_000, 20
ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "speed-databases.csv"
LIMITS = {"read by ADBC": (3, 100), "read by SQLAlchemy": (10, 300)}
TABLE = f"""
SELECT setseed(0.5);
CREATE TABLE measured AS SELECT 'P' || lpad(i::text, 9, '0') AS id, {{columns}}
FROM generate_series(1, {ROWS}) AS i;
GRANT SELECT ON measured TO {USER};
"""
IMPORTS = """
import consilience.cli.contribute, pyarrow, pyarrow.ipc, sqlalchemy, psycopg
from adbc_driver_postgresql import dbapi
from consilience.collaboration import by_files
"""
READ = (
    IMPORTS
    + """
import sys
from pathlib import Path
from consilience.sources import database
from consilience.sources.source import Kinds, Source
if sys.argv[2] == "sqlalchemy":
    database._has_adbc = lambda address: False
numbers = frozenset(f"x{j}" for j in range(20))
found = database.read_database(Source(sys.argv[1], "id", query=Path("all.sql")), Kinds(numbers))
assert found.table.shape == (1_000_000, 21), found.table.shape
"""
)


def measure(arguments: list[str], folder: Path) -> tuple[float, float]:
    """Run Python with arguments; return processor seconds and peak memory in MB."""
    login = {"CONSILIENCE_DB_USER": USER, "CONSILIENCE_DB_PASSWORD": PASSWORD}
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **one, **login},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{arguments[:4]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_study(folder: Path) -> None:
    """Write a study of these columns and the secrets of its two roles."""
    sys.path.insert(0, str(ROOT / "src"))
    from benchmarks.speed import contribute

    contribute.COLUMNS = COLUMNS
    contribute.write_study(folder)


def main(only: str = "") -> None:
    """Measure what has these words in its name, print, and record it with the others."""
    columns = ", ".join(f"100 * random() AS x{j}" for j in range(COLUMNS))
    with tempfile.TemporaryDirectory() as server, tempfile.TemporaryDirectory() as name:
        Path(server).chmod(0o755)
        folder = Path(name)
        (folder / "all.sql").write_text("SELECT * FROM measured")
        subprocess.run([sys.executable, "-m", "benchmarks.speed.databases", "study", name], check=True, cwd=ROOT)  # fmt: skip  # noqa: E501
        with run_postgres(server) as database:
            database.run(TABLE.format(columns=columns))
            subprocess.run(
                [sys.executable, "-c", TO_PARQUET, database.address],
                cwd=folder,
                env={**os.environ, "U": USER, "P": PASSWORD},
                check=True,
            )
            idle, imports = measure(["-c", IMPORTS], folder)
            words = ["-m", "consilience", "contribute", "study.toml", "--as", "a/all", "--yes"]
            query = ["--data", database.address, "--query", "all.sql"]
            plan = {
                "read by ADBC": ["-c", READ, database.address, "adbc"],
                "read by SQLAlchemy": ["-c", READ, database.address, "sqlalchemy"],
                "contribute from Parquet": [*words, "--data", "all.parquet"],
                "contribute from PostgreSQL": [*words, *query],
            }
            rows = []
            for what, arguments in plan.items():
                if only not in what:
                    continue
                seconds, peak = measure(arguments, folder)
                most = LIMITS.get(what, ("", ""))
                rows.append([what, ROWS, COLUMNS, seconds - idle, peak - imports, *most])
                print(rows[-1], flush=True)
    header = ["what", "rows", "columns", "cpu_s", "peak_mb", "most_s", "most_mb"]
    found = pd.DataFrame(rows, columns=header)
    if only and RESULTS.exists():
        before = pd.read_csv(RESULTS)
        found = pd.concat([found, before[~before["what"].isin(found["what"])]])
    record(found, "databases", digits=3)


TO_PARQUET = """
import os, sys, pyarrow.parquet as pq
from adbc_driver_postgresql import dbapi
from urllib.parse import quote
secret = f"{quote(os.environ['U'], safe='')}:{quote(os.environ['P'], safe='')}@"
with dbapi.connect(sys.argv[1].replace("://", "://" + secret)) as c, c.cursor() as cursor:
    cursor.execute("SELECT * FROM measured")
    reader = cursor.fetch_record_batch()
    with pq.ParquetWriter("all.parquet", reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
"""

if __name__ == "__main__":
    if sys.argv[1:2] == ["study"]:
        write_study(Path(sys.argv[2]))
    else:
        main(" ".join(sys.argv[1:]))
