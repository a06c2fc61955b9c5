import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from benchmarks.dc_cfl.own_mix import CHOSEN_ON, COLUMNS, HELD_OUT, METHODS, measure, tables
from benchmarks.dc_cfl.problems import AS_DRAWN, SETS, share


def test_nothing_is_reported_that_was_chosen_on():
    assert not set(CHOSEN_ON) & {*HELD_OUT, *SETS.values()}


def test_the_own_mix_helps_where_each_institution_has_two_classes():
    X, y = load_digits(return_X_y=True)
    accuracy = dict(measure(share(X, y, "C=2", 0, 20), LogisticRegression(max_iter=100)))
    assert tuple(accuracy) == METHODS
    assert accuracy["DC, own mix"] > accuracy["DC"]


def test_a_split_as_drawn_has_tiny_institutions():
    X, y = load_digits(return_X_y=True)
    drawn, topped = (share(X, y, split, 0, 50) for split in (AS_DRAWN, "Dir(0.1)"))
    sizes = [np.unique(p.parties, return_counts=True)[1] for p in (drawn, topped)]
    assert sizes[0].min() < 5 < sizes[1].min()


def test_tables_count_the_columns_in_which_it_is_first():
    measured = [
        ("gesture", "C=2", "network", method, 0, accuracy)
        for method, accuracy in zip(METHODS, (0.1, 0.2, 0.99), strict=True)
    ]
    text = tables(pd.DataFrame(measured, columns=COLUMNS))
    assert "own mix is first in 1 of 1 columns" in text
    assert "0.756" in text
