import hashlib

from consilience.sources.source import Source


def test_a_file_is_called_by_its_name_and_leaves_no_note(tmp_path):
    source = Source(tmp_path / "ward.csv", "id")
    assert (source.name, source.file, source.noted) == ("ward.csv", tmp_path / "ward.csv", {})


def test_a_query_is_noted_by_its_digest(tmp_path):
    query = tmp_path / "patients.sql"
    query.write_text("select 1")
    source = Source("sqlite:///ward.db", "id", query=query)
    assert source.file is None
    assert source.name == "patients.sql"
    assert source.noted == {"query": hashlib.sha256(b"select 1").hexdigest()}
