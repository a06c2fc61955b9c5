import dataclasses
import stat

import numpy as np
import pytest

from consilience.exceptions import StudyError
from consilience.study.matches import Match, read_matches, rename, write_match
from consilience.study.secrets import PrivateFolder


@pytest.fixture
def folder(tmp_path):
    return PrivateFolder(tmp_path)


def match(number=0, n=4, *, finished=True):
    rng = np.random.default_rng(number)
    codes = rng.integers(0, 256, (2, n, 16), dtype=np.uint8)
    points = rng.integers(0, 256, (n, 32), dtype=np.uint8)
    session = bytes([number]) * 16
    heard = {0: bytes(32), 3: b"x" * 32}
    names = codes[1] if finished else None
    return Match(session, b"s" * 32, b"b" * 32, codes[0], points, heard, names, number)


def test_a_match_comes_back_the_newest_first_and_its_owners_alone(folder):
    for number in (1, 0, 2):
        write_match(folder, "terms", match(number, finished=number != 2))
    write_match(folder, "other terms", match(3))
    found = read_matches(folder, "terms")
    assert [m.number for m in found] == [2, 1, 0]
    assert found[0].pseudonyms is None
    for field in dataclasses.fields(Match):
        np.testing.assert_equal(getattr(found[1], field.name), getattr(match(1), field.name))
    assert {stat.S_IMODE(p.stat().st_mode) for p in folder.path.iterdir()} == {0o600}


def test_rows_get_the_names_of_the_newest_match_that_has_all_of_them(folder):
    old, new = match(0, n=6), match(1, n=4)
    write_match(folder, "terms", old)
    write_match(folder, "terms", new)
    write_match(folder, "terms", match(2, finished=False))
    np.testing.assert_array_equal(rename(folder, "terms", new.tags[[2, 0]]), new.pseudonyms[[2, 0]])
    np.testing.assert_array_equal(rename(folder, "terms", old.tags), old.pseudonyms)
    mixed = np.concatenate([old.tags, new.tags[:1]])
    with pytest.raises(StudyError, match=r"1 of 7 rows have no pseudonym.*consilience match"):
        rename(folder, "terms", mixed)


def test_without_a_match_no_row_has_a_name(folder):
    with pytest.raises(StudyError, match="4 of 4 rows have no pseudonym"):
        rename(folder, "terms", match().tags)
