"""The ring in one process: what comes out, what is refused, and what nobody can find out."""

import dataclasses

import numpy as np
import pytest

from consilience.exceptions import MessageError
from consilience.messages import BlindedIds
from consilience.psi.group import multiply, points_of, random_scalar
from consilience.psi.holder import Holder
from consilience.study.keys import new_key
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study

SCHEMA = {"x": {"kind": "numeric", "bounds": [0, 1]}, "y": {"kind": "numeric", "bounds": [0, 1]}}


def study_of(*columns, **ids):
    return Study.from_terms(
        {
            "name": "match",
            "grid": {"rows": ["a"], "columns": list(columns)},
            "schema": {column: SCHEMA for column in columns},
            "ids": {"match": "psi", **ids},
        }
    )


class Town:
    """Holders of the same rows, each with ids of its own."""

    def __init__(self, *sets, **terms):
        self.study = study_of(*(f"c{k}" for k in range(len(sets))), **terms)
        self.names = self.study.grid.parties
        self.ids = dict(zip(self.names, map(list, sets), strict=True))
        self.keys = {name: new_key() for name in self.names}
        self.holders = {name: Holder(self.study, name) for name in self.names}
        self.sent = []

    def rows(self, name):
        return lambda: (self.ids[name], pseudonyms(self.ids[name], self.keys[name]))

    def begin(self):
        self.sent.append(self.holders[self.names[0]].begin(self.rows(self.names[0])))
        return self.sent[-1]

    def pass_on(self, message):
        answer = self.holders[message.recipient].receive(message, self.rows(message.recipient))
        if answer is not None:
            self.sent.append(answer)
        return answer

    def run(self):
        message = self.begin()
        while message is not None:
            message = self.pass_on(message)
        return self

    def named(self, name):
        """Return the pseudonym of each id of a holder."""
        own, tags = self.holders[name].own, pseudonyms(self.ids[name], self.keys[name])
        place = {tag.tobytes(): k for k, tag in enumerate(own.tags)}
        codes = [own.pseudonyms[place[tag.tobytes()]].tobytes() for tag in tags]
        return dict(zip(self.ids[name], codes, strict=True))


def people(*numbers):
    return [f"p-{k}" for k in numbers]


@pytest.mark.parametrize("n_holders", [2, 3, 5])
def test_rows_meet_as_they_do_by_a_shared_key(n_holders):
    rng = np.random.default_rng(n_holders)
    sets = [people(*rng.permutation(60)[: 20 + 7 * k]) for k in range(n_holders)]
    town = Town(*sets).run()
    assert len(town.sent) == 2 * n_holders - 1
    shared = new_key()
    for one in town.names:
        for other in town.names:
            mine, theirs = town.named(one), town.named(other)
            met = {(i, j) for i in mine for j in theirs if mine[i] == theirs[j]}
            keyed = [pseudonyms(town.ids[name], shared).tolist() for name in (one, other)]
            expected = {
                (i, j)
                for i, a in zip(town.ids[one], keyed[0], strict=True)
                for j, b in zip(town.ids[other], keyed[1], strict=True)
                if a == b
            }
            assert met == expected


def test_another_match_gives_other_names():
    ids = people(*range(5))
    first, second = Town(ids, ids).run(), Town(ids, ids).run()
    name = first.names[0]
    assert not set(first.named(name).values()) & set(second.named(name).values())


def guesses_by_key(town, key, released):
    """A holder of a shared key tests a list of ids against pseudonyms it came by, at home."""
    candidates = people(*range(40))
    codes = {c.tobytes() for c in pseudonyms(candidates, key)}
    return len(codes & released)


def everything_known_to(town, name):
    """Every number one holder could put together: its secrets and everything it was sent."""
    own = town.holders[name].own
    seen = [m.points for m in town.sent if name in (m.sender, m.recipient)]
    return [own.secret, own.blind], np.concatenate(seen)


def test_no_list_of_ids_can_be_tested_by_one_side_alone():
    """The test that a shared key fails: a list of guesses against the other's pseudonyms."""
    town = Town(people(*range(10)), people(*range(20))).run()
    attacker, victim = town.names
    released = set(town.named(victim).values())  # as an analyst who tells would show them
    shared = new_key()
    by_key = {code.tobytes() for code in pseudonyms(town.ids[victim], shared)}
    assert guesses_by_key(town, shared, by_key) == 20
    # By psi the attacker knows the names of its own ten rows, and of no other guess.
    assert len(set(town.named(attacker).values()) & released) == 10
    scalars, seen = everything_known_to(town, attacker)
    context = town.holders[attacker]._context(town.holders[attacker].own.session)
    others = people(*range(10, 20))
    points = points_of(others, context)
    products = [points]
    for _ in range(2):  # every guess times every product of up to two of its secrets
        products += [multiply(p, s) for p in products for s in scalars]
    reached = {row.tobytes() for product in products for row in product}
    assert not reached & {row.tobytes() for row in seen}
    holder = town.holders[attacker]
    for product in products:
        assert not {code.tobytes() for code in holder._name(holder.own, product)} & released


def test_the_same_letter_again_gets_the_same_answer():
    town = Town(people(1, 2, 3), people(2, 3, 4))
    first = town.begin()
    np.testing.assert_array_equal(town.begin().points, first.points)
    answer, again = town.pass_on(first), town.pass_on(first)
    np.testing.assert_array_equal(answer.points, again.points)


def changed(message, **fields):
    return dataclasses.replace(message, **fields)


def with_points(message, points, counts=None):
    counts = [len(points)] if counts is None else counts
    return changed(message, points=points, counts=np.array(counts))


def test_another_set_in_the_place_of_an_answered_one_is_refused():
    town = Town(people(1, 2, 3), people(2, 3, 4))
    first = town.begin()
    town.pass_on(first)
    other = multiply(first.points, random_scalar())
    with pytest.raises(MessageError, match="was answered before, with other ids"):
        town.pass_on(with_points(first, other))


def test_a_letter_of_an_earlier_match_is_refused():
    town, before = Town(people(1, 2), people(2, 3)), Town(people(1, 2), people(2, 3)).run()
    first = town.begin()
    town.pass_on(first)
    with pytest.raises(MessageError, match="another match than you"):
        town.pass_on(before.sent[2])
    with pytest.raises(MessageError, match="before the one in which you take part"):
        Town(people(1, 2), people(2, 3)).pass_on(before.sent[2])


def test_what_is_refused_changes_nothing():
    town = Town(people(1, 2, 3), people(2, 3))
    first = town.begin()
    with pytest.raises(MessageError, match="no point of the group"):
        town.pass_on(with_points(first, np.vstack([first.points, np.zeros((1, 32), np.uint8)])))
    assert town.holders["a/c1"].own is None
    with pytest.raises(MessageError, match="in another study"):
        town.pass_on(changed(first, study="0" * 64))
    town.pass_on(first)


def test_a_point_twice_is_refused():
    town = Town(people(1, 2, 3), people(2, 3))
    first = town.begin()
    with pytest.raises(MessageError, match="same point twice"):
        town.pass_on(with_points(first, first.points[[0, 1, 1]]))


def test_a_set_of_guesses_is_limited_by_the_study():
    town = Town(people(*range(12)), people(2, 3), max_ids=10)
    with pytest.raises(MessageError, match=r"12 ids of 'a/c0', must be between 1 and 10.*max_ids"):
        town.begin()
    generous = Town(people(*range(12)), people(2, 3))
    first = generous.begin()
    with pytest.raises(MessageError, match=r"12 ids of 'a/c0', must be at most 10.*a guess"):
        town.holders["a/c1"].receive(changed(first, study=town.study.digest), town.rows("a/c1"))


def test_ids_that_come_back_in_another_number_are_refused():
    town = Town(people(1, 2, 3), people(2, 3))
    answer = town.pass_on(town.begin())
    fewer = with_points(answer, answer.points[1:], [2, 2])
    with pytest.raises(MessageError, match="2 of your ids came back, must be 3"):
        town.pass_on(fewer)


def test_letters_that_are_not_ones_turn_are_refused():
    town = Town(people(1), people(2), people(3))
    first = town.begin()
    with pytest.raises(MessageError, match="none that 'a/c2' reads"):
        town.holders["a/c2"].receive(first, town.rows("a/c2"))
    with pytest.raises(MessageError, match="comes from 'a/c2', must come from 'a/c0'"):
        town.pass_on(changed(first, sender="a/c2"))
    with pytest.raises(MessageError, match="none that 'a/c1' reads"):
        town.pass_on(changed(first, letter=6))
    with pytest.raises(MessageError, match="holds 2 sets, must be 1"):
        town.pass_on(with_points(first, np.repeat(first.points, 2, axis=0), [1, 1]))


def test_what_goes_round_says_nothing_of_the_order_of_the_table():
    town = Town(people(*range(30)), people(*range(30)))
    first = town.begin()
    order = np.lexsort(first.points.T[::-1])
    np.testing.assert_array_equal(order, np.arange(30))


def test_no_point_travels_twice_and_none_is_a_bare_id():
    ids = people(*range(6))
    town = Town(ids, ids, ids).run()
    assert all(isinstance(message, BlindedIds) for message in town.sent)
    points = np.concatenate([message.points for message in town.sent])
    assert len(np.unique(points, axis=0)) == len(points)
    holder = town.holders["a/c0"]
    bare = points_of(ids, holder._context(holder.own.session))
    assert not {p.tobytes() for p in bare} & {p.tobytes() for p in points}
