import numpy as np
import pytest

compiler = pytest.importorskip("consilience.continual.compiler", exc_type=ImportError)


def test_exponential_is_right_to_two_units_in_the_last_place():
    x = -np.concatenate([10.0 ** np.linspace(-18, 2.84, 5000), [0.0]])
    values = np.array([compiler.exp(value) for value in x])
    assert np.max(np.abs(values / np.exp(x) - 1)) <= 2 * np.finfo(float).eps
    assert compiler.exp(0.0) == 1.0
    assert compiler.exp(-1e300) < 1e-300
