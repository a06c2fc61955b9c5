import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_digits

from consilience import ConsensusClustering
from consilience.consensus.hierarchy import Hierarchy
from consilience.consensus.tree_figure import stack

mpl.use("Agg")


@pytest.fixture(scope="module")
def tree():
    X = load_digits().data[:120]
    columns = [list(range(32)), list(range(32, 64))]
    return ConsensusClustering(columns=columns, n_groups=5, random_state=0).fit(X).hierarchy_


def test_what_joins_stands_inside_what_it_joins(tree):
    columns = stack(tree.clusters())
    assert tree.n_levels > 1
    for level in range(1, tree.n_levels):
        above = dict(zip(*columns[level + 1][::2], strict=True))
        sizes = dict(zip(*columns[level + 1][:2], strict=True))
        following = tree.medoids(level + 1)
        for medoid, size, start in zip(*columns[level], strict=True):
            higher = following[medoid]
            assert above[higher] <= start
            assert start + size <= above[higher] + sizes[higher]


@pytest.mark.parametrize("max_clusters", [3, 50])
def test_the_picture_counts_all_and_draws_the_largest(tree, max_clusters):
    ax = tree.plot(max_clusters=max_clusters)
    counts = np.bincount(tree.clusters()[:, 0])[1:]
    words = [label.get_text() for label in ax.get_xticklabels()]
    assert words == [f"{k}\n{n} clusters" for k, n in enumerate(counts, 1)]
    drawn = np.minimum(counts, max_clusters)
    assert len(ax.patches) == len(counts) + drawn.sum() + drawn[:-1].sum()
    mpl.pyplot.close("all")


def test_a_tree_without_fusions_can_be_drawn():
    ax = Hierarchy(np.arange(4), np.zeros(4, dtype=np.int64)).plot()
    assert len(ax.patches) == 1 + 4
    mpl.pyplot.close("all")
