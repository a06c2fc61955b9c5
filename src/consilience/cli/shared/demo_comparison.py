"""What the demo found, beside what each institution finds alone and what pooled data would show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from rich.table import Table
from sklearn.cluster import KMeans

from consilience.cli.shared.demo_patients import GROUPS, ID, REGIONS, SEED, Patients
from consilience.cli.shared.demo_picture import draw_clusters
from consilience.metrics import agreement, score
from consilience.study.schema import Numeric
from consilience.study.study import Study

__all__ = ["compare"]

FIGURES = ("rows", "columns", "ARI", "NMI", "ACC", "agreement\nwith pooled")
Labels = npt.NDArray[np.int64]


def compare(patients: Patients, out: Path) -> Table:
    """Score and draw the clusters that came back to the hospitals, row by row of all patients.

    Parameters
    ----------
    patients : Patients
    out : Path
        The folder of the demo, with the study and a folder for each institution.
    """
    names = list(patients.table.columns)
    lower, upper = _public_bounds(out / "study" / "study.toml", names)
    units = (patients.table.to_numpy() - lower) / (upper - lower)
    pooled = _kmeans(units)
    table = Table(title="569 patients, 2 hospitals and 2 insurers")
    table.add_column("who", no_wrap=True)
    for figure in FIGURES:
        table.add_column(figure, justify="right")
    for group in GROUPS:
        places = np.array([names.index(name) for name in patients.columns(group)])
        for region in REGIONS:
            own = pd.read_csv(out / f"{region}.{group}" / "table.csv")[ID]
            rows = patients.table.index.get_indexer(pd.Index(own.str.strip().str.upper()))
            part = units[np.ix_(rows, places)]
            alone = f"{group} {region} alone"
            table.add_row(*_line(alone, part, patients.y[rows], _kmeans(part), pooled[rows]))
    table.add_section()
    files = [out / f"{region}.hospital" / "labels.csv" for region in REGIONS]
    found = pd.concat(pd.read_csv(file, index_col=0) for file in files)
    clusters = found.cluster.reindex(patients.table.index)
    inside = clusters.notna().to_numpy()
    together = clusters[inside].to_numpy(dtype=np.int64)
    truth, same = patients.y[inside], pooled[inside]
    table.add_row(*_line("together, by files", units[inside], truth, together, same))
    table.add_row(*_line("pooled, if allowed", units, patients.y, pooled, pooled))
    draw_clusters(units[inside], patients.region[inside], together, same, out)
    table.caption = f"{int((~inside).sum())} patients have no label: one insurer lacks them."
    return table


def _kmeans(X: npt.NDArray[np.float64]) -> Labels:
    return np.asarray(KMeans(2, n_init=10, random_state=SEED).fit_predict(X), dtype=np.int64)


def _public_bounds(path: Path, names: list[str]) -> npt.NDArray[np.float64]:
    """Return the lower and the upper bound of each measurement, as the study states them."""
    study = Study.load(path)
    columns = {name: c for part in study.schemas.values() for name, c in part.items()}
    bounds = [c.bounds for c in (columns[name] for name in names) if isinstance(c, Numeric)]
    return np.array(bounds).T


def _line(
    who: str, X: npt.NDArray[np.float64], y: Labels, labels: Labels, pooled: Labels
) -> list[str]:
    scores = (*score(y, labels), agreement(labels, pooled))
    return [who, str(len(X)), str(X.shape[1]), *(f"{value:.3f}" for value in scores)]
