import numpy as np

from consilience.privacy.audits.linkage import link_by_order, link_by_representation


def test_a_list_of_exact_rows_links_even_one_kept_dimension():
    rng = np.random.default_rng(0)
    A, X, F = rng.normal(size=(40, 6)), rng.normal(size=(100, 6)), rng.normal(size=(6, 1))
    assert link_by_representation(A, A @ F, X @ F, X) == 1


def test_wrong_anchor_links_by_chance_only():
    rng = np.random.default_rng(0)
    A, B, X = rng.normal(size=(40, 6)), rng.normal(size=(40, 6)), rng.normal(size=(400, 6))
    F = rng.normal(size=(6, 3))
    # Chance is 1 in 400; 20 of 400 would come about less than once in 10^9 runs.
    assert link_by_representation(B, A @ F, X @ F, X) < 0.05


def test_order_links_unless_it_was_shuffled():
    people = np.arange(1000)
    assert link_by_order(people, people) == 1
    shuffled = np.random.default_rng(0).permutation(1000)
    assert link_by_order(shuffled, people) < 0.01
