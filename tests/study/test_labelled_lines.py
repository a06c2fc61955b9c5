"""Labels beside ids, line by line; what tables of studies make of them is tested there."""

import io

import numpy as np
import pandas as pd
import pytest

from consilience.sources import delimited
from consilience.sources.parts import TableParts
from consilience.sources.source import Kinds, Source
from consilience.study.labelled_lines import LabelledLines


@pytest.fixture
def lines(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 2)

    def lines(ids, labels, **more):
        path = tmp_path / "ward.csv"
        pd.DataFrame({"id": ids, "age": 1}).to_csv(path, index=False)
        kinds = Kinds(frozenset({"age"}), frozenset({"id"}))
        return LabelledLines(
            TableParts(Source(path, "id"), kinds, tmp_path), "id", np.array(labels), **more
        )

    return lines


def test_clusters_are_numbers_and_none_is_empty(lines):
    found = lines(["b", "a", "c"], [1, -1, 0])
    assert b"".join(found.pieces()) == b"id,cluster\nb,1\na,\nc,0\n"
    assert len(found) == 3


def test_words_are_quoted_as_ids_are(lines):
    words = ['ill, "badly"', "well"]
    found = lines(["x,1", "y", "z"], [0, 1, -1], words=words, column="prediction")
    read = pd.read_csv(io.BytesIO(b"".join(found.pieces())), keep_default_na=False)
    assert read.to_dict("list") == {
        "id": ["x,1", "y", "z"],
        "prediction": [*words, ""],
    }
