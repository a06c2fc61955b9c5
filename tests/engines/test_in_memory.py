import numpy as np

from consilience.engines.in_memory import InMemory, as_rows


def test_an_array_is_not_copied():
    X = np.zeros((4, 2))
    assert as_rows(X).whole() is X
    rows = as_rows(X)
    assert as_rows(rows) is rows


def test_what_came_in_one_part_is_not_copied():
    centers = np.ones((2, 2))
    assert InMemory().keep("start", lambda: [{"centers": centers}])["centers"] is centers
