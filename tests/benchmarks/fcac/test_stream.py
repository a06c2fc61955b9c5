import numpy as np
import pandas as pd
import pytest

from benchmarks.fcac import stream


def test_clouds_are_apart_whatever_the_draw():
    for seed in range(5):
        centres, spreads, shares = stream.clouds(np.random.default_rng(seed), 5, 3, stretch=4.0)
        gaps = np.linalg.norm((centres[:, None] - centres) / spreads, axis=2)
        assert gaps[np.triu_indices(5, 1)].min() >= stream.APART
        assert shares.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("shape", list(stream.SHAPES))
def test_a_jump_moves_all_rows_at_once_and_drift_a_little_every_window(shape, monkeypatch):
    monkeypatch.setattr(stream, "WINDOWS", 4)
    monkeypatch.setattr(stream, "ROWS", 50)
    still, drifting, jumping = (list(stream.windows(shape, m, 1)) for m in stream.MOTIONS)
    for number, ((X, group), (moving, same), (jumped, _)) in enumerate(
        zip(still, drifting, jumping, strict=True)
    ):
        np.testing.assert_array_equal(group, same)
        np.testing.assert_allclose(moving - X, number)
        np.testing.assert_allclose(jumped - X, 250.0 * (number >= 2))


def test_every_scene_is_written_with_its_worst_window(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "WINDOWS", 3)
    monkeypatch.setattr(stream, "ROWS", 300)
    monkeypatch.setattr(stream, "SEEDS", range(2))
    monkeypatch.setattr(stream, "SHAPES", {"5 clouds": stream.SHAPES["5 clouds"], "rings": {}})
    monkeypatch.setattr(stream, "RESULTS", tmp_path)
    stream.main()
    table = pd.read_csv(tmp_path / "fcac-stream.csv")
    assert table.scene.tolist() == ["5 clouds"] * 3 + ["rings"] * 3
    assert (table.windows == 6).all()
    assert (table.lowest <= table["mean ARI"]).all()
