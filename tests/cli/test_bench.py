"""The benchmark command runs from a checkout and says so elsewhere."""

from consilience.cli import bench


def test_an_installed_package_names_the_way_out(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    monkeypatch.chdir(tmp_path)
    said = cli("bench", "dc-clustering")
    assert said.code == 2
    assert "call this command in a checkout of the source" in " ".join(said.err.split())


def test_every_name_leads_to_a_run():
    assert all(callable(bench._load(name).run) for name in bench.Name)
