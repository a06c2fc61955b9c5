import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac import privacy
from consilience.datasets import Dataset


def test_noise_costs_quality_and_hides_rows(monkeypatch):
    pytest.importorskip("opendp")
    monkeypatch.setattr(privacy, "EPSILONS", (1.0,))
    monkeypatch.setattr(privacy, "N_PARTIES", 2)
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    frame = pd.DataFrame(rng.normal(size=(200, 2)) + 30 * y[:, None])
    table = privacy.study_privacy({"two": Dataset("two", frame, y, ("a", "b"))})
    noisy, plain = table.to_dict("records")
    assert plain["ARI"] > 0.1
    assert noisy["nodes equal to a row"] == 0
    assert plain["nodes equal to a row"] > 0
    assert noisy["noise / range"] == 2.0
