"""Learning together: as good as pooled, better than alone, and what is refused."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import scale

from consilience import CollaborationClassifier
from consilience.collaboration.anchors.smote import Smote
from consilience.exceptions import StudyError


def _wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y, np.arange(len(y)) % 3


def test_without_reduction_it_is_ridge_on_the_pooled_rows():
    X, y, parties = _wine()
    model = CollaborationClassifier(
        Ridge(1e-8), n_components=[5, 8], columns=[range(5), range(5, 13)], random_state=0
    )
    together = model.fit(X, y, parties=parties).predict(X, parties)
    pooled = Ridge(1e-8).fit(X, np.eye(3)[y]).predict(X).argmax(axis=1)
    assert (together == pooled).all()


def test_it_beats_a_party_that_learns_alone():
    X, y = load_breast_cancer(return_X_y=True)
    X, rng = scale(X), np.random.default_rng(0)
    train = rng.random(len(X)) < 0.6
    parties = rng.integers(8, size=len(X))
    model = CollaborationClassifier(columns=[range(15), range(15, 30)], random_state=0)
    model.fit(X[train], y[train], parties=parties[train])
    together = model.score(X[~train], y[~train], parties=parties[~train])
    alone = []
    for i in range(8):
        mine = train & (parties == i)
        ridge = Ridge().fit(X[mine][:, :15], np.eye(2)[y[mine]])
        alone.append((ridge.predict(X[~train][:, :15]).argmax(axis=1) == y[~train]).mean())
    assert together > np.mean(alone) + 0.01
    assert together > 0.93


def test_names_of_classes_and_columns_are_kept():
    import pandas as pd

    X, y, parties = _wine()
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(13)])
    groups = [[f"c{k}" for k in range(6)], [f"c{k}" for k in range(6, 13)]]
    model = CollaborationClassifier(columns=groups, random_state=0).fit(frame, names, parties)
    assert set(model.predict(frame, parties)) <= set(names)


def test_probabilities_only_where_scores_may_travel():
    X, y, parties = _wine()
    quiet = CollaborationClassifier(LogisticRegression(), random_state=0)
    assert not hasattr(quiet, "predict_proba")
    open_ = CollaborationClassifier(LogisticRegression(), answer="scores", random_state=0)
    values = open_.fit(X, y, parties=parties).predict_proba(X, parties)
    assert np.allclose(values.sum(axis=1), 1)
    assert not hasattr(CollaborationClassifier(answer="scores"), "predict_proba")


@pytest.mark.parametrize("reducer", ["pca", "svd", "lda", "lfda", "lpp", "nmf"])
def test_every_reducer_serves(reducer):
    X, y, parties = _wine()
    model = CollaborationClassifier(reducer=reducer, n_components=6, random_state=0)
    assert model.fit(X, y, parties=parties).score(X, y, parties=parties) > 0.9


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y has 1 class, must have at least 2"):
        CollaborationClassifier().fit(np.eye(4), np.zeros(4))


def test_regression_targets_are_refused():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        CollaborationClassifier().fit(np.eye(4), np.array([0.1, 0.2, 0.7, 1.5]))


def test_public_rows_that_are_private_are_refused():
    X, y, parties = _wine()
    with pytest.raises(StudyError, match="publishing them leaks"):
        CollaborationClassifier(anchor=Smote(X[:30])).fit(X, y, parties=parties)


def test_public_rows_of_other_columns_are_refused():
    X, y, parties = _wine()
    with pytest.raises(ValueError, match="public rows has shape"):
        CollaborationClassifier(anchor=Smote(X[:30, :4] + 1)).fit(X, y, parties=parties)


def test_rows_of_a_stranger_are_refused():
    X, y, parties = _wine()
    model = CollaborationClassifier(random_state=0).fit(X, y, parties=parties)
    with pytest.raises(ValueError, match=r"parties names \[7\]"):
        model.predict(X[:2], [0, 7])
    with pytest.raises(ValueError, match="parties is None, but the model was fitted with 3"):
        model.predict(X[:2])


def test_answer_must_be_known():
    with pytest.raises(ValueError, match="answer == 'all', must be"):
        CollaborationClassifier(answer="all").fit(np.eye(4), [0, 1, 0, 1])
