"""A readable model at each party: the paper's setting, both scopes, names."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from consilience import InterpretableCollaboration
from consilience.collaboration.anchors.smote import Smote


def _corners(n, rng):
    """Draw rows of which features 0, 1 and 2 decide together, as in the paper's artificial set."""
    y = rng.integers(2, size=n)
    corner = -np.ones((n, 3))
    ones = np.flatnonzero(y)
    corner[ones, rng.integers(3, size=len(ones))] = 1.0
    noise = rng.uniform(-1, 1, size=(n, 7))
    return np.hstack([corner + rng.uniform(-0.2, 0.2, size=(n, 3)), noise]), y


RNG = np.random.default_rng(0)
X, Y = _corners(400, RNG)
X_TEST, Y_TEST = _corners(400, RNG)
PUBLIC = _corners(100, RNG)[0]
PARTIES = np.arange(400) % 2
COLUMNS = [range(0, 10, 2), range(1, 10, 2)]


def _fit(**more):
    settings = {"columns": COLUMNS, "anchor": Smote(PUBLIC, 25), "n_anchor": 1000}
    model = InterpretableCollaboration(random_state=0, **(settings | more))
    return model.fit(X, Y, parties=PARTIES)


def test_it_finds_the_essential_features_and_predicts_by_them():
    model = _fit()
    assert set(model.surrogates_) == {0, 1}
    for surrogate in model.surrogates_.values():
        assert surrogate.scope == "all"
        assert set(surrogate.top_features(3)) == {"x0", "x1", "x2"}
        assert surrogate.model.get_n_leaves() <= 6
    assert model.score(X_TEST, Y_TEST, parties=np.arange(400) % 2) > 0.95


def test_alone_a_party_cannot_do_that():
    mine = PARTIES == 0
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
    alone = tree.fit(X[mine][:, COLUMNS[1]], Y[mine]).score(X_TEST[:, COLUMNS[1]], Y_TEST)
    assert alone < 0.8


def test_with_its_own_columns_a_party_explains_in_those():
    model = _fit(anchor_scope="column")
    assert set(model.surrogates_) == {(i, j) for i in (0, 1) for j in (0, 1)}
    assert model.surrogates_[0, 0].feature_names == ["x0", "x2", "x4", "x6", "x8"]
    assert set(model.surrogates_[0, 0].top_features(2)) == {"x0", "x2"}
    assert model.surrogates_[1, 1].top_features(1) == ["x1"]
    assert {s.scope for s in model.surrogates_.values()} == {"column"}
    assert model.score(X_TEST, Y_TEST, parties=np.arange(400) % 2) > 0.6


def test_names_of_columns_are_used():
    frame = pd.DataFrame(X, columns=[f"lab {k}" for k in range(10)])
    model = InterpretableCollaboration(anchor=Smote(PUBLIC), random_state=0)
    model.fit(frame, Y, parties=PARTIES)
    assert "lab 0" in model.surrogates_[0].export_text()


def test_the_analysts_own_model_can_be_asked():
    model = _fit()
    parties = np.arange(400) % 2
    told = model.predict_by_model(X_TEST, parties)
    assert (told == Y_TEST).mean() > 0.95


def test_scope_must_be_known():
    with pytest.raises(ValueError, match="anchor_scope == 'some', must be"):
        _fit(anchor_scope="some")


def test_own_rows_may_be_imitated_in_place_of_the_anchor():
    X, y = load_wine(return_X_y=True)
    clinics = np.arange(len(X)) % 2
    columns = [list(range(7)), list(range(7, 13))]
    terms = {"columns": columns, "anchor_scope": "column", "scaling": "local", "random_state": 0}
    wide = (X.min(axis=0) - 9 * np.ptp(X, axis=0), X.max(axis=0) + 9 * np.ptp(X, axis=0))
    scores = {}
    for imitate in ("anchor", "rows"):
        model = InterpretableCollaboration(imitate=imitate, bounds=wide, **terms)
        model.fit(X, y, parties=clinics)
        told = model.predict_by_model(X, parties=clinics)
        scores[imitate] = (model.predict(X, parties=clinics) == told).mean()
    assert scores["rows"] > max(0.9, scores["anchor"])
    assert model.surrogates_[0, 0].agreement > 0.75


def test_rows_are_not_imitated_in_columns_nobody_holds():
    X, y = load_wine(return_X_y=True)
    model = InterpretableCollaboration(imitate="rows", columns=[[0, 1], list(range(2, 13))])
    with pytest.raises(ValueError, match="nobody holds all columns"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="imitate == 'all'"):
        model.set_params(imitate="all").fit(X, y)
