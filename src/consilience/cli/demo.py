"""``consilience demo``: two hospitals and two insurers run a study by files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer

from consilience.cli.shared.console import output
from consilience.cli.shared.demo_picture import draw_clusters
from consilience.datasets import split_rows
from consilience.exceptions import ConsilienceError
from consilience.metrics import agreement, score
from consilience.study import Numeric, Study

__all__ = ["demo"]

REGIONS = ("north", "south")
KINDS = ("hospital", "insurer")
SEED = 0
MISSING = 12
"""Patients the insurer of the north has never heard of."""


@dataclass(frozen=True)
class Patients:
    """What nobody in the demo sees whole: all rows, all columns."""

    table: pd.DataFrame
    y: npt.NDArray[np.int64]
    region: npt.NDArray[np.int64]

    def columns(self, kind: str) -> list[str]:
        """Return the columns of the hospitals or of the insurers."""
        half = self.table.shape[1] // 2
        names = list(self.table.columns)
        return names[:half] if kind == "hospital" else names[half:]


def demo(
    out: Annotated[Path, typer.Option(help="Folder to work in; it is emptied first.")] = Path(
        "demo"
    ),
) -> None:
    """Run a whole study by files, as four institutions and an analyst would.

    569 patients with 30 measurements, which ship with scikit-learn. Hospital and insurer of the
    north hold half of the patients, those of the south the others; a hospital holds 15
    measurements, an insurer the other 15, in another order, and one insurer lacks some patients.
    Each institution works in its own folder; only study, contributions and answers are carried.

    Example: `consilience demo --out demo`
    """
    if out.exists():
        shutil.rmtree(out)
    patients = _load()
    parties = [f"{region}/{kind}" for region in REGIONS for kind in KINDS]
    _write_tables(patients, out)
    _agree(patients, parties, out)
    for party in parties:
        folder = out / party.replace("/", ".")
        _run(folder, "contribute", "study.toml", "--as", party, *_DATA, "--yes")
        _carry(folder / f"{folder.name}.contribution", out / "analyst" / "inbox")
    inbox = sorted(p.name for p in (out / "analyst" / "inbox").iterdir())
    arrived = [f"inbox/{name}" for name in inbox]
    page = ("--report", "report.html")
    _run(out / "analyst", "analyse", "study.toml", *arrived, "--out", "outbox", *page, *_PRIVATE)
    for party in parties:
        folder = out / party.replace("/", ".")
        _carry(out / "analyst" / "outbox" / f"{folder.name}.answer", folder)
        _run(folder, "label", "study.toml", f"{folder.name}.answer", "--as", party, *page, *_DATA)
    _compare(patients, out)


_PRIVATE = ("--private", "private")
_DATA = ("--data", "table.csv", "--id", "patient_id", *_PRIVATE)


def _load() -> Patients:
    data = load_breast_cancer(as_frame=True)
    table = data.data.set_index(pd.Index([f"P-{k:04d}" for k in range(len(data.data))]))
    y = data.target.to_numpy(dtype=np.int64)
    return Patients(table, y, split_rows(len(y), 2, random_state=SEED))


def _write_tables(patients: Patients, out: Path) -> None:
    """Write each institution's table as it would have it: its own order, its own spelling."""
    rng = np.random.default_rng(SEED)
    for i, region in enumerate(REGIONS):
        for kind in KINDS:
            rows = rng.permutation(np.flatnonzero(patients.region == i))
            if (region, kind) == ("north", "insurer"):
                rows = rows[MISSING:]
            part = patients.table.iloc[rows][patients.columns(kind)]
            ids = part.index if kind == "hospital" else part.index.str.lower() + " "
            part = part.reset_index(drop=True)
            part.insert(0, "patient_id", ids)
            folder = out / f"{region}.{kind}"
            folder.mkdir(parents=True)
            part.to_csv(folder / "table.csv", index=False)


def _agree(patients: Patients, parties: list[str], out: Path) -> None:
    """Draft the study from public knowledge, make identities, and hand everyone the file."""
    office = out / "study"
    office.mkdir()
    for kind in KINDS:
        # Two made-up rows that span what is publicly known about each measurement.
        known = patients.table[patients.columns(kind)].agg(["min", "max"])
        known *= np.array([[0.9], [1.1]])
        known.rename_axis("patient_id").to_csv(office / f"public_{kind}.csv")
    examples = ",".join(f"{kind}=public_{kind}.csv" for kind in KINDS)
    _run(
        office,
        *("init", "--rows", ",".join(REGIONS), "--columns", ",".join(KINDS), "--clusters", "2"),
        *("--from-csv", examples, "--id", "patient_id", "--name", "patients of two regions"),
    )
    for role in (*parties, "analyst"):
        folder = out / role.replace("/", ".")
        if (office / "private" / folder.name).exists():
            shutil.move(office / "private" / folder.name, folder / "private")
        private = Path("..", folder.name, "private")
        _run(office, "keygen", "--name", role, "--study", "study.toml", "--private", str(private))
    for role in (*parties, "analyst"):
        _carry(office / "study.toml", out / role.replace("/", "."))


def _run(folder: Path, *arguments: str) -> None:
    """Run one command in a process and a folder of its own, and say so."""
    output.print(f"{folder.name}$ consilience {' '.join(arguments)}", style="dim", highlight=False)
    command = [sys.executable, "-m", "consilience", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConsilienceError(f"the step failed: {done.stderr.strip()}")


def _carry(path: Path, folder: Path) -> None:
    """Carry a file to another institution, on foot as it were."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, folder / path.name)


def _compare(patients: Patients, out: Path) -> None:
    """Score what came back against each institution alone and against the pooled data."""
    lower, upper = _public_bounds(out / "study" / "study.toml", list(patients.table.columns))
    units = (patients.table.to_numpy() - lower) / (upper - lower)
    found = pd.concat(
        pd.read_csv(out / f"{region}.hospital" / "labels.csv", index_col=0) for region in REGIONS
    ).cluster.reindex(patients.table.index)
    labelled = found.notna().to_numpy()
    pooled = _kmeans(units)
    table = Table(title="569 patients, 2 hospitals and 2 insurers")
    table.add_column("who", no_wrap=True)
    for heading in ("rows", "columns", "ARI", "NMI", "ACC", "agreement\nwith pooled"):
        table.add_column(heading, justify="right")
    names = list(patients.table.columns)
    for kind in KINDS:
        places = np.array([names.index(name) for name in patients.columns(kind)])
        for region in REGIONS:
            own = pd.read_csv(out / f"{region}.{kind}" / "table.csv").patient_id
            rows = patients.table.index.get_indexer(pd.Index(own.str.strip().str.upper()))
            part = units[np.ix_(rows, places)]
            _add(
                table, f"{kind} {region} alone", part, patients.y[rows], _kmeans(part), pooled[rows]
            )
    table.add_section()
    together = found[labelled].to_numpy(dtype=np.int64)
    inside = units[labelled]
    _add(table, "together, by files", inside, patients.y[labelled], together, pooled[labelled])
    _add(table, "pooled, if allowed", units, patients.y, pooled, pooled)
    output.print(table)
    output.print(
        f"{int((~labelled).sum())} patients have no label: the insurer of the north does not hold "
        f"them.",
        highlight=False,
    )
    draw_clusters(inside, patients.region[labelled], together, pooled[labelled], out)
    output.print(
        f"Tables, bundles, labels and a picture are in {out}; each side has a report.html.",
        highlight=False,
    )


def _kmeans(X: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    return np.asarray(KMeans(2, n_init=10, random_state=SEED).fit_predict(X), dtype=np.int64)


def _public_bounds(path: Path, names: list[str]) -> npt.NDArray[np.float64]:
    """Return the lower and the upper bound of each measurement, as the study states them."""
    study = Study.load(path)
    columns = {name: c for part in study.schemas.values() for name, c in part.items()}
    bounds = [c.bounds for c in (columns[name] for name in names) if isinstance(c, Numeric)]
    return np.array(bounds).T


def _add(
    table: Table,
    who: str,
    X: npt.NDArray[np.float64],
    y: npt.NDArray[np.int64],
    labels: npt.NDArray[np.int64],
    pooled: npt.NDArray[np.int64],
) -> None:
    scores = [f"{value:.3f}" for value in (*score(y, labels), agreement(labels, pooled))]
    table.add_row(who, str(len(X)), str(X.shape[1]), *scores)
