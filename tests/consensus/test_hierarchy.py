import json

import numpy as np
import pytest
from sklearn.datasets import load_digits

from consilience import ConsensusClustering
from consilience.consensus.hierarchy import Hierarchy

X = load_digits().data[:200]
COLUMNS = [list(range(32)), list(range(32, 64))]


@pytest.fixture(scope="module")
def tree():
    return ConsensusClustering(columns=COLUMNS, n_groups=6, random_state=0).fit(X).hierarchy_


def test_levels_only_join_clusters(tree):
    for level in range(tree.n_levels):
        fine, coarse = tree.cut(level), tree.cut(level + 1)
        assert len(np.unique(np.column_stack([fine, coarse]), axis=0)) == fine.max() + 1
        assert coarse.max() < fine.max()


def test_medoid_of_a_cluster_belongs_to_it(tree):
    for level in range(tree.n_levels + 1):
        labels, medoids = tree.cut(level), tree.medoids(level)
        np.testing.assert_array_equal(labels[medoids], labels)


def test_json_comes_back(tree):
    again = Hierarchy.from_json(tree.to_json())
    np.testing.assert_array_equal(again.fusions(), tree.fusions())
    np.testing.assert_array_equal(again.cut(), tree.cut())
    assert json.loads(tree.to_json())["n_rows"] == len(X)


def test_dot_names_every_cluster_and_counts_what_it_leaves_out(tree):
    text = tree.to_dot(max_clusters=5)
    assert text.startswith("digraph")
    assert "more left out" in text
    full = tree.to_dot(max_clusters=10**6)
    assert full.count("[label=") == len(tree.clusters())
    assert "more left out" not in full


def test_sizes_of_each_level_add_up_to_the_rows(tree):
    table = tree.clusters()
    for level in range(1, tree.n_levels + 1):
        assert table[table[:, 0] == level, 2].sum() == len(X)


@pytest.mark.parametrize("level", [-1, 99])
def test_a_level_that_does_not_exist_is_refused(tree, level):
    with pytest.raises(ValueError, match=f"level == {level}, must be in"):
        tree.cut(level)


def test_rows_that_never_join_make_a_tree_of_leaves():
    alone = Hierarchy(np.arange(3), np.zeros(3, dtype=np.int64))
    assert alone.n_levels == 0
    assert alone.cut().tolist() == [0, 1, 2]
    assert len(alone.fusions()) == 0
    assert len(alone.clusters()) == 3


def test_a_notebook_shows_a_line_for_every_iteration(tree):
    html = tree._repr_html_()
    assert html.count("<tr>") == 1 + tree.n_levels
    assert "Hierarchy of 200 rows" in html
