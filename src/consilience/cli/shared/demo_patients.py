"""The patients of the demo, and the part of them that each institution holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import load_breast_cancer

from consilience.datasets import split_rows

__all__ = ["GROUPS", "ID", "REGIONS", "SEED", "Patients", "load_patients", "write_tables"]

REGIONS = ("north", "south")
GROUPS = ("hospital", "insurer")
ID = "patient_id"
SEED = 0
MISSING = 12
"""Patients the insurer of the north has never heard of."""


@dataclass(frozen=True)
class Patients:
    """What nobody in the demo sees whole: all rows, all columns."""

    table: pd.DataFrame
    y: npt.NDArray[np.int64]
    region: npt.NDArray[np.int64]

    def columns(self, group: str) -> list[str]:
        """Return the columns of the hospitals or of the insurers."""
        half = self.table.shape[1] // 2
        names = list(self.table.columns)
        return names[:half] if group == "hospital" else names[half:]


def load_patients() -> Patients:
    """Return the patients, half of them in each region."""
    data = load_breast_cancer(as_frame=True)
    table = data.data.set_index(pd.Index([f"P-{k:04d}" for k in range(len(data.data))]))
    y = data.target.to_numpy(dtype=np.int64)
    return Patients(table, y, split_rows(len(y), 2, random_state=SEED))


def write_tables(patients: Patients, out: Path) -> None:
    """Write each institution's table as it would have it: its own order, its own spelling."""
    rng = np.random.default_rng(SEED)
    for i, region in enumerate(REGIONS):
        for group in GROUPS:
            rows = rng.permutation(np.flatnonzero(patients.region == i))
            if (region, group) == ("north", "insurer"):
                rows = rows[MISSING:]
            part = patients.table.iloc[rows][patients.columns(group)]
            ids = part.index if group == "hospital" else part.index.str.lower() + " "
            part = part.reset_index(drop=True)
            part.insert(0, ID, ids)
            folder = out / f"{region}.{group}"
            folder.mkdir(parents=True)
            part.to_csv(folder / "table.csv", index=False)
