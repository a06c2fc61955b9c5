import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac import hiding


def test_every_way_to_hide_is_measured_and_replaces_its_own_rows(tmp_path, monkeypatch):
    pytest.importorskip("opendp")
    y = np.arange(300) % 2
    X = np.random.default_rng(0).normal(size=(300, 3)) + 8 * y[:, None]
    pd.DataFrame(X, columns=list("abc")).assign(label=y).to_csv(
        tmp_path / "two.csv.gz", index=False
    )
    monkeypatch.setenv("CONSILIENCE_DATA", str(tmp_path))
    monkeypatch.setattr(hiding, "RESULTS", tmp_path / "hiding.csv")
    monkeypatch.setattr(hiding, "N_PARTIES", 2)
    monkeypatch.setattr(hiding, "N_RUNS", 1)
    for _ in range(2):
        hiding.main(["two"])
    table = pd.read_csv(tmp_path / "hiding.csv").set_index(["epsilon per record", "noise on"])
    assert set(table.index) == {
        *((epsilon, noise) for epsilon in hiding.EPSILONS for noise in ("rows", "centers")),
        (np.inf, "none"),
    }
    assert table["ARI"].between(-0.1, 1.0).all()
