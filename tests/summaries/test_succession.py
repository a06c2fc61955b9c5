"""Names that go on from study to study."""

import numpy as np

from consilience.summaries.succession import Named, follow

FORMER = Named(np.array([[0.0], [5.0], [9.0]]), np.array([4, 0, 2]), 7)


def test_without_an_earlier_answer_names_are_places():
    found = follow(np.zeros((3, 2)), None)
    assert (found.names.tolist(), found.unused) == ([0, 1, 2], 3)


def test_a_name_goes_on_and_one_that_is_gone_is_never_given_again():
    found = follow(np.array([[9.5], [0.5]]), FORMER)
    assert (found.names.tolist(), found.unused) == ([2, 4], 7)


def test_a_cluster_that_splits_gives_its_name_once():
    found = follow(np.array([[0.1], [1.0], [5.0], [9.0]]), FORMER)
    assert (found.names.tolist(), found.unused) == ([4, 7, 0, 2], 8)


def test_a_cluster_far_from_its_partner_is_another():
    found = follow(np.array([[0.2], [0.4], [9.0]]), FORMER)
    assert found.names.tolist().count(0) == 0
    assert found.unused == 8
