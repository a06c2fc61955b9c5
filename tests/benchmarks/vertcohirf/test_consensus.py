from sklearn.cluster import KMeans

from benchmarks.vertcohirf.consensus import merged_though_separated, tables
from consilience import ConsensusClustering


def test_pairs_that_a_veto_keeps_apart_do_not_count_as_merged():
    name, X, _, columns, bases = next(tables(0))
    assert (name, [len(c) for c in columns]) == ("multimodal", [3, 2])
    model = ConsensusClustering(bases, columns=columns, veto="persistent", random_state=0).fit(X)
    assert merged_though_separated(model) == 0
    loose = ConsensusClustering([KMeans(8)] * 2, columns=columns, random_state=0).fit(X)
    assert 0 < merged_though_separated(loose) <= 1
