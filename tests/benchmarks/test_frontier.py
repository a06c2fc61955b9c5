"""The picture of rows, summaries and noise: groups that holders agree on, and what is drawn."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import frontier


def heaps(n=240):
    rng = np.random.default_rng(0)
    kinds = np.arange(n) % 3
    places = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
    return places[kinds] + rng.normal(size=(n, 4)) / 20, kinds


@pytest.mark.parametrize("way", frontier.GROUPINGS)
@pytest.mark.parametrize("k", [2, 5])
def test_every_grouping_hides_a_row_among_as_many_as_agreed(way, k):
    Z, _ = heaps()
    groups = frontier.GROUPINGS[way](Z, (Z[:, :2], Z[:, 2:]), k, 0)
    assert np.bincount(groups).min() >= k


def test_clusters_in_the_columns_of_the_other_holder_are_lost_to_who_groups_alone():
    Z, kinds = heaps()
    parties = np.arange(len(Z)) % frontier.N_PARTIES
    found = {}
    for way, group in frontier.GROUPINGS.items():
        labels, share = frontier._split(Z, parties, 3, 5, group, 0)
        found[way] = frontier.agreement(labels, kinds)
        assert share <= 0.2
    assert found["split, groups by one holder"] < 0.8 < found["split, groups by codes"]


def test_means_of_k_rows_let_at_most_one_in_k_be_recognised():
    Z, kinds = heaps()
    units = frontier.make_units((-1.0, 2.0), None, 4)
    parties = np.arange(len(Z)) % frontier.N_PARTIES
    labels, share = frontier._summaries(Z, units, parties, 3, {"min_rows": 6})
    assert frontier.agreement(labels, kinds) == 1.0
    assert share <= 1 / 6


def test_both_parts_are_drawn_beside_each_other():
    rows = [
        {"what": "recognised", "way": way, "agreement": 0.5, "recognised": 0.1}
        for way in ("means of 5", "rows, default study", "split, groups by codes, 5")
    ]
    rows += [
        {"what": "epsilon", "way": "summaries", "epsilon": e, "agreement": 0.9} for e in (1, 4)
    ]
    figure = frontier.draw(pd.DataFrame(rows))
    assert [axes.get_xlabel()[:4] for axes in figure.axes] == ["rows", "epsi"]
