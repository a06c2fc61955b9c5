import numpy as np
import pytest

from consilience.collaboration.clustering import cluster
from consilience.collaboration.relations import coarser, further_columns, relations_section

TREE = np.array([[1.0, 3.0, 0.5], [0.0, 2.0, 0.7], [4.0, 5.0, 3.0]])


def test_a_cut_joins_what_the_tree_joins_first():
    assert [coarser(TREE, k).tolist() for k in (4, 3, 2, 1)] == [
        [0, 1, 2, 3],
        [0, 1, 2, 1],
        [0, 1, 0, 1],
        [0, 0, 0, 0],
    ]


def test_a_coarser_cut_is_that_of_the_whole_tree():
    X = np.random.default_rng(0).normal(size=(80, 3))
    fine, coarse = (cluster(X.copy(), "hierarchical", k, seed=0) for k in (6, 3))
    groups = coarser(fine.tree, 3)[fine.labels]
    assert len(set(zip(groups, coarse.labels, strict=True))) == 3


def test_rows_without_a_cluster_have_empty_cells():
    shares = np.array([[0.25, 0.75], [0.9, 0.1]])
    table = further_columns(np.array([1, -1, 0]), np.array([0, -1, 1]), shares, None)
    np.testing.assert_allclose(table, [[0.25, 0.75], [np.nan, np.nan], [0.9, 0.1]])


def test_pages_say_how_many_rows_lie_between():
    shares = np.array([[0.5, 0.5, 0], [0.55, 0, 0.45], [1, 0, 0], [0, 0, 0]])
    [section] = relations_section([2, 1, 0], shares, None)
    text, table = section.parts
    assert text.startswith("2 of 3 rows (66.7%)")
    assert [row[:2] for row in table.rows] == [["0 and 2", 1], ["0 and 1", 1]]


@pytest.mark.parametrize("given", [(None, None), (np.ones((3, 1)), np.empty((0, 3)))])
def test_one_cluster_has_no_relations(given):
    assert relations_section([3], *given) == []
