"""``consilience demo``: two hospitals and two insurers run a study by files."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from consilience.cli.shared.console import output, plain, tell
from consilience.cli.shared.demo_comparison import compare
from consilience.cli.shared.demo_patients import (
    GROUPS,
    ID,
    REGIONS,
    Patients,
    load_patients,
    write_tables,
)
from consilience.cli.shared.options import file_name
from consilience.exceptions import ConsilienceError, StudyError

__all__ = ["demo"]

PARTIES = [f"{region}/{group}" for region in REGIONS for group in GROUPS]
PRIVATE = ("--private", "private")
DATA = ("--data", "table.csv", "--id", ID, *PRIVATE)
PAGE = ("--report", "report.html")
MARK = ".demo"
"""A file of this name says that a demo may empty the folder."""


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder to work in; one of an earlier demo is emptied.")
    ] = Path("demo"),
) -> None:
    """Run a whole study by files, as four institutions and an analyst would.

    569 patients with 30 measurements, which ship with scikit-learn. Hospital and insurer of the
    north hold half of the patients, those of the south the others; a hospital holds 15
    measurements, an insurer the other 15, in another order, and one insurer lacks some patients.
    Each institution works in its own folder; public keys, the study, keys sealed from one party to
    another, contributions and answers are carried, and nothing else.

    Example: `consilience demo --out demo`
    """
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise StudyError(f"{out} holds what no demo wrote, and is emptied first. Choose another.")
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    (out / MARK).touch()
    patients = load_patients()
    write_tables(patients, out)
    _agree(patients, out)
    inbox, outbox = out / "analyst" / "inbox", out / "analyst" / "outbox"
    for party in PARTIES:
        folder = out / file_name(party)
        # The audit finds that these rows can be rebuilt; in a demo nobody is harmed.
        decided = ("--yes", "--override", "the demo")
        _run(folder, "contribute", "study.toml", "--as", party, *DATA, *decided)
        _carry(folder / f"{folder.name}.contribution", inbox)
        for key in folder.glob("*.keys"):
            recipient = ".".join(key.name.split(".")[:2])
            if recipient != folder.name:
                _carry(key, out / recipient)
    arrived = sorted(f"inbox/{path.name}" for path in inbox.iterdir())
    _run(inbox.parent, "analyse", "study.toml", *arrived, "--out", "outbox", *PAGE, *PRIVATE)
    for party in PARTIES:
        folder = out / file_name(party)
        _carry(outbox / f"{folder.name}.answer", folder)
        _run(folder, "label", "study.toml", f"{folder.name}.answer", "--as", party, *PAGE, *DATA)
    output.print(compare(patients, out))
    tell(f"Tables, bundles, labels and a picture are in {out}. The lines above can be copied.")
    first = out / file_name(PARTIES[0]) / "report.html"
    tell(f"Open {out / 'analyst' / 'report.html'} for the analyst's page, {first} for a party's.")


def _agree(patients: Patients, out: Path) -> None:
    """Draft the study from public knowledge, make identities, and hand everyone the file."""
    office = out / "study"
    office.mkdir()
    for group in GROUPS:
        # Two made-up rows that span what is publicly known about each measurement.
        known = patients.table[patients.columns(group)].agg(["min", "max"])
        known *= np.array([[0.9], [1.1]])
        known.rename_axis(ID).to_csv(office / f"public_{group}.csv")
    examples = ",".join(f"{group}=public_{group}.csv" for group in GROUPS)
    _run(
        office,
        *("init", "--rows", ",".join(REGIONS), "--columns", ",".join(GROUPS), "--clusters", "2"),
        *("--from-csv", examples, "--id", ID, "--name", "patients of two regions"),
    )
    folders = {role: out / file_name(role) for role in (*PARTIES, "analyst")}
    for role, folder in folders.items():
        folder.mkdir(exist_ok=True)
        _run(folder, "keygen", "--name", role, *PRIVATE)
        _carry(folder / f"{folder.name}.public.toml", office)
    _run(office, "collect", "study.toml", *sorted(p.name for p in office.glob("*.public.toml")))
    for folder in folders.values():
        _carry(office / "study.toml", folder)


def _run(folder: Path, *arguments: str) -> None:
    """Run one command in a process and a folder of its own, and say so."""
    line = f"(cd {shlex.quote(str(folder))} && consilience {shlex.join(arguments)})"
    output.print(plain(line, "dim"), soft_wrap=True)
    command = [sys.executable, "-m", "consilience", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConsilienceError(f"the step failed: {done.stderr.strip()}")


def _carry(path: Path, folder: Path) -> None:
    """Carry a file to another institution, on foot as it were."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, folder / path.name)
