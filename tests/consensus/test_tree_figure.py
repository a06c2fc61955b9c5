import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_digits

from consilience import ConsensusClustering
from consilience.consensus import Hierarchy

mpl.use("Agg")


@pytest.mark.parametrize("max_clusters", [3, 50])
def test_the_picture_draws_the_largest_clusters_and_counts_the_rest(max_clusters):
    X = load_digits().data[:120]
    columns = [list(range(32)), list(range(32, 64))]
    tree = ConsensusClustering(columns=columns, n_groups=5, random_state=0).fit(X).hierarchy_
    ax = tree.plot(max_clusters=max_clusters)
    notes = [text.get_text() for text in ax.texts]
    first = (tree.clusters()[:, 0] == 1).sum()
    drawn = min(first, max_clusters)
    assert (
        sum(note.endswith("not drawn") for note in notes)
        == (np.bincount(tree.clusters()[:, 0])[1:] > max_clusters).sum()
    )
    assert len(ax.collections) >= drawn
    mpl.pyplot.close("all")


def test_a_tree_without_fusions_can_be_drawn():
    ax = Hierarchy(np.arange(4), np.zeros(4, dtype=np.int64)).plot()
    assert len(ax.collections) == 4
    mpl.pyplot.close("all")
