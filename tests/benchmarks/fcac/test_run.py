"""The whole benchmark on small sets of its own: every file is written, every cell is kept."""

import numpy as np
import pandas as pd

from benchmarks.fcac import one_cloud, privacy, rounds, run
from benchmarks.tables import CELL, published


def test_every_published_cell_stays_in_the_result(write, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    for name in ("hill-valley", "phoneme"):
        y = np.arange(240) % 2
        X = pd.DataFrame(rng.normal(size=(240, 3)) + 4 * y[:, None], columns=list("abc"))
        X.assign(label=y).to_csv(tmp_path / f"{name}.csv.gz", index=False)
    monkeypatch.setattr(run, "available", lambda data: ("hill-valley", "phoneme"))
    monkeypatch.setattr(run, "EPSILONS", (15.0,))
    monkeypatch.setattr(privacy, "RECORD_EPSILONS", (50.0,))
    monkeypatch.setattr(privacy, "N_POINTS", 100)
    monkeypatch.setattr(rounds, "N_POINTS", 400)
    monkeypatch.setattr(one_cloud, "N_POINTS", 400)
    assert {"fcac.csv", "fcac-privacy.csv", "fcac-ranks.png", "bench-fcac.md"} <= write(run)
    result = pd.read_csv(tmp_path / "benchmarks" / "results" / "fcac.csv")
    kept = set(map(tuple, result[CELL].to_numpy()))
    assert set(map(tuple, published("fcac")[CELL].to_numpy())) <= kept
    assert set(result[result.trials > 0].data) == {"hill-valley", "phoneme", "all"}
    page = (tmp_path / "docs" / "bench-fcac.md").read_text()
    assert "Not in its data folder: ozone-level-8hr" in page
    assert "{" not in page

    changed = tmp_path / "benchmarks" / "results" / "fcac.csv"
    result.loc[(result.data == "phoneme") & (result.metric == "ARI"), "ours"] = 0.125
    result.to_csv(changed, index=False)
    again = write(run, only="hill-valley")
    assert "fcac.csv" in again
    assert "fcac-privacy.csv" not in again
    renewed = pd.read_csv(changed)
    assert set(renewed[(renewed.data == "phoneme") & (renewed.metric == "ARI")].ours) == {0.125}
    ranks = renewed[(renewed.data == "all") & (renewed.metric == "average ARI rank")].ours
    assert ranks.sum() == 2 * 15


def test_results_on_record_have_the_ranks_of_their_own_means(on_record):
    table = pd.read_csv(on_record / "fcac.csv")
    again = run._with_ranks(table, run._compare_all(table, run._ranked(table)))
    both = table.merge(again, on=CELL, suffixes=("", "_again"))
    ranks = both[both.data == "all"]
    assert len(ranks) == 40
    np.testing.assert_allclose(ranks.ours, ranks.ours_again, rtol=1e-5)
