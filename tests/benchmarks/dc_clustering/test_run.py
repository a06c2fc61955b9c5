"""The whole benchmark once, by the command, on sets of a few rows."""

from functools import partial

import numpy as np
import pandas as pd

from benchmarks.dc_clustering import trials
from benchmarks.dc_clustering.run import DATA
from benchmarks.tables import CELL, published
from consilience.datasets import blobs, circles


def test_the_command_writes_every_published_cell_and_the_page(cli, tmp_path, monkeypatch):
    for draw in (blobs, circles):
        monkeypatch.setattr(trials, draw.__name__, partial(draw, n_per_cluster=40))
    rng = np.random.default_rng(0)
    for slug in DATA.values():
        y = np.arange(60) % 3
        X = 5 * np.eye(3)[y] @ rng.normal(size=(3, 5)) + rng.normal(size=(60, 5))
        frame = pd.DataFrame(X, columns=list("abcde")).assign(label=y)
        frame.to_csv(tmp_path / f"{slug}.csv.gz", index=False)
    command = ["bench", "dc-clustering", "--trials", 1, "--data", tmp_path, "--out", tmp_path]
    said = cli(*command)
    assert said.code == 0, said.err
    results = pd.read_csv(tmp_path / "benchmarks" / "results" / "dc-clustering.csv")
    cells = set(results[CELL].itertuples(index=False, name=None))
    assert set(published("dc_clustering")[CELL].itertuples(index=False, name=None)) <= cells
    assert results.ours.notna().all()
    assert set(results.table) == {"Agreement", *(f"Table {k}" for k in (2, 4, 5, 6))}
    page = tmp_path / "docs" / "bench-dc-clustering.md"
    written = page.read_text()
    assert "iris 1 trials, rice 1 trials" in written
    # What is known is not measured again, and the page is the same.
    page.unlink()
    (tmp_path / "iris.csv.gz").replace(tmp_path / "rice.csv.gz")
    assert cli(*command).code == 0
    assert page.read_text() == written
