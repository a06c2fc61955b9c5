"""The dendrogram names the institutions and shows the cut."""

import numpy as np

from consilience.collaboration.learning.grouping import merge_tree
from consilience.collaboration.learning.groups.figure import draw_dendrogram


def test_every_institution_and_the_threshold_are_drawn():
    P = np.random.default_rng(0).dirichlet(np.ones(3), size=12)
    (axes,) = draw_dendrogram(merge_tree(P), range(12), 0.4).axes
    assert {t.get_text() for t in axes.get_xticklabels()} == {str(k) for k in range(12)}
    assert any(set(line.get_ydata()) == {0.4} for line in axes.lines)


def test_institutions_of_one_mix_are_drawn():
    tree = merge_tree(np.full((3, 2), 0.5))
    assert len(draw_dendrogram(tree, "abc", 0.3).axes[0].get_xticklabels()) == 3
