import numpy as np
import pandas as pd

from benchmarks.summary_units import WAYS, drafted, measure, tables


def heaps(n):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)) * [1, 10, 100] + 5 * np.arange(n)[:, None] % 2 * [1, 10, 100]


def test_drafted_units_have_the_spread_of_a_column_for_1():
    X = heaps(2000)
    lower, upper, spreads = drafted(X)
    np.testing.assert_allclose(spreads, X.std(axis=0), rtol=0.1)
    assert (lower >= X.min(axis=0) - spreads).all()
    assert (upper <= X.max(axis=0) + spreads).all()


def test_each_way_is_measured_and_finds_clusters_that_lie_apart():
    X = np.vstack([heaps(2000), np.add(heaps(2000), [20, 200, 2000])])
    found = {way: share for way, _, _, _, share in measure(X, 2)}
    assert list(found) == list(WAYS)
    assert min(found.values()) > 0.95


def test_tables_end_each_half_with_its_mean():
    lines = [[name, way, 1.0, 0.5] for name in ("rice", "shuttle") for way in WAYS]
    text = tables(pd.DataFrame(lines, columns=["data", "way", "two pooled runs", "share"]))
    assert text.count("| **mean** |") == 2
    assert text.index("| choosing | **mean** |") < text.index("| reporting | rice |")
