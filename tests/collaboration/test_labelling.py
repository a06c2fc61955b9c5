"""Labels of a table in parts are those of the table at once, in the same file."""

import numpy as np
import pytest

from consilience.collaboration import labelling
from consilience.collaboration.labelling import label_in_parts
from consilience.exceptions import MessageError, TableError
from consilience.sources import delimited, parts
from consilience.sources.parts import NotInPartsError
from consilience.sources.reading import table_pieces
from consilience.study.labelled_lines import LabelledLines

PARTY, ID = "a/lab", "patient id"


@pytest.fixture(autouse=True)
def short_parts(monkeypatch):
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(parts, "LARGE_BYTES", 0)


@pytest.fixture
def own(solved, tmp_path):
    """A study that was answered, with a table of its own to change."""
    table, path = solved.tables[PARTY].copy(), solved.data(PARTY)
    before = path.read_bytes()

    def save(changed):
        changed.to_csv(path, index=False)

    yield table, save
    path.write_bytes(before)


def written(case, **options):
    outcome = case.read(PARTY, **options)
    return outcome, b"".join(table_pieces(outcome.table, case.data(PARTY)))


def before_shape(note):
    """Leave out how ids are written, which the first part tells of a large table."""
    return note.partition("Your ids are written as")[0]


def assert_same(case):
    streamed, lines = written(case, as_lines=True)
    whole, text = written(case)
    assert isinstance(streamed.table, LabelledLines)
    assert lines == text
    assert len(streamed.table) == len(whole.table)
    assert streamed.said == whole.said
    assert [before_shape(note) for note in streamed.notes] == list(map(before_shape, whole.notes))


def test_the_file_is_the_same(solved):
    assert_same(solved)


def test_rows_that_came_or_went_since_have_the_labels_they_have(solved, own):
    table, save = own
    table = table.iloc[3:].copy()
    table.iloc[5, table.columns.get_loc(ID)] = 'someone, "new"\nhere'
    save(table)
    assert_same(solved)


def test_ids_are_quoted_as_tables_are(solved, own):
    table, save = own
    save(table.assign(**{ID: table[ID].str.lower() + " "}))
    assert_same(solved)


def test_a_table_of_nobody_and_a_damaged_one_are_refused_alike(solved, own):
    table, save = own
    save(table.assign(**{ID: [f"x{k}" for k in range(len(table))]}))
    for options in ({"as_lines": True}, {}):
        with pytest.raises(MessageError, match="names none of the rows"):
            solved.read(PARTY, **options)
    save(table.assign(age="many"))
    for options in ({"as_lines": True}, {}):
        with pytest.raises(TableError, match="cannot be read as finite numbers"):
            solved.read(PARTY, **options)


def test_pseudonyms_that_are_in_no_order_take_all_of_it(solved):
    answer = solved.letter(PARTY, solved.answer(PARTY)).message
    sent = solved.letter("analyst", solved.sent(PARTY)).message.pseudonyms
    jumbled = {**vars(answer), "pseudonyms": np.ascontiguousarray(sent[::-1])}
    with pytest.raises(NotInPartsError):
        label_in_parts(solved.participant(PARTY), type(answer)(**jumbled), solved.source(PARTY))


def test_the_sample_is_drawn_from_all_parts_and_stays_small(monkeypatch):
    monkeypatch.setattr(labelling, "SAMPLE_ROWS", 100)
    rng, sample = np.random.default_rng(0), labelling._Sample()
    for k in range(40):
        codes = rng.integers(256, size=(100, 16), dtype=np.uint8)
        places = np.arange(100) + 100 * k
        rows = np.tile(places[:, None], 2).astype(float)
        sample.add(labelling.Part(places, codes, rows, np.full(100, -1)))
    places, matrix = sample.rows()
    assert 50 <= len(places) <= 200
    assert places.min() < 1000 < 3000 < places.max()
    np.testing.assert_array_equal(matrix[:, 0], places)
