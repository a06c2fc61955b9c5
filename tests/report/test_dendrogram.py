import numpy as np

from consilience.report.dendrogram import draw_dendrogram


def test_every_leaf_is_named():
    tree = np.array([[1.0, 2.0, 0.5], [0.0, 3.0, 4.0]])
    svg = draw_dendrogram(tree, ["cluster 0 (9)", "cluster 1 (5)", "cluster 2 (1)"]).decode()
    assert svg.startswith("<?xml")
    assert (
        svg == draw_dendrogram(tree, [f"cluster {k}" for k in ("0 (9)", "1 (5)", "2 (1)")]).decode()
    )
    assert all(f"cluster {k}" in svg for k in range(3))
