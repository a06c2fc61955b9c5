"""The problems of the SMOTE tables are split as the paper says."""

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from benchmarks.smote_anchors.problems import (
    CREDIT_FILE,
    adult,
    adult_table,
    artificial,
    credit,
    publishable,
)
from consilience.datasets import Dataset


def test_three_features_decide_the_artificial_set_together_and_not_alone():
    problem = artificial(0)
    assert problem.X.shape == problem.X_test.shape == (1000, 20)
    assert problem.public.shape == (100, 20)
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
    assert tree.fit(problem.X[:, :3], problem.y).score(problem.X_test[:, :3], problem.y_test) > 0.99
    assert tree.fit(problem.X[:, :1], problem.y).score(problem.X_test[:, :1], problem.y_test) < 0.8
    assert [c[0] for c in problem.columns] == [0, 1]


def test_adult_has_a_category_for_what_is_missing():
    numbers = {name: [1.0, 2.0, 3.0] for name in ("age", "fnlwgt", "education_num")}
    numbers |= {name: [0.0, 5.0, 9.0] for name in ("capital_gain", "capital_loss")}
    frame = pd.DataFrame(
        {
            **numbers,
            "hours_per_week": [40.0, 30.0, 20.0],
            "education": ["a", "b", "c"],
            "workclass": ["private", None, "state"],
        }
    )
    X, y, names = adult_table(Dataset("adult", frame, np.array([0, 1, 0]), ("no", "yes")))
    assert X.shape == (3, 5 + 3)
    assert "workclass_?" in names
    assert "fnlwgt" not in names
    assert y.tolist() == [0, 1, 0]


def test_adult_is_split_in_both_ways_without_overlap():
    X, y = np.arange(30_200 * 7.0).reshape(-1, 7), np.zeros(30_200, dtype=np.int64)
    odd, kind = adult(X, y, "artificial", 0), adult(X, y, "feature type", 0)
    assert [c.tolist() for c in odd.columns] == [[0, 2, 4, 6], [1, 3, 5]]
    assert [c.tolist() for c in kind.columns] == [[0, 1, 2, 3, 4], [5, 6]]
    rows = [set(part[:, 0]) for part in (odd.X, odd.public, odd.X_test)]
    assert [len(r) for r in rows] == [30_000, 100, 100]
    assert not rows[0] & rows[1]
    assert not rows[0] & rows[2]


def test_credit_ratings_are_read_when_they_are_supplied(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=3932) for name in ("WC_TA", "RE_TA", "EBIT_TA")})
    frame = frame.assign(MVE_BVTD=1.0, S_TA=2.0, Industry=rng.integers(1, 13, size=3932))
    frame = frame.assign(ID=range(3932), Rating=rng.choice(["AAA", "BB", "CCC"], size=3932))
    frame.to_csv(tmp_path / CREDIT_FILE, index=False)
    problem = credit(tmp_path / CREDIT_FILE, 0)
    assert problem.X.shape == (3000, 17)
    assert [len(c) for c in problem.columns] == [3, 14]


def test_a_row_that_equals_a_private_one_in_any_column_group_is_left_out():
    X = np.arange(24.0).reshape(6, 4)
    X[0, 2:] = X[5, 2:]
    groups = [np.arange(2), np.arange(2, 4)]
    assert publishable(X, np.array([0, 1]), np.array([4, 5]), groups).tolist() == [1]


def test_where_private_rows_have_twins_public_ones_may_have_them_too():
    X = np.ones((4, 2))
    everybody = np.arange(2), np.arange(2, 4), [np.arange(2)]
    assert publishable(X, *everybody).tolist() == [0, 1]
    assert publishable(X, *everybody, common=1.0).tolist() == []
