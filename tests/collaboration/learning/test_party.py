"""What a learning party sends, takes and refuses."""

import numpy as np
import pytest

from consilience.collaboration.learning.party import LearningParty
from consilience.exceptions import MessageError
from consilience.messages import Contribution, LabelledContribution, Prediction

CLASSES = np.array([0, 1])


def _party(**more):
    rng = np.random.default_rng(0)
    return LearningParty("a/x", rng.normal(size=(12, 3)), classes=CLASSES, rng=rng, **more)


def _rows(n=5):
    return np.random.default_rng(1).normal(size=(n, 3))


def _told(n=5, n_anchor=12, n_classes=2, study=""):
    rows, anchor = (np.eye(n_classes)[np.arange(k) % n_classes] for k in (n, n_anchor))
    return Prediction(study=study, sender="analyst", recipient="a/x", values=rows, anchor=anchor)


def test_labels_stay_at_home_unless_they_may_travel():
    y = np.array([0, 1, 0, 1, 1])
    (silent,) = _party(send_labels=False).begin(_rows(), y=y)
    assert type(silent) is Contribution
    (spoken,) = _party().begin(_rows(), y=y)
    assert type(spoken) is LabelledContribution
    assert spoken.targets.argmax(axis=1).tolist() == y.tolist()


def test_without_labels_it_contributes_rows_alone():
    (sent,) = _party().begin(_rows())
    assert type(sent) is Contribution


def test_it_explains_in_its_own_columns_or_in_all():
    own = _party(feature_names=["p", "q", "r"])
    own.begin(_rows())
    own.receive(_told())
    assert (own.surrogate.scope, own.surrogate.feature_names) == ("column", ["p", "q", "r"])
    everything = np.random.default_rng(2).normal(size=(12, 5))
    all_columns = _party(readable_anchor=everything)
    all_columns.begin(_rows())
    all_columns.receive(_told())
    assert (all_columns.surrogate.scope, len(all_columns.surrogate.feature_names)) == ("all", 5)


def test_names_must_fit_the_columns():
    with pytest.raises(ValueError, match="feature_names has 2 names, must be 3"):
        _party(feature_names=["p", "q"])


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        (_told(4), "sent 5 rows and received 4"),
        (_told(5, 6), "sent 12 anchor rows and received 6"),
        (_told(n_classes=3), "predictions of 3 classes, but the study has 2"),
        (_told(study="other"), "takes part in"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(message, rule):
    party = _party()
    party.begin(_rows())
    with pytest.raises(MessageError, match=rule):
        party.receive(message)


def test_without_anchor_predictions_there_is_no_readable_model():
    with pytest.raises(MessageError, match="no predictions for the anchor"):
        _ = _party().surrogate
