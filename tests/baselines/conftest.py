"""What the tests of the compared networks share."""

import numpy as np
import pytest
from sklearn.preprocessing import scale


@pytest.fixture
def unequal():
    """Six institutions of 3 to 117 rows, two of three classes each: X, y, parties."""
    rng = np.random.default_rng(0)
    parties = np.repeat(list("abcdef"), [3, 20, 40, 50, 70, 117])
    first = np.repeat([0, 2, 1, 0, 2, 1], [3, 20, 40, 50, 70, 117])
    y = (first + rng.integers(2, size=len(parties))) % 3
    X = rng.normal(size=(3, 6))[y] + rng.normal(size=(len(y), 6))
    return scale(X), np.array(["x", "y", "z"])[y], parties
