import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac import privacy
from consilience.datasets import Dataset


def test_less_noise_moves_the_clouds_less_and_k_means_finds_them(tmp_path, monkeypatch):
    monkeypatch.setattr(privacy, "N_POINTS", 150)
    table = privacy.show_noise(tmp_path / "noise.png")
    assert (tmp_path / "noise.png").stat().st_size > 10_000
    assert table["distance"].iloc[0] == 0.0
    assert table["distance"].iloc[1:].is_monotonic_decreasing
    assert table["ARI"].iloc[-1] > 0.9


def test_honest_noise_costs_quality_and_hides_rows(monkeypatch):
    pytest.importorskip("opendp")
    monkeypatch.setattr(privacy, "RECORD_EPSILONS", (1.0,))
    monkeypatch.setattr(privacy, "N_PARTIES", 2)
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    frame = pd.DataFrame(rng.normal(size=(200, 2)) + 30 * y[:, None])
    table = privacy.study_privacy({"two": Dataset("two", frame, y, ("a", "b"))})
    noisy, plain = table.to_dict("records")
    assert plain["ARI"] > 0.1
    assert noisy["nodes equal to a row"] == 0 < plain["nodes equal to a row"]
    assert noisy["noise / range"] == 2.0
