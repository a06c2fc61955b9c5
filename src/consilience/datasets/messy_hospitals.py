"""Patients of three hospitals, as hospitals keep them: tables with faults, and the truth behind."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["FAULTS", "MessyHospitals", "messy_hospitals"]

HOSPITALS = {"north": 0.45, "east": 0.33, "south": 0.22}
"""The row institutions, with their shares of the patients."""

CLINICAL = ["age", "bmi", "systolic", "pulse", "oxygen", "pain", "smoker"]
LABORATORY = ["glucose", "creatinine", "crp", "haemoglobin", "cholesterol", "blood_group"]

PAIN = ("none", "mild", "moderate", "severe")

FAULTS = ("missing", "dates", "remarks", "ids", "dialects", "slips")
"""What may be wrong with the tables.

missing
    Empty cells and ``NA``, about one in forty, and one in seven of ``crp``.
dates
    A column ``admitted``, written differently by one hospital.
remarks
    A column ``remark`` of free text, with letters beyond ASCII and separators in quotes.
ids
    Blanks and small letters at one place, lost leading zeros at another, repeated rows and an
    empty id at a third.
dialects
    Semicolons, decimal commas and cp1252 at one hospital, tabs and a byte order mark at another.
slips
    Values ten times too large, a category spelt otherwise.
"""

DECIMALS = {"bmi": 1, "creatinine": 2, "crp": 1, "haemoglobin": 1}
"""As many as a laboratory prints; the others have none."""


@dataclass(frozen=True, eq=False)
class MessyHospitals:
    """Three hospitals with two column groups each.

    Parameters
    ----------
    table : DataFrame of shape (n, 13)
        All patients, as they should have been written: ten numbers, ``pain`` in four steps,
        ``smoker`` and ``blood_group``; the index holds the ids.
    truth : ndarray of shape (n,), int64
        The group of each patient, 0 to 2.
    hospital : ndarray of shape (n,), str
        Who has the patient.
    files : dict of str to bytes
        The table of each role, such as ``north/clinical``, as a text file with its faults.
    """

    table: pd.DataFrame
    truth: npt.NDArray[np.int64]
    hospital: npt.NDArray[np.str_]
    files: dict[str, bytes]

    def write(self, folder: Path) -> dict[str, Path]:
        """Write the tables into a folder and return the file of each role."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = {role: folder / f"{role.replace('/', '-')}.csv" for role in self.files}
        for role, path in paths.items():
            path.write_bytes(self.files[role])
        return paths


def messy_hospitals(
    n: int = 2000, *, faults: Collection[str] = FAULTS, random_state: int | None = None
) -> MessyHospitals:
    """Draw patients of three groups at three hospitals, and spoil their tables.

    Groups differ in the numbers and, a little, in pain. Smoking and blood group say nothing of
    them. k-means with three clusters on the standardised numbers of all patients finds the groups
    with an adjusted Rand index of about .99.

    Parameters
    ----------
    n : int, default=2000
        Patients, at least 60.
    faults : collection of str, default=FAULTS
        What is wrong with the tables, out of :data:`FAULTS`; empty for clean ones.
    random_state : int, optional
        Faults are drawn apart from patients: the same patients have any faults.

    Examples
    --------
    >>> hospitals = messy_hospitals(300, random_state=0)
    >>> sorted(hospitals.files)[:3], hospitals.table.shape
    (['east/clinical', 'east/laboratory', 'north/clinical'], (300, 13))
    """
    unknown = set(faults) - set(FAULTS)
    if unknown:
        raise ValueError(f"faults has {sorted(unknown)}, must be out of {list(FAULTS)}.")
    if n < 60:
        raise ValueError(f"n == {n}, must be at least 60.")
    of_patients, of_faults = np.random.default_rng(random_state).spawn(2)
    hospital = np.repeat(list(HOSPITALS), _sizes(n))
    truth = _groups(of_patients, hospital)
    table = _patients(of_patients, truth)
    table.index = pd.Index(_ids(of_patients, hospital), name="id")
    files = {
        f"{name}/{group}": _spoil(
            of_faults.spawn(1)[0], table.loc[hospital == name, columns], name, group, set(faults)
        )
        for name in HOSPITALS
        for group, columns in (("clinical", CLINICAL), ("laboratory", LABORATORY))
    }
    return MessyHospitals(table, truth, hospital, files)


def _sizes(n: int) -> list[int]:
    edges = np.round(np.cumsum([0.0, *HOSPITALS.values()]) * n).astype(int)
    return [int(size) for size in np.diff(edges)]


def _groups(rng: np.random.Generator, hospital: npt.NDArray[np.str_]) -> npt.NDArray[np.int64]:
    """Draw the group of each patient; every hospital has its own mix."""
    mixes = {"north": (0.45, 0.3, 0.25), "east": (0.3, 0.4, 0.3), "south": (0.25, 0.3, 0.45)}
    return np.array([rng.choice(3, p=mixes[name]) for name in hospital], dtype=np.int64)


def _patients(rng: np.random.Generator, truth: npt.NDArray[np.int64]) -> pd.DataFrame:
    """Draw ten numbers, three of them skewed, and three choices for patients of given groups."""
    n = len(truth)

    def normal(means: tuple[float, float, float], spread: float) -> npt.NDArray[np.float64]:
        return np.array(means)[truth] + spread * rng.normal(size=n)

    def skewed(medians: tuple[float, float, float], spread: float) -> npt.NDArray[np.float64]:
        return np.array(medians)[truth] * np.exp(spread * rng.normal(size=n))

    numbers = {
        "age": normal((38, 66, 58), 11),
        "bmi": normal((23, 25, 33), 3.6),
        "systolic": normal((118, 148, 139), 12.5),
        "pulse": normal((66, 88, 74), 10),
        "oxygen": normal((97.5, 92, 96), 1.7),
        "glucose": skewed((88, 97, 160), 0.21),
        "creatinine": skewed((0.75, 1.3, 0.95), 0.27),
        "crp": skewed((3, 24, 9), 0.55),
        "haemoglobin": normal((14.2, 11.6, 13.8), 1.1),
        "cholesterol": normal((172, 190, 242), 28),
    }
    floors = {"age": 18, "bmi": 14, "pulse": 40}
    ceilings = {"age": 99, "oxygen": 100}
    columns = {
        name: np.clip(values, floors.get(name, 0), ceilings.get(name)).round(DECIMALS.get(name, 0))
        for name, values in numbers.items()
    }
    steps = np.clip(np.round(normal((0.8, 1.8, 1.3), 0.8)), 0, len(PAIN) - 1).astype(int)
    return pd.DataFrame(
        {
            **columns,
            "pain": np.array(PAIN)[steps],
            "smoker": rng.choice(["no", "yes"], n, p=[0.7, 0.3]),
            "blood_group": rng.choice(["O", "A", "B", "AB"], n, p=[0.42, 0.4, 0.12, 0.06]),
        }
    )[[*CLINICAL, *LABORATORY]]


def _ids(rng: np.random.Generator, hospital: npt.NDArray[np.str_]) -> list[str]:
    """Draw the ids of the patients, written in the way of their hospital."""
    ways = {"north": "NH-{:05d}", "east": "{:07d}", "south": "S{:06d}"}
    numbers = rng.choice(90_000, len(hospital), replace=False) + 1
    return [ways[name].format(number) for name, number in zip(hospital, numbers, strict=True)]


def _spoil(
    rng: np.random.Generator, table: pd.DataFrame, hospital: str, group: str, faults: set[str]
) -> bytes:
    """Write a table as a hospital would, with the faults asked for."""
    texts = {
        name: [_text(value, DECIMALS.get(name, 0)) for value in table[name]]
        for name in table.columns
    }
    columns: dict[str, list[str]] = {"id": list(table.index), **texts}
    n = len(table)
    if "slips" in faults:
        _add_slips(rng, columns, hospital)
    if "missing" in faults:
        for name in table.columns:
            gone = rng.random(n) < (1 / 7 if name == "crp" else 1 / 40)
            for place in np.flatnonzero(gone):
                columns[name][place] = "NA" if place % 2 and hospital == "south" else ""
    if "dates" in faults and group == "clinical":
        days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
        columns["admitted"] = list(days.strftime("%d.%m.%Y" if hospital == "east" else "%Y-%m-%d"))
    if "remarks" in faults and group == "clinical":
        columns["remark"] = [f"Visite {k}: Müller, Bär; ok" for k in range(n)]
    order = rng.permutation(n)
    columns = {name: [cells[place] for place in order] for name, cells in columns.items()}
    if "ids" in faults:
        _spoil_ids(columns, f"{hospital}/{group}")
    return _in_dialect(columns, hospital if "dialects" in faults else "north")


def _text(value: object, decimals: int) -> str:
    return f"{value:.{decimals}f}" if isinstance(value, float) else str(value)


def _add_slips(rng: np.random.Generator, columns: dict[str, list[str]], hospital: str) -> None:
    """Make the mistakes of typing that each hospital makes."""
    if hospital == "east" and "blood_group" in columns:
        columns["blood_group"] = ["0" if b == "O" else b for b in columns["blood_group"]]
    if hospital == "south" and "glucose" in columns:
        cells = columns["glucose"]
        for place in rng.choice(len(cells), 2, replace=False):
            cells[place] += "0"
    if hospital == "north" and "smoker" in columns:
        cells = columns["smoker"]
        for place in rng.choice(len(cells), len(cells) // 10, replace=False):
            cells[place] = f"{cells[place]} "


def _spoil_ids(columns: dict[str, list[str]], role: str) -> None:
    ids = columns["id"]
    if role == "north/laboratory":
        columns["id"] = [f" {text.lower()}" if k % 3 else text for k, text in enumerate(ids)]
    elif role == "east/laboratory":
        columns["id"] = [text.lstrip("0") for text in ids]
    elif role == "south/clinical":
        for cells in columns.values():
            cells += cells[:2]
        columns["id"][5] = ""


def _in_dialect(columns: dict[str, list[str]], hospital: str) -> bytes:
    separator, comma, encoding = {
        "north": (",", ".", "utf-8"),
        "east": (";", ",", "cp1252"),
        "south": ("\t", ".", "utf-8-sig"),
    }[hospital]
    numbers = {*CLINICAL[:5], *LABORATORY[:5]}
    written = {
        name: [cell.replace(".", comma) for cell in cells] if name in numbers else cells
        for name, cells in columns.items()
    }
    lines = _lines(written, separator)
    return ("\r\n" if hospital == "east" else "\n").join(lines).encode(encoding)


def _lines(columns: dict[str, list[str]], separator: str) -> Iterator[str]:
    yield separator.join(columns)
    for cells in zip(*columns.values(), strict=True):
        yield separator.join(f'"{cell}"' if separator in cell else cell for cell in cells)
    yield ""
