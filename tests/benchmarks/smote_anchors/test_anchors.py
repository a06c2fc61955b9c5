"""The comparison of anchors: the attack works where it should, and every measure is taken."""

import numpy as np
from sklearn.datasets import load_wine

from benchmarks.smote_anchors.anchors import from_start, trial, unmixed
from consilience.collaboration.anchors.keyed import draw_anchor
from consilience.metrics import agreement


def test_an_analyst_alone_unmixes_uniform_anchors_and_not_gaussian_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8)) @ rng.normal(size=(8, 8))
    low, high = X.min(axis=0), X.max(axis=0)
    parties, columns = np.arange(200) % 4, [np.arange(4), np.arange(4, 8)]
    found = {
        kind: [
            unmixed(X, draw_anchor(kind, bytes([key] * 32), low, high, 1500), parties, columns, key)
            for key in range(8)
        ]
        for kind in ("uniform", "gaussian", "rotated")
    }
    assert min(found["uniform"]) > 0.99
    # Chance, where there is nothing to find: single keys reach .66 to .90, as rounding has it.
    assert np.mean(found["gaussian"]) < 0.85
    assert np.mean(found["rotated"]) < 0.85


def test_k_means_of_turned_rows_agrees_from_the_same_start():
    rng = np.random.default_rng(0)
    X, start = rng.normal(size=(90, 3)), np.array([1, 5, 7])
    turned = X @ np.linalg.qr(rng.normal(size=(3, 3)))[0] + 4
    assert agreement(from_start(X, start), from_start(turned, start)) == 1


def test_a_trial_takes_every_measure_of_every_anchor(monkeypatch):
    monkeypatch.setattr("benchmarks.smote_anchors.anchors.N_ANCHORS", (60,))
    X, y = load_wine(return_X_y=True)
    found = {c[3:]: v for c, v in trial("wine", X, y, 0) if c[0] == "anchors"}
    assert len(found) == 5 * 8
    assert np.isfinite(list(found.values())).all()
    assert found["gaussian", "same start"] > 0.8
