"""The units of a study: clipped by public bounds, measured by public spreads."""

import numpy as np

from consilience.study.study import Study
from consilience.summaries.units import units_of
from summaries.test_terms import TERMS


def test_columns_count_by_the_width_of_their_bounds_or_by_their_spread():
    units = units_of(Study.from_terms({**TERMS, "summaries": {"spreads": {"age": 10.0}}}))
    np.testing.assert_array_equal(units.spreads, [10.0, 1.0, 1.0])
    Z = units.scale(np.array([[50.0, 0.0, 1.0], [500.0, 1.0, 0.0]]))
    np.testing.assert_allclose(Z, [[0, -0.5, 0.5], [5, 0.5, -0.5]])
    assert np.linalg.norm(Z, axis=1).max() <= units.radius


def test_centres_return_to_the_columns_and_stay_within_the_bounds():
    units = units_of(Study.from_terms(TERMS))
    X = np.array([[20.0, 0.0, 1.0]])
    np.testing.assert_allclose(units.unscale(units.scale(X)), X)
    assert units.unscale(np.array([[9.0, 0.0, 0.0]]))[0, 0] == 100.0


def test_in_spreads_a_category_counts_as_a_number_and_tails_are_cut():
    columns = {
        "gain": {"kind": "numeric", "bounds": [0.0, 1e6], "center": 2e3, "spread": 1e3},
        "ward": {"kind": "categorical", "categories": ["n", "s", "w"]},
    }
    terms = {**TERMS, "schema": {"lab": columns}, "summaries": {"scaling": "spread"}}
    units = units_of(Study.from_terms(terms))
    np.testing.assert_allclose(units.lower, [0, 0, 0, 0])
    np.testing.assert_allclose(units.upper, [4e3, 1, 1, 1])
    Z = units.scale(np.array([[3e3, 1, 0, 0], [9e5, 0, 1, 0]]))
    assert Z[:, 0].tolist() == [1.0, 2.0]
    # Rows of evenly frequent categories vary as much as a number does.
    wards = units.scale(np.column_stack([np.zeros(3), np.eye(3)]))[:, 1:]
    np.testing.assert_allclose(wards.var(axis=0).sum(), 1.0)
    assert np.linalg.norm(Z, axis=1).max() <= units.radius
