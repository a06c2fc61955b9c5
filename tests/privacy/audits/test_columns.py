import numpy as np

from consilience.privacy.audits.columns import count_columns


def test_constant_near_constant_and_duplicated_columns_are_named():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    rare = np.zeros(200)
    rare[:3] = 1.0
    X = np.column_stack([x, np.full(200, 7.0), rare, -3 * x + 5, rng.normal(size=200)])
    counted = count_columns(X, list("abcde"))
    assert counted.names == ("a", "e")
    assert counted.near_constant == ("b", "c")
    assert counted.duplicated == ("d",)
    assert counted.rare_names == ("c",)


def test_column_that_differs_by_rounding_only_is_constant():
    X = np.column_stack([1e9 + np.arange(50) * 1e-7, np.arange(50.0)])
    assert count_columns(X).names == ("1",)


def test_table_without_varying_column_counts_none():
    assert len(count_columns(np.ones((5, 3))).places) == 0
