import numpy as np
import pytest

compiler = pytest.importorskip("consilience.continual.nodes.kernels.compiler", exc_type=ImportError)


def test_power_is_right_to_two_units_in_the_last_place():
    u = np.concatenate([10.0 ** np.linspace(-18, 2.99, 5000), [0.0]])
    values = np.array([compiler.half_power(value) for value in u])
    assert np.max(np.abs(values / np.exp2(-u) - 1)) <= 2 * np.finfo(float).eps
    assert compiler.half_power(0.0) == 1.0
    assert compiler.half_power(1e300) < 1e-300


def test_rough_power_keeps_the_error_it_states():
    u = np.concatenate([10.0 ** np.linspace(-18, 1.9, 5000), [0.0]]).astype(np.float32)
    values = np.array([compiler.rough_half_power(value) for value in u])
    assert np.max(np.abs(values / np.exp2(-u.astype(float)) - 1)) < 1.01e-4
    assert compiler.rough_half_power(np.float32(np.inf)) < 1e-29


def test_kept_code_is_dropped_when_any_kernel_has_changed(monkeypatch):
    def hits(stamp):
        monkeypatch.setattr(compiler, "_STAMP", stamp)
        kernel = compiler.compiled(twice)
        assert kernel(2) == 4
        return sum(kernel.stats.cache_hits.values())

    hits("before")
    assert hits("before") == 1
    assert hits("after") == 0


def twice(x):
    return 2 * x
