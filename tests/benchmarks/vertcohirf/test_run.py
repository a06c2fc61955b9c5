"""The whole benchmark once, by the command, on sets of a few rows and with one trial."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.tables import CELL, published
from benchmarks.vertcohirf import byzantine, run, trials
from consilience.datasets import simplex


def test_the_command_writes_every_published_cell_and_the_page(cli, tmp_path, monkeypatch):
    pytest.importorskip("optuna", reason="needs the extra 'dev'")
    rng = np.random.default_rng(0)
    reference = published("vertcohirf")
    for name in set(reference.data[reference.table != "Table 1"]):
        y = np.arange(45) % 3
        X = 9 * np.eye(3)[y] @ rng.normal(size=(3, 9)) + rng.normal(size=(45, 9))
        frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(9)])
        frame = frame.round() if name == "nursery" else frame
        frame.assign(label=y).to_csv(tmp_path / f"{name}.csv.gz", index=False)
    for number in ("N_PARTITIONS", "N_SHUFFLED"):
        monkeypatch.setattr(run, number, 1)
    monkeypatch.setattr(run, "PEER_COUNTS", (2, 5))
    monkeypatch.setattr(run, "STDS", (0.1,))
    monkeypatch.setattr(byzantine, "N_FRESH", 1)
    monkeypatch.setattr(byzantine, "simplex", lambda std, random_state: simplex(std, 60))
    options = ["--trials", 1, "--data", tmp_path, "--out", tmp_path]
    said = cli("bench", "vertcohirf", *options)
    assert said.code == 0, said.err
    results = pd.read_csv(tmp_path / "benchmarks" / "results" / "vertcohirf.csv")
    cells = set(results[CELL].itertuples(index=False, name=None))
    assert set(reference[CELL].itertuples(index=False, name=None)) <= cells
    measured = results[results.trials > 0]
    assert {"Figure 1", "Figure 1, settings kept", "Figure 4"} <= set(measured.table)
    shuffled = measured[measured.setting == trials.SHUFFLED]
    assert set(shuffled.data) == set(reference.data) - {"multimodal"}
    page = (tmp_path / "docs" / "bench-vertcohirf.md").read_text()
    assert "**Budget: 1 trials" in page
    assert (tmp_path / "docs" / "images" / "vertcohirf-peers.png").exists()
