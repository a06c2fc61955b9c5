"""The whole benchmark on a small set of its own: every file is written, every cell is kept."""

import numpy as np
import pandas as pd
import pytest
from rich.progress import Progress

from benchmarks.fcac import privacy, run
from benchmarks.tables import published


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    for name in ("hill-valley", "phoneme"):
        y = np.arange(240) % 2
        X = rng.normal(size=(240, 3)) + 4 * y[:, None]
        pd.DataFrame(X, columns=list("abc")).assign(label=y).to_parquet(
            tmp_path / f"{name}.parquet"
        )
    return tmp_path


def test_every_published_cell_stays_in_the_result(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "available", lambda data: ("hill-valley", "phoneme"))
    monkeypatch.setattr(run, "EPSILONS", (15.0,))
    monkeypatch.setattr(privacy, "EPSILONS", (50.0,))
    for name in ("demonstrate", "show_noise"):
        monkeypatch.setattr(run, name, lambda path: pd.DataFrame({"round": [1]}))
    with Progress(disable=True) as progress:
        written = list(run.run(trials=1, data=folder, out=tmp_path / "out", progress=progress))
    assert all(path.exists() for path in written)
    result = pd.read_csv(tmp_path / "out" / "benchmarks" / "results" / "fcac.csv")
    cells = ["table", "data", "setting", "method", "metric"]
    kept = set(map(tuple, result[cells].to_numpy()))
    assert set(map(tuple, published("fcac")[cells].to_numpy())) <= kept
    measured = result[result.trials > 0]
    assert set(measured.data) == {"hill-valley", "phoneme", "all"}
    page = (tmp_path / "out" / "docs" / "bench-fcac.md").read_text()
    assert "skin_segmentation" in page
    assert "{" not in page
