import numpy as np

from benchmarks.vertcohirf.unlabelled import CHOSEN_ON, REPORTED, RandomGroups, measure


def test_no_set_is_in_both_halves():
    assert not set(CHOSEN_ON) & set(REPORTED)


def test_clear_groups_are_found_and_votes_outlive_a_liar():
    truth = np.repeat([0, 1, 2], 60)
    X = 9 * truth[:, None] + np.random.default_rng(0).normal(size=(180, 4))
    found = {(method, what): value for method, what, value in measure(X, truth, 0)}
    assert found["steady", "ARI"] == 1.0
    assert found["steady", "agreement between seeds"] == 1.0
    assert found["veto, three peers, one liar", "ARI"] < 0.5
    assert found["votes, three peers, one liar", "ARI"] == 1.0


def test_a_liar_deals_rows_to_all_its_groups():
    assert len(set(RandomGroups(20, random_state=0).fit_predict(np.zeros((500, 1))))) == 20
