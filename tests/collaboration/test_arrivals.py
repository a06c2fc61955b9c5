"""What arrived and how it met: sizes, gaps and nothing else."""

import numpy as np
import pytest

from consilience.collaboration.arrivals import (
    Received,
    arrived_section,
    gaps,
    joined_section,
    missing_parties,
)
from consilience.collaboration.roles import analyst_of, party_of
from consilience.study.keys import new_key
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study


@pytest.fixture
def solved():
    columns = {f"x{k}": {"kind": "numeric", "bounds": [-9, 9]} for k in range(4)}
    study = Study.from_terms(
        {
            "name": "s",
            "grid": {"rows": ["north", "south"], "columns": ["lab"], "missing_party": "go on"},
            "schema": {"lab": columns},
            "clustering": {"n_clusters": 2},
        }
    )
    analyst = analyst_of(study)
    X = np.random.default_rng(0).normal(size=(20, 4))
    codes = pseudonyms([str(k) for k in range(20)], new_key())
    analyst.receive(*party_of(study, "north/lab", new_key()).begin(X, codes))
    analyst.solve()
    return study, analyst, [Received("north/lab", 20, 2, 400, 99)]


def test_a_party_that_sent_nothing_is_listed_and_warned_of(solved):
    study, analyst, received = solved
    assert missing_parties(study, received) == ["south/lab"]
    (table,) = arrived_section(study, received).parts[1:]
    assert table.rows == [
        ["north/lab", 20, 2, 4, 400, 99],
        ["south/lab", "nothing arrived", None, None, None, None],
    ]
    assert "Nothing came from south/lab" in gaps(study, analyst, received, 3)[0].text


def test_dimensions_the_anchor_does_not_span_are_warned_of(solved):
    study, analyst, received = solved
    texts = [note.text for note in gaps(study, analyst, received, 1)]
    assert any("span 1 of 3 dimensions" in text for text in texts)
    assert not any("span" in note.text for note in gaps(study, analyst, received, None))


def test_rows_that_met_are_counted_under_the_word_for_their_use(solved):
    study, analyst, _ = solved
    (table,) = joined_section(study, analyst, "predicted").parts[1:]
    assert table.header[-1] == "predicted"
    assert table.rows == [["north", "20", "0", 20, 0, 20]]
