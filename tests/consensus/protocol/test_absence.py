from consilience.consensus.protocol.absence import Declarations

MEMBERS = ("a", "b", "c", "d")


def test_agreement_needs_every_remaining_member():
    book = Declarations("a", MEMBERS)
    book.declare(("d",), 2)
    assert book.decision() is None
    book.hear("b", ("d",), 2)
    assert book.decision() is None
    book.hear("c", ("d",), 1)
    assert book.decision() == (1, ("d",))


def test_who_declares_is_not_absent():
    book = Declarations("a", MEMBERS)
    book.declare(("b", "c", "d"), 3)
    book.hear("b", ("d",), 3)
    assert book.own == ("c", "d")
    book.hear("c", ("d",), 3)
    assert book.own == ("d",)
    assert book.decision() == (3, ("d",))


def test_different_lists_are_no_agreement():
    book = Declarations("a", MEMBERS)
    book.declare(("d",), 1)
    book.hear("b", ("c", "d"), 1)
    book.hear("c", ("d",), 1)
    assert book.decision() is None


def test_nobody_goes_on_alone():
    book = Declarations("a", ("a", "b"))
    book.declare(("b",), 1)
    assert book.decision() is None


def test_hearing_without_waiting_decides_nothing():
    book = Declarations("a", MEMBERS)
    for member in ("b", "c"):
        book.hear(member, ("d",), 1)
    assert book.decision() is None
