import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from consilience.consensus.kernel_kmeans import KernelKMeans


def test_rings_that_k_means_cannot_separate():
    rng = np.random.default_rng(0)
    angle, ring = rng.uniform(0, 6.3, 300), rng.integers(2, size=300)
    radius = np.where(ring, 3.0, 0.2)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    plain = adjusted_rand_score(ring, KMeans(2, random_state=0).fit_predict(X))
    kernel = adjusted_rand_score(ring, KernelKMeans(2, gamma=0.5, random_state=0).fit_predict(X))
    assert kernel > plain + 0.3
