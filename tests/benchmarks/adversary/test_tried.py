from benchmarks.adversary.tried import Tried, share_of


def test_a_share_is_never_nothing():
    assert [share_of(1000, share) for share in (1, 0.1, 0.00001)] == [1000, 100, 1]


def test_what_was_tried_has_a_name_and_two_numbers():
    assert Tried("a door", 3, 0)._fields == ("what", "tries", "failures")
