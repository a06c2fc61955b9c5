"""What each role needs in a study of any size: rates measured here, carried on.

    python -m benchmarks.plan            measure, check and write docs/plan.md
    python -m benchmarks.plan page       write the page from what was measured

The analyst's work is taken as a fixed part, a part for each row and a part for each institution.
The three are found from three simulated studies, with the analyst's real code from what a party
sends to the answers, and checked on two others, larger in both directions. What a party does, and
sealing and unsealing, comes from studies by files (speed-party.csv, speed-analyse.csv). Results go
to benchmarks/results/plan.csv.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.pages import write_page
from consilience.collaboration.analyst import Analyst
from consilience.engines.on_disk import OnDisk
from consilience.messages import Contribution

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE, PICTURE = ROOT / "docs" / "plan.md", ROOT / "docs" / "images" / "plan.svg"

COLUMNS, ANCHOR_ROWS, CLUSTERS, STEP = 16, 400, 10, 0.01
FOUND_ON = ((200_000, 10), (1_000_000, 10), (200_000, 400))
CHECKED_ON = ((3_000_000, 50), (600_000, 1_500))
"""Of these sizes nothing was seen before the rules stood; the rule for memory was made after a look
at others, (2,000,000, 100) and (400,000, 1,000)."""
ROWS = tuple(10**k for k in range(6, 11))
INSTITUTIONS = (10, 100, 1_000, 10_000)
MIN_ROWS_EACH = 100
LABELS_A_ROW = 3
"""Bytes of labels in mapped files: one of the analyst, one in each of the two answers."""
ENGINES = ("memory", "disk", "dask")
UNITS = ("", "kB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Rates:
    """A quantity as a fixed part, a part for each row and a part for each institution."""

    fixed: float
    row: float
    institution: float

    @classmethod
    def of(cls, points: list[tuple[int, int, float]]) -> Rates:
        """Find the three parts from three studies; none is below 0.

        Examples
        --------
        >>> Rates.of([(100, 1, 3.0), (300, 1, 5.0), (100, 3, 3.5)])
        Rates(fixed=1.75, row=0.01, institution=0.25)
        """
        A = [[1.0, rows, institutions] for rows, institutions, _ in points]
        found = np.linalg.solve(A, [value for *_, value in points])
        fixed, row, institution = (max(float(x), 0.0) for x in found.round(12))
        return cls(fixed, row, institution)

    def at(self, rows: float, institutions: float) -> float:
        """Return what a study of this size needs."""
        return self.fixed + self.row * rows + self.institution * institutions


def simulate(n_rows: int, n_institutions: int) -> dict[str, float]:
    """Let an analyst solve a study on disk, two column groups an institution; report its needs."""
    names = [f"i{i}" for i in range(n_institutions)]
    with tempfile.TemporaryDirectory() as folder:
        engine = OnDisk(Path(folder) / "spill")
        analyst = Analyst(names, ["x", "y"], n_clusters=CLUSTERS, engine=engine, seed=0)
        spent = 0.0
        for message in _contributions(names, n_rows // n_institutions, Path(folder)):
            begin = time.process_time()
            answers = analyst.receive(message)
            spent += time.process_time() - begin
        n_bytes = sum(answer.labels.nbytes for answer in answers)  # type: ignore[attr-defined]
        disk = sum(path.stat().st_size for path in engine.folder.iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu_seconds": spent, "peak_mb": peak, "disk_mb": disk / 1e6, "labels": n_bytes}


def _contributions(names: list[str], n_each: int, folder: Path) -> Iterator[Contribution]:
    """Draw what the parties send, one at a time: rows of ten clusters that lie apart.

    Rows and pseudonyms are maps of files, as a streamed reader gives them.
    """
    rng = np.random.default_rng(0)
    centers = rng.uniform(-100, 100, size=(CLUSTERS, COLUMNS))
    anchor = rng.normal(scale=50.0, size=(ANCHOR_ROWS, COLUMNS))
    for name in names:
        X = centers[rng.integers(CLUSTERS, size=n_each)]
        X = X + rng.normal(scale=8.0, size=X.shape)
        codes = np.sort(rng.integers(2**63, size=n_each, dtype=np.uint64))
        both = np.stack([codes, codes], axis=1).astype(">u8").view(np.uint8)
        for c, column in enumerate("xy"):
            turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
            seen = [A[:, 8 * c : 8 * c + 8] @ turn for A in (X, anchor)]
            rows, of_anchor = (np.round(A / STEP).astype(np.int32) for A in seen)
            yield Contribution(
                study="",
                sender=f"{name}/{column}",
                recipient="analyst",
                representation=_mapped(rows, folder / f"{name}.{column}.rows"),
                anchor=of_anchor,
                anchor_digest=column,
                pseudonyms=_mapped(both, folder / f"{name}.{column}.ids"),
                steps=np.full(8, STEP),
            )


def _mapped(array: npt.NDArray[Any], path: Path) -> npt.NDArray[Any]:
    array.tofile(path)
    return np.asarray(np.memmap(path, array.dtype, "r", shape=array.shape))


def measure() -> pd.DataFrame:
    """Simulate every size in a process of its own."""
    found = []
    for n_rows, n_institutions in (*FOUND_ON, *CHECKED_ON):
        command = [sys.executable, "-m", "benchmarks.plan", str(n_rows), str(n_institutions)]
        said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        sizes = {"rows": n_rows, "institutions": n_institutions}
        found.append({**sizes, **json.loads(said)})
        print(found[-1], flush=True)
    frame = pd.DataFrame(found)
    path = RESULTS / "plan.csv"
    frame.to_csv(path, index=False, float_format="%.4g", lineterminator="\n")
    return pd.read_csv(path)


def rates_of(frame: pd.DataFrame, quantity: str) -> Rates:
    """Find the rates of a quantity from the studies they are found on."""
    if quantity == "peak_mb":
        return memory_of(frame)
    found = frame.set_index(["rows", "institutions"])[quantity]
    return Rates.of([(*size, float(found[size])) for size in FOUND_ON])


def memory_of(frame: pd.DataFrame) -> Rates:
    """Find the rates of memory: a million rows fill samples and blocks, and then labels grow."""
    found = frame.set_index(["rows", "institutions"])["peak_mb"]
    (few, full, many), least = FOUND_ON, FOUND_ON[0][1]
    institution = max(float(found[many] - found[few]), 0.0) / (many[1] - least)
    fixed = float(found[full]) - institution * least - LABELS_A_ROW * full[0] / 1e6
    return Rates(fixed, LABELS_A_ROW / 1e6, institution)


def of_party(step: str, column: str) -> Rates:
    """Return what a step of a party takes, from two sizes of its table."""
    known = pd.read_csv(RESULTS / "speed-party.csv")
    found = known[known["step"] == step].sort_values("rows")
    (n, small), (m, large) = found[["rows", column]].iloc[[0, -1]].to_numpy()
    slope = max((large - small) / (m - n), 0.0)
    return Rates(float(small - slope * n), float(slope), 0.0)


def sent_a_row() -> float:
    """Return the bytes a party sends for each row."""
    known = pd.read_csv(RESULTS / "speed-party.csv")
    return float(known[known["step"] == "contribute"]["bytes_a_row"].iloc[-1])


def unsealing_a_row(solving: Rates) -> float:
    """Return the CPU seconds for each row that unsealing, sealing and reading take beside solving.

    From two studies by files, analysed on disk.
    """
    known = pd.read_csv(RESULTS / "speed-analyse.csv")
    found = known[known["engine"] == "disk"].sort_values("rows")
    (n, small), (m, large) = found[["rows", "cpu_seconds"]].to_numpy()
    return max(float((large - small) / (m - n)) - solving.row, 0.0)


def checks(frame: pd.DataFrame) -> str:
    """Tabulate what was foreseen of the studies nothing was found on, and what they took."""
    lines = ["| rows | institutions | | foreseen | measured | ratio |", "|---|---|---|---|---|---|"]
    found = frame.set_index(["rows", "institutions"])
    for size in CHECKED_ON:
        for name, quantity in (
            ("CPU seconds", "cpu_seconds"),
            ("MB of memory", "peak_mb"),
            ("MB on disk", "disk_mb"),
        ):
            foreseen = rates_of(frame, quantity).at(*size)
            took = float(found.loc[size, quantity])  # type: ignore[arg-type]
            lines.append(
                f"| {size[0]:,} | {size[1]:,} | {name} | {foreseen:,.1f} | {took:,.1f} "
                f"| {took / foreseen:.2f} |"
            )
    return "\n".join(lines)


def analyst_table(frame: pd.DataFrame) -> str:
    """Tabulate what the analyst of every size needs."""
    cpu, peak = rates_of(frame, "cpu_seconds"), rates_of(frame, "peak_mb")
    disk = rates_of(frame, "disk_mb")
    lines = [
        "| rows | institutions | memory | disk | CPU | of it sealing and reading | arrives |",
        "|---|---|---|---|---|---|---|",
    ]
    for rows, institutions in _sizes():
        work = cpu.at(rows, institutions)
        crypto = unsealing_a_row(cpu) * rows
        wire = sent_a_row() * 2 * rows
        lines.append(
            f"| {_power(rows)} | {institutions:,} | {_size(1e6 * peak.at(rows, institutions))} "
            f"| {_size(1e6 * disk.at(rows, institutions) + wire)} | {_duration(work + crypto)} "
            f"| {_duration(crypto)} | {_size(wire)} |"
        )
    return "\n".join(lines)


def party_table() -> str:
    """Tabulate what one of the parties needs: one of two column groups of its institution."""
    sending, labelling = of_party("contribute", "cpu_seconds"), of_party("label", "cpu_seconds")
    peak = of_party("label", "peak_mb")
    lines = [
        "| rows of the party | contribute, CPU | label, CPU | memory at most | sends |",
        "|---|---|---|---|---|",
    ]
    for rows in (10**k for k in range(3, 9)):
        lines.append(
            f"| {_power(rows)} | {_duration(sending.at(rows, 0))} "
            f"| {_duration(labelling.at(rows, 0))} | {_size(1e6 * peak.at(rows, 0))} "
            f"| {_size(sent_a_row() * rows)} |"
        )
    return "\n".join(lines)


def _sizes() -> list[tuple[int, int]]:
    return [(n, c) for n in ROWS for c in INSTITUTIONS if n >= MIN_ROWS_EACH * c]


def _power(n: int) -> str:
    return f"10^{len(str(n)) - 1}"


def _size(n_bytes: float) -> str:
    """Write a number of bytes with its unit.

    Examples
    --------
    >>> _size(2_340_000), _size(1.28e12)
    ('2.3 MB', '1.3 TB')
    """
    power = min(4, max(1, int(np.log10(max(n_bytes, 1.0)) / 3)))
    shown = n_bytes / 1000**power
    return f"{shown:.2g} {UNITS[power]}" if shown < 99.5 else f"{shown:.0f} {UNITS[power]}"


def _duration(seconds: float) -> str:
    """Write a time with its unit.

    Examples
    --------
    >>> _duration(0.3), _duration(90), _duration(86_400)
    ('0.3 s', '1.5 min', '24 h')
    """
    for unit, length in (("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= length or unit == "s":
            return f"{seconds / length:.2g} {unit}"
    raise AssertionError("seconds are the smallest unit")


def draw(frame: pd.DataFrame) -> Path:
    """Draw how time and memory of the analyst grow, and what was measured of them."""
    from matplotlib.figure import Figure

    core = pd.read_csv(RESULTS / "speed-out-of-core.csv")
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    cpu, peak = rates_of(frame, "cpu_seconds"), rates_of(frame, "peak_mb")
    for axes, rates, quantity, name in zip(
        figure.subplots(1, 2),
        (cpu, peak),
        ("cpu_seconds", "peak_mb"),
        ("CPU seconds", "peak memory, MB"),
        strict=True,
    ):
        rows = np.logspace(5, 10, 30)
        for institutions in (10, 1_000):
            line = [rates.at(n, institutions) for n in rows]
            axes.plot(rows, line, label=f"plan, {institutions:,} institutions")
        for how, marks in core[core["engine"].isin(ENGINES)].groupby("engine"):
            axes.plot(marks["rows"], marks[quantity], "o", label=f"measured, {how}")
        axes.set(xscale="log", yscale="log", xlabel="rows", ylabel=name)
    axes.legend(fontsize=7)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, metadata={"Date": None})
    return PICTURE


def main(arguments: list[str]) -> None:
    """Measure if asked, and write the page."""
    frame = pd.read_csv(RESULTS / "plan.csv") if arguments == ["page"] else measure()
    draw(frame)
    cpu = rates_of(frame, "cpu_seconds")
    write_page(
        __file__,
        PAGE,
        checks=checks(frame),
        analyst=analyst_table(frame),
        party=party_table(),
        a_million=f"{1e6 * cpu.row:.2g}",
        a_thousand=f"{1e3 * cpu.institution:.2g}",
        found_on=", ".join(f"{n:,} rows of {c:,}" for n, c in FOUND_ON),
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(simulate(int(sys.argv[1]), int(sys.argv[2]))))
    else:
        main(sys.argv[1:])
