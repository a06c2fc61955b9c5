import numpy as np
import pandas as pd
import pytest

from benchmarks.dc_clustering.expected import (
    COLUMNS,
    column_splits,
    differences,
    measure,
    tables,
    without_dropped,
)
from benchmarks.dc_clustering.trials import Problem
from consilience.datasets import load


def test_every_even_deal_comes_once():
    for n, ways in ((4, 3), (5, 10), (6, 10)):
        splits = column_splits(n)
        assert len(splits) == len({frozenset(map(tuple, split)) for split in splits}) == ways
        assert all(sorted([*split[0], *split[1]]) == list(range(n)) for split in splits)


def test_what_a_party_drops_is_gone_and_the_rest_stays():
    X = np.random.default_rng(0).normal(size=(40, 5)) * [9, 1, 5, 5, 0.1]
    parties = np.arange(40) % 2
    problem = Problem(X, parties, parties, [np.array([0, 1]), np.array([2, 3, 4])], 2, 0)
    left = without_dropped(problem)
    for party in (0, 1):
        own = left[parties == party]
        assert np.linalg.matrix_rank(own[:, :2] - own[:, :2].mean(axis=0)) == 1
        assert np.linalg.matrix_rank(own[:, 2:] - own[:, 2:].mean(axis=0)) == 2
        np.testing.assert_allclose(own.mean(axis=0), X[parties == party].mean(axis=0))


def test_collaboration_is_no_better_than_the_best_alignment_on_iris():
    dataset = load("iris")
    lines = [["iris", "01+23", *line] for line in measure(dataset, [[0, 1], [2, 3]], 0)]
    results = pd.DataFrame(lines, columns=COLUMNS)
    away = differences(results).loc["iris"]
    assert away["collaboration"] == pytest.approx(away["best alignment"], abs=6)
    assert "| iris " in tables(results)
