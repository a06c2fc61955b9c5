import numpy as np

from benchmarks.attacks.defences import defences, measure_defences
from benchmarks.attacks.studies import Study
from benchmarks.tables import Trials
from consilience.privacy.audits import count_columns


def test_each_defence_is_attacked_and_rehearsed():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60).astype(np.int64)
    X = 4.0 * y[:, None] + rng.normal(size=(120, 6))
    study = Study("small", X, y, count_columns(X), "as they are")
    measured = Trials()
    measure_defences(measured, study, 0)
    summary = measured.summary()
    assert set(summary.setting) == set(defences(study, 0))
    r2 = summary[summary.metric == "median R2"].set_index("setting").ours
    assert r2["paper mode"] > r2["1/2 of the dimensions"] > r2["1/4 of the dimensions"]
    assert abs(r2["1/2, rotated"] - r2["1/2 of the dimensions"]) < 0.05, "rotation hides nothing"
