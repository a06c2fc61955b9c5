import pytest

from consilience.psi.ring import Ring


@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_every_set_is_with_every_holder_once_and_ends_at_home(n):
    ring = Ring(tuple("abcdefg"[:n]))
    assert ring.n_letters == 2 * n - 1
    blinded = {owner: [] for owner in ring.holders}
    for letter in range(ring.n_letters):
        for owner in ring.sets(letter):
            blinded[owner].append(ring.writer(letter))
    for owner, by in blinded.items():
        place = ring.holders.index(owner)
        assert by == [*ring.holders[place:], *ring.holders[:place]]
        back = ring.holders.index(owner) + n - 1
        assert ring.writer(back + 1) == owner


def test_two_holders_need_three_letters():
    ring = Ring(("a", "b"))
    assert [ring.sets(t) for t in range(3)] == [["a"], ["a", "b"], ["b"]]
    assert (ring.awaited("a"), ring.awaited("b")) == ([1], [0, 2])
    assert (ring.before("a"), ring.before("b")) == ("b", "a")
