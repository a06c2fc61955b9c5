import numpy as np

from consilience.bench.attack_nodes import _wide, measure_nodes
from consilience.bench.attack_studies import Study
from consilience.bench.tables import Trials
from consilience.continual.nodes import compute
from consilience.privacy.audits import count_columns


def test_nodes_without_noise_give_members_away_and_noise_hides_them(monkeypatch):
    # As on a machine without numba: the labels are the same, and nothing has to be compiled.
    monkeypatch.setattr(compute, "find_spec", lambda name: None)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    study = Study("small", X, np.zeros(300, dtype=np.int64), count_columns(X), "as they are")
    measured = Trials()
    measure_nodes(measured, study, 0)
    summary = measured.summary().set_index(["setting", "metric"]).ours
    noisy, plain = "epsilon 10 per row", "no noise"
    assert summary[f"first window, {plain}", "points that are rows"] > 0.1
    assert summary[f"second window, {plain}", "rows exposed"] > 0.2
    for window in ("first", "second"):
        assert (
            summary[f"{window} window, {plain}", "AUC"]
            > summary[f"{window} window, {noisy}", "AUC"]
        )
        assert summary[f"{window} window, {noisy}", "rows exposed"] == 0
    assert len(_wide(measured.summary())) == 8
