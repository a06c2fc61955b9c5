from benchmarks.fcac import one_cloud
from benchmarks.fcac.one_cloud import NETWORKS, learn_cloud


def test_the_three_networks_differ_as_in_the_paper(tmp_path, monkeypatch):
    monkeypatch.setattr(one_cloud, "N_POINTS", 4_000)
    table = learn_cloud(tmp_path, trials=1).set_index("network")
    assert list(table.index) == list(NETWORKS)
    assert table.nodes["CAE"] > table.nodes["CAE_FC"]
    assert table.clusters["CA+"] == table.nodes["CA+"] > table.nodes["CAE_FC"]
    assert (tmp_path / "images" / "fcac-one-cloud.png").stat().st_size > 1_000
