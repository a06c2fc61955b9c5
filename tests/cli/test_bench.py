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


def test_the_list_says_where_every_set_comes_from(cli, tmp_path):
    (tmp_path / "rice.parquet").write_bytes(b"")
    said = " ".join(cli("bench", "--list", "--data", tmp_path).out.split())
    for name in bench.Name:
        assert name.value in said
    for words in ("scikit-learn", "the folder", "missing:", "Tables 2, 4, 5 and 6"):
        assert words in said


def test_all_that_is_missing_is_said_at_once(cli, tmp_path):
    said = cli("bench", "dc-cfl", "--data", tmp_path)
    assert said.code == 2
    text = " ".join(said.err.split())
    assert "3 of 3 data sets are missing" in text
    for name in ("covertype_kaggle.parquet", "dry_bean.parquet", "gesture_phase.parquet"):
        assert name in text


def test_nothing_to_run_is_said(cli):
    said = cli("bench")
    assert (said.code, "say --list" in said.err) == (2, True)


def test_what_is_needed_is_what_the_tables_hold():
    from benchmarks.tables import published
    from benchmarks.vertcohirf.run import NEEDS

    tables = published("vertcohirf")
    assert set(tables[tables.table != "Table 1"].data) == set(NEEDS)


def test_what_is_measured_as_a_whole_takes_no_part(cli):
    said = cli("bench", "dc-cfl", "--only", "dry_bean")
    assert (said.code, "measured as a whole" in " ".join(said.err.split())) == (2, True)
