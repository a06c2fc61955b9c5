import numpy as np
from sklearn.cluster import KMeans

from consilience import compare


class OneGroup(KMeans):
    def fit(self, X, y=None, parties=None):
        return super().fit(X)


def test_the_picture_names_every_method_of_which_something_is_known():
    X = np.random.default_rng(0).normal(size=(90, 3))
    found = compare(X, np.arange(90) % 3, n_clusters=2, methods=["alone", "k-FED"])
    [legend] = found.plot().legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["1: pooled", "2: alone", "3: k-FED"]


def test_what_nobody_knows_is_not_drawn():
    X = np.random.default_rng(0).normal(size=(90, 3))
    found = compare(X, methods={"mine": OneGroup(2, n_init=1)}, n_clusters=2)
    [legend] = found.plot().legends
    assert [text.get_text() for text in legend.get_texts()] == ["1: pooled"]
