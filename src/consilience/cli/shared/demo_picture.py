"""The picture of the demo: clusters found together beside clusters of the pooled data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["draw_clusters"]

COLOURS = np.array(["#3b6fb6", "#d9822b"])


def draw_clusters(
    X: npt.NDArray[np.float64],
    region: npt.NDArray[np.int64],
    together: npt.NDArray[np.int64],
    pooled: npt.NDArray[np.int64],
    folder: Path,
) -> Path:
    """Draw rows along their two leading directions, once per clustering into two clusters."""
    import matplotlib.pyplot as plt

    centred = X - X.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    across, up = (centred @ axes[:2].T).T
    # Numbers of clusters are arbitrary: give both panels the same colours.
    same = pooled if (pooled == together).mean() >= 0.5 else 1 - pooled
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.5), sharey=True, layout="constrained")
    titles = ("found together, nothing pooled", "found in the pooled data")
    for panel, labels, title in zip(panels, (together, same), titles, strict=True):
        for i, (marker, name) in enumerate((("o", "north"), ("^", "south"))):
            inside = region == i
            panel.scatter(
                across[inside],
                up[inside],
                c=COLOURS[labels[inside]],
                marker=marker,
                s=18,
                alpha=0.7,
                linewidths=0,
                label=f"hospital and insurer {name}",
            )
        panel.set(title=title, xlabel="first direction of the patients")
    panels[0].set_ylabel("second direction")
    panels[0].legend(frameon=False)
    path = folder / "clusters.png"
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path
