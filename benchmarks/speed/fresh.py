"""What the scripts of speed share: fresh processes, their memory, and where results go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[2]


def in_fresh_processes(module: str, plan, threads: str = "1", hidden=()) -> pd.DataFrame:
    """Run ``python -m module WHAT ROWS`` for each of a plan, which prints figures as JSON.

    What is ``hidden`` is not shown.
    """
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    rows = []
    for what, n in plan:
        command = [sys.executable, "-m", module, what, str(n)]
        found = subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        ).stdout
        rows.append({"what": what, "rows": n, **json.loads(found)})
        print({k: v for k, v in rows[-1].items() if k not in hidden}, flush=True)
    return pd.DataFrame(rows)


def memory(field: str) -> int:
    """Return resident memory now (VmRSS) or at its highest (VmHWM), in bytes."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if field in x)
    return int(line.split()[1]) * 1024


def forget_peak() -> int:
    """Let the highest memory count from now on, and return the memory there is."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def record(frame: pd.DataFrame, name: str, digits: int = 4) -> None:
    """Write ``benchmarks/results/speed-<name>.csv``."""
    path = ROOT / "benchmarks" / "results" / f"speed-{name}.csv"
    frame.to_csv(path, index=False, float_format=f"%.{digits}g", lineterminator="\n")
