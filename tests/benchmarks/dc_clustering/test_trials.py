import numpy as np

from benchmarks.dc_clustering.trials import METRICS, SETTING, synthetic, trial
from benchmarks.tables import CELL, published
from consilience.datasets import load


def test_the_synthetic_sets_need_the_collaboration():
    found = dict(synthetic("blobs", "iid"))
    ari = {method: found["Table 2", "blobs", "2 x 2 iid", method, "ARI"] for *_, method, _ in found}
    assert ari["collaboration"] > ari["local (1,1)"] + 0.2
    assert len(found) == 6 * len(METRICS)


def test_one_trial_of_iris_has_the_cells_of_the_paper_and_repeats_itself():
    found = dict(trial("iris", load("iris"), 0))
    cells = published("dc_clustering").query("data == 'iris'")[CELL]
    assert set(cells.itertuples(index=False, name=None)) <= set(found)
    assert found["Table 4", "iris", SETTING, "pooled", "ARI"] > 0.7
    agreement = found["Agreement", "iris", SETTING, "k-means, paper mode", "ARI with pooled"]
    assert agreement > found["Table 4", "iris", SETTING, "local", "ARI"] - 0.5
    assert np.isfinite(list(found.values())).all()
    assert found == dict(trial("iris", load("iris"), 0))
