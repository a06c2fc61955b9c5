from benchmarks.how_many_centers import HALVES, draw, silhouette, summarise
from consilience.summaries.how_many import choose_number


def test_no_seed_is_reported_that_was_chosen_on():
    assert not set(HALVES["chosen on"]) & set(HALVES["held out"])


def test_three_clusters_are_found_where_the_former_rule_may_find_more():
    Z, weights, senders = summarise(draw(3_000, 6, 3.0, 3, seed=7), seed=7)
    assert choose_number(Z, weights, senders, 0) == 3
    assert silhouette(Z, weights) >= 2
