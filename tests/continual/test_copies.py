import numpy as np

from consilience.continual.copies import count_copies


def test_only_exact_copies_count():
    rows = np.array([[0.1, 0.2], [0.3, 0.4]])
    nodes = np.array([[0.1, 0.2], [0.3, 0.4 + 1e-15], [0.3, 0.4000001]])
    assert count_copies(nodes, rows) == 1
    assert count_copies(np.empty((0, 2)), rows) == 0
