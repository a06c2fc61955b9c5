import pytest

from consilience.consensus.protocol.membership import Membership

MEMBERS = ("a", "b", "c", "d")


def test_agreement_needs_every_remaining_member():
    book = Membership("a", MEMBERS)
    book.declare(("d",), 2)
    assert book.decision() is None
    book.hear("b", ("d",), 2)
    assert book.decision() is None
    book.hear("c", ("d",), 1)
    assert book.decision() == (1, ("d",))


def test_who_declares_is_not_absent():
    book = Membership("a", MEMBERS)
    book.declare(("b", "c", "d"), 3)
    book.hear("b", ("d",), 3)
    assert book.declared == ("c", "d")
    book.hear("c", ("d",), 3)
    assert book.declared == ("d",)
    assert book.decision() == (3, ("d",))


def test_different_lists_are_no_agreement():
    book = Membership("a", MEMBERS)
    book.declare(("d",), 1)
    book.hear("b", ("c", "d"), 1)
    book.hear("c", ("d",), 1)
    assert book.decision() is None


def test_nobody_goes_on_alone():
    book = Membership("a", ("a", "b"))
    book.declare(("b",), 1)
    assert book.decision() is None


def test_hearing_without_waiting_decides_nothing():
    book = Membership("a", MEMBERS)
    for member in ("b", "c"):
        book.hear(member, ("d",), 1)
    assert book.decision() is None


def test_names_are_put_in_order():
    assert Membership("a", ("c", "a", "b")).members == ("a", "b", "c")


@pytest.mark.parametrize(
    ("peers", "message"),
    [
        ((), "at least one name"),
        (("a", "a"), "each once"),
        (("a,b",), "no comma"),
        (("b", "c"), "name == 'a', must be one of the peers"),
    ],
)
def test_names_that_make_no_sense_are_named(peers, message):
    with pytest.raises(ValueError, match=message):
        Membership("a", peers)
