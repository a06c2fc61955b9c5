import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks.fcac import noise
from benchmarks.fcac.noise import published_noise
from consilience.datasets import Dataset


def test_noise_is_laplace_with_the_range_of_the_private_rows():
    X = np.random.default_rng(0).uniform(0, 8, size=(5000, 1))
    X[:2, 0] = 0.0, 8.0
    drawn = (published_noise(X, 4.0, seed=1) - X).ravel()
    assert stats.kstest(drawn, "laplace", args=(0, 8 / 4.0)).pvalue > 1e-3  # seeded: no alarm


def test_published_flaws_are_kept_where_they_belong():
    X = np.column_stack([np.arange(4.0), np.full(4, 7.0)])
    noisy = published_noise(X, 15.0, seed=0)
    np.testing.assert_array_equal(noisy[:, 1], X[:, 1])  # a constant feature receives none
    np.testing.assert_array_equal(published_noise(X, 15.0, seed=0), noisy)  # one seed for all


def test_less_noise_moves_the_clouds_less_and_k_means_finds_them(tmp_path, monkeypatch):
    monkeypatch.setattr(noise, "N_POINTS", 150)
    table = noise.show_noise(tmp_path / "noise.png")
    assert (tmp_path / "noise.png").stat().st_size > 10_000
    assert table["distance"].iloc[0] == 0.0
    assert table["distance"].iloc[1:].is_monotonic_decreasing
    assert table["ARI"].iloc[-1] > 0.9


def test_honest_noise_costs_quality_and_hides_rows(monkeypatch):
    pytest.importorskip("opendp")
    monkeypatch.setattr(noise, "RECORD_EPSILONS", (1.0,))
    monkeypatch.setattr(noise, "N_PARTIES", 2)
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    frame = pd.DataFrame(rng.normal(size=(200, 2)) + 30 * y[:, None])
    table = noise.study_privacy({"two": Dataset("two", frame, y, ("a", "b"))})
    noisy, plain = table.to_dict("records")
    assert plain["ARI"] > 0.1
    assert noisy["nodes equal to a row"] == 0 < plain["nodes equal to a row"]
    assert noisy["noise / range"] == 2.0
