"""Tables that come in pieces: one set of types, and no file stays behind."""

import tempfile
from decimal import Decimal
from pathlib import Path

import pytest

from consilience.exceptions import TableError
from consilience.sources.source import Kinds
from consilience.sources.spill import spill

pa = pytest.importorskip("pyarrow")


def batch(**columns):
    return pa.RecordBatch.from_pydict(columns)


def test_types_are_those_all_readers_share(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    coded = pa.array(["n", "s"]).dictionary_encode()
    first = batch(age=[1, 2], dose=[Decimal("1.5"), None], ward=coded, note=pa.nulls(2))
    found = spill(iter([first, first]), Kinds(frozenset({"age"})))
    assert found.dtypes.map(lambda t: str(t.pyarrow_dtype)).tolist() == [
        "double", "double", "string", "string",
    ]  # fmt: skip
    assert found["ward"].tolist() == ["n", "s"] * 2
    assert not list(Path(tmp_path).iterdir())


def test_a_column_that_changes_its_type_is_named():
    pieces = [batch(age=[1, 2]), batch(age=["many", "2"])]
    with pytest.raises(TableError, match="column 'age' changes its type"):
        spill(iter(pieces), Kinds())


def test_nothing_is_told_in_the_words_given():
    with pytest.raises(TableError, match="there is nothing"):
        spill(iter([]), Kinds(), "there is nothing")
