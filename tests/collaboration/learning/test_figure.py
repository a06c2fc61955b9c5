"""The picture shows names and shares, the largest on top."""

import numpy as np

from consilience.collaboration.learning.figure import draw_importances
from consilience.collaboration.learning.surrogate import fit_surrogate

RNG = np.random.default_rng(0)
A = RNG.uniform(size=(300, 3))


def test_bars_are_the_used_features_in_order():
    told = np.eye(2)[((A[:, 1] > 0.5) & (A[:, 2] > 0.2)).astype(int)]
    surrogate = fit_surrogate(
        A, told, feature_names=["idle", "main", "minor"], classes=np.array([0, 1])
    )
    (axes,) = draw_importances(surrogate).axes
    assert [t.get_text() for t in axes.get_yticklabels()] == ["minor", "main"]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths[0] < widths[1]
    assert "own columns" in axes.get_title(loc="left")


def test_a_constant_model_has_no_bars():
    surrogate = fit_surrogate(
        A, np.eye(2)[[0] * 300], feature_names=list("abc"), classes=np.array([0, 1])
    )
    assert not draw_importances(surrogate).axes[0].patches
