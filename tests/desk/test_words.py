import pytest

from consilience.desk.words import consent, place, table, who
from consilience.exceptions import StudyError


def test_the_table_is_named_with_all_that_belongs_to_it(seat):
    assert who(seat) == ("--as", "a/lab")
    assert table(seat) == ("--data", "a.lab.csv", "--id", "patient id")
    seat.remember(table="postgresql://host/x", query="tables/q.sql", ignore=("street",))
    assert table(seat)[-4:] == ("--ignore", "street", "--query", "tables/q.sql")


def test_what_was_not_said_is_asked_for(seat):
    seat.remember(role="", table="")
    for ask in (who, table, place):
        with pytest.raises(StudyError):
            ask(seat)


def test_consent_is_a_name_and_a_tick():
    assert consent({"by": " Dr. Novak ", "agreed": "yes"}) == ("--yes", "--by", "Dr. Novak")
    with pytest.raises(StudyError, match="tick the box"):
        consent({"by": "Dr. Novak"})
