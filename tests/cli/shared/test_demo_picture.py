import numpy as np
from matplotlib.image import imread

from consilience.cli.shared.demo_picture import COLOURS, draw_clusters


def test_both_panels_give_alike_clusters_the_same_colour_whatever_their_numbers(tmp_path):
    X = np.array([[0.0, 0.0], [0.1, 0.2], [5.0, 5.0], [5.1, 5.2]])
    together = np.array([0, 0, 1, 1])
    path = draw_clusters(X, np.array([0, 1, 0, 1]), together, 1 - together, tmp_path)
    pixels = (imread(path)[..., :3] * 255).round().astype(int)
    height, width, _ = pixels.shape
    for k, colour in enumerate(COLOURS):
        rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
        # Markers let a little of the white below them through.
        at = np.abs(pixels - (0.7 * rgb + 0.3 * 255)).max(axis=2) < 4
        left, right = at[:, : width // 2], at[:, width // 2 :]
        assert left.any(), f"cluster {k} is missing on the left"
        assert np.flatnonzero(left.any(axis=1)).min() == np.flatnonzero(right.any(axis=1)).min()
    assert height > 100
