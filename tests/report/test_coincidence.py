import numpy as np
import pytest

from consilience.report.coincidence import find_coincidence, tell_coincidence
from consilience.study.schema import Categorical, Numeric, Ordinal, Schema

RNG = np.random.default_rng(0)
N = 600
AGE, SMOKES, BLOOD = RNG.normal(50, 10, N), RNG.integers(2, size=N), RNG.integers(3, size=N)
GRADE = RNG.integers(4, size=N)
SCHEMA = Schema(
    columns={
        "age": Numeric(bounds=(0, 99)),
        "smoker": Categorical(categories=("no", "yes")),
        "blood": Categorical(categories=("A", "B", "O")),
        "grade": Ordinal(categories=("a", "b", "c", "d")),
    }
)
X = np.column_stack([AGE, np.eye(2)[SMOKES], np.eye(3)[BLOOD], GRADE])


def test_clusters_that_are_a_category_are_named():
    assert find_coincidence(X, SCHEMA, SMOKES).columns == ("smoker",)
    [text] = tell_coincidence(X, SCHEMA, SMOKES)
    assert text.startswith("The clusters are almost exactly the column smoker.")


def test_clusters_that_are_two_categories_crossed_are_named():
    found = find_coincidence(X, SCHEMA, 3 * SMOKES + BLOOD)
    assert found.columns == ("smoker", "blood")
    assert found.told > 0.95


def test_clusters_that_follow_one_number_are_named():
    assert find_coincidence(X, SCHEMA, np.digitize(AGE, [45, 55])).columns == ("age",)
    assert find_coincidence(X, SCHEMA, GRADE // 2).columns == ("grade",)


def test_a_category_that_cuts_the_clusters_is_named_though_it_is_not_all():
    labels = np.where(SMOKES, 0, 1 + (AGE > 50))
    found = find_coincidence(X, SCHEMA, labels)
    assert found.columns == ("smoker",)
    assert found.told < 0.9
    [text] = tell_coincidence(X, SCHEMA, labels)
    assert text.startswith("Every cluster has almost one value alone of smoker")


@pytest.mark.parametrize(
    "labels",
    [RNG.integers(3, size=N), np.zeros(N, dtype=int), np.full(N, -1), (AGE / 10 + GRADE > 6) + 0],
)
def test_other_clusters_are_not_warned_of(labels):
    assert tell_coincidence(X, SCHEMA, labels) == []


def test_few_rows_do_not_coincide_by_chance():
    for trial in range(20):
        rng = np.random.default_rng(trial)
        labels = rng.integers(2, size=24)
        rows = RNG.integers(N, size=24)
        assert tell_coincidence(X[rows], SCHEMA, labels) == []


def test_rows_without_cluster_and_filled_values_do_not_matter():
    labels = np.where(np.arange(N) < 500, SMOKES, -1)
    filled = X.copy()
    filled[500:, 1:3] = 0
    assert find_coincidence(filled, SCHEMA, labels).columns == ("smoker",)
