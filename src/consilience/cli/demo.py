"""``consilience demo``: two hospitals and two insurers cluster their patients together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer

from consilience import CollaborationClustering
from consilience.cli.console import output
from consilience.datasets import split_rows
from consilience.metrics import agreement, score

__all__ = ["demo"]

ROWS = ("A", "B")
COLUMNS = ("hospital", "insurer")
SEED = 0


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the picture.")] = Path("demo"),
) -> None:
    """Show what four institutions find alone, together, and what the pooled data would give.

    The data ships with scikit-learn: 569 patients with 30 measurements. Hospitals A and B hold the
    first 15 measurements of half of the patients each, insurers A and B the other 15.

    Example: `consilience demo --out demo`
    """
    X, y = load_breast_cancer(return_X_y=True)
    parties = split_rows(len(X), 2, random_state=SEED)
    columns = [np.arange(15), np.arange(15, 30)]
    together = CollaborationClustering(
        2, columns=columns, n_components=8, scaling="bounds", random_state=SEED
    ).fit(X, parties=parties)
    units = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    pooled = KMeans(2, n_init=10, random_state=SEED).fit_predict(units)

    table = Table(title="569 patients, 2 hospitals x 2 insurers")
    table.add_column("who", no_wrap=True)
    for heading in ("rows", "columns", "ARI", "NMI", "ACC", "agreement with pooled"):
        table.add_column(heading, justify="right")
    for j, kind in enumerate(COLUMNS):
        for i, name in enumerate(ROWS):
            rows = np.flatnonzero(parties == i)
            part = units[np.ix_(rows, columns[j])]
            alone = KMeans(2, n_init=10, random_state=SEED).fit_predict(part)
            _add(table, f"{kind} {name} alone", part.shape, y[rows], alone, pooled[rows])
    table.add_section()
    _add(table, "together, without pooling", X.shape, y, together.labels_, pooled)
    _add(table, "pooled, if it were allowed", X.shape, y, pooled, pooled)
    output.print(table)
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "clusters.png"
    _draw(together, parties, pooled, picture)
    output.print(f"The picture is in {picture}", highlight=False)


def _add(
    table: Table,
    who: str,
    shape: tuple[int, ...],
    y: npt.NDArray[Any],
    labels: npt.NDArray[Any],
    pooled: npt.NDArray[Any],
) -> None:
    scores = [f"{value:.3f}" for value in (*score(y, labels), agreement(labels, pooled))]
    table.add_row(who, str(shape[0]), str(shape[1]), *scores)


def _draw(
    model: CollaborationClustering,
    parties: npt.NDArray[Any],
    pooled: npt.NDArray[Any],
    path: Path,
) -> None:
    """Draw the shared representation, coloured by cluster, beside the pooled clustering."""
    import matplotlib.pyplot as plt

    Z = model.representation_ - model.representation_.mean(axis=0)
    _, _, axes = np.linalg.svd(Z, full_matrices=False)
    x, height = (Z @ axes[:2].T).T
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.5), sharey=True, layout="constrained")
    titles = ("found together, without pooling", "found in the pooled data")
    for panel, labels, title in zip(panels, (model.labels_, pooled), titles, strict=True):
        # Numbers of clusters are arbitrary: give both panels the same colours.
        swap = agreement(labels, model.labels_) and (labels == model.labels_).mean() < 0.5
        shown = 1 - labels if swap else labels
        for i, marker in enumerate("o^"):
            inside = parties == i
            panel.scatter(
                x[inside],
                height[inside],
                c=np.where(shown[inside] == 0, "#3b6fb6", "#d9822b"),
                marker=marker,
                s=18,
                alpha=0.7,
                linewidths=0,
                label=f"hospital and insurer {ROWS[i]}",
            )
        panel.set(title=title, xlabel="first direction of the shared representation")
    panels[0].set_ylabel("second direction")
    panels[0].legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)
