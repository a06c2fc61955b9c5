import numpy as np

from consilience.bench.attack_nodes import _wide, measure_nodes
from consilience.bench.attack_studies import Study
from consilience.bench.tables import Trials
from consilience.continual import compute
from consilience.privacy.audits import count_columns


def test_nodes_without_noise_give_members_away_and_noise_hides_them(monkeypatch):
    # As on a machine without numba: the labels are the same, and nothing has to be compiled.
    monkeypatch.setattr(compute, "find_spec", lambda name: None)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    study = Study("small", X, np.zeros(300, dtype=np.int64), count_columns(X), "as they are")
    measured = Trials()
    measure_nodes(measured, study, 0)
    table = _wide(measured.summary()).set_index("setting")
    assert table.loc["no noise", "nodes that are rows"] > 0.1
    assert table.loc["no noise", "AUC"] > table.loc["epsilon 10 per row", "AUC"]
    assert table.loc["epsilon 10 per row", "nodes that are rows"] == 0
