"""A grid of roles in one process: who gets which part, and how answers come back in order."""

import numpy as np
import pytest

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.anchors.lowrank import LowRank
from consilience.collaboration.anchors.smote import Smote
from consilience.collaboration.federation import (
    Federation,
    choose_seed,
    components_per_group,
    draw_grid_anchor,
    public_ranges,
)
from consilience.collaboration.party import Party
from consilience.holdings import Holdings, column_groups, row_groups

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 4)) + 9.0 * (np.arange(20) % 2)[:, None]
PLACES = np.array(["south", "north"])[np.arange(20) // 10]


def grid_of(parties=PLACES):
    return Holdings(*row_groups(parties, len(parties)), column_groups([[0, 1], [2, 3]], 4))


@pytest.fixture
def federation():
    grid, anchor = grid_of(), RNG.normal(size=(30, 4))
    parties = {
        name: Party(name, anchor[:, grid.columns[j]], rng=RNG) for name, _, j in grid.cells()
    }
    analyst = Analyst(grid.row_names, grid.column_names, n_clusters=2)
    return Federation(grid, parties, analyst)


def test_labels_come_back_in_the_order_of_the_table(federation):
    federation.contribute(X)
    labels = federation.collect(federation.grid)
    assert len(set(labels[::2])) == len(set(labels[1::2])) == 1
    assert labels[0] != labels[1]


def test_questions_are_answered_to_those_who_have_rows(federation):
    federation.contribute(X)
    known = federation.collect(federation.grid)
    grid = federation.ask(X[:4], ["north"] * 4)
    assert [len(rows) for rows in grid.rows] == [4, 0]
    np.testing.assert_array_equal(federation.collect(grid), known[:4])


def test_institutions_of_new_rows_must_be_named_and_known(federation):
    with pytest.raises(ValueError, match="fitted with 2 institutions"):
        federation.place(3, None)
    with pytest.raises(ValueError, match=r"parties names \['west'\]"):
        federation.place(1, ["west"])


def draw(anchor, n_anchor=50, bounds=None):
    ranges = public_ranges(X, "none", bounds)
    return draw_grid_anchor(X, grid_of(), anchor, n_anchor, np.random.RandomState(0), ranges)


@pytest.mark.parametrize("anchor", ["gaussian", "uniform", LowRank(), Smote(X + 1.0)])
def test_every_anchor_has_all_columns_and_the_rows_asked_for(anchor):
    drawn = draw(anchor)
    assert drawn.shape == (50, 4)
    assert np.isfinite(drawn).all()


def test_without_public_knowledge_ranges_are_those_of_the_rows():
    np.testing.assert_array_equal(public_ranges(X, "none"), (X.min(axis=0), X.max(axis=0)))
    lower, upper = public_ranges(X, "spread")
    np.testing.assert_allclose((lower + upper) / 2, X.mean(axis=0))
    np.testing.assert_allclose((upper - lower) / 4, X.std(axis=0))


def test_public_bounds_take_the_place_of_those_of_the_rows():
    drawn = draw("uniform", bounds=(np.full(4, 100.0), np.full(4, 101.0)))
    assert drawn.min() >= 100.0
    for wrong in ((np.zeros(3), np.ones(3)), (np.ones(4), np.zeros(4))):
        with pytest.raises(ValueError, match="must be two arrays of 4 numbers"):
            draw("uniform", bounds=wrong)


@pytest.mark.parametrize(
    ("anchor", "reason"),
    [
        (np.ones((5, 3)), r"anchor has shape \(5, 3\), must be \(n_anchor, 4\)"),
        (np.full((5, 4), np.nan), "anchor has NaN"),
        (Smote(np.ones((5, 3))), r"public rows has shape \(5, 3\)"),
    ],
)
def test_an_anchor_that_is_none_is_refused(anchor, reason):
    with pytest.raises(ValueError, match=reason):
        draw(anchor)


def test_dimensions_are_one_number_or_one_a_group():
    assert list(components_per_group(None, 2)) == [None, None]
    assert list(components_per_group(3, 2)) == [3, 3]
    assert list(components_per_group([3, 4], 2)) == [3, 4]
    with pytest.raises(ValueError, match="n_components has 3 entries, must be one number, or 2"):
        components_per_group([1, 2, 3], 2)
    with pytest.raises(ValueError, match="n_components == 'half', must be a number"):
        components_per_group("half", 2)


def test_the_seed_is_the_users_number_where_there_is_one():
    assert choose_seed(7) == 7
    assert choose_seed(np.random.RandomState(0)) == choose_seed(np.random.RandomState(0))
