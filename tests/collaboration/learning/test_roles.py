"""From the terms of a study that learns to its roles, and which terms are refused."""

import pytest

from consilience.collaboration.learning.roles import learning_analyst_of, learning_party_of
from consilience.collaboration.learning.terms import Classes
from consilience.exceptions import StudyError
from consilience.study.study import Study

TEXT = """
name = "s"
grid = {{rows = ["a"], columns = ["p", "q"]}}
anchor = {{kind = "{kind}"}}
{learning}
[schema.p]
x = {{kind = "numeric", bounds = [0, 1]}}
y = {{kind = "numeric", bounds = [0, 1]}}
[schema.q]
z = {{kind = "numeric", bounds = [0, 1]}}
w = {{kind = "numeric", bounds = [0, 1]}}
"""
LEARNING = 'learning = {holder = "p", target = "ill", classes = ["no", "yes"], explain = "%s"}'


def _study(explain="column", kind="gaussian"):
    return Study.from_text(TEXT.format(kind=kind, learning=LEARNING % explain))


def test_holder_sends_labels_and_others_do_not():
    study = _study()
    keys = {"p": bytes(32), "q": bytes(32)}
    assert learning_party_of(study, "a/p", keys)._send_labels
    assert not learning_party_of(study, "a/q", keys)._send_labels


def test_explaining_in_all_features_needs_all_keys():
    study = _study("all")
    with pytest.raises(StudyError, match=r"has no column keys of \['q'\]"):
        learning_party_of(study, "a/p", {"p": bytes(32)})
    party = learning_party_of(study, "a/p", {"p": bytes(32), "q": bytes(32)})
    assert party._names == ["x", "y", "z", "w"]


@pytest.mark.parametrize("estimator", ["logistic", "forest"])
def test_the_named_estimator_is_made(estimator):
    text = LEARNING.replace("explain", f'estimator = "{estimator}", explain') % "no"
    study = Study.from_text(TEXT.format(kind="gaussian", learning=text))
    assert estimator.title() in type(learning_analyst_of(study)._estimator).__name__


def test_network_and_mix_are_those_of_the_study():
    text = LEARNING.replace(
        "explain", 'estimator = "network", layers = [8], prior = "own", explain'
    )
    study = Study.from_text(TEXT.format(kind="gaussian", learning=text % "no"))
    analyst = learning_analyst_of(study)
    assert analyst._estimator[-1].hidden_layer_sizes == (8,)
    assert analyst._prior == "own"


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (('holder = "p"', 'holder = "r"'), "holder == 'r', must be one of the columns"),
        (('target = "ill"', 'target = "x"'), "target == 'x' is also a feature"),
        (('["no", "yes"]', '["no", "no"]'), "must not repeat"),
        (('["no", "yes"]', '["no"]'), "at least 2 items"),
    ],
)
def test_contradictions_are_refused(change, rule):
    text = TEXT.format(kind="gaussian", learning=(LEARNING % "no").replace(*change))
    with pytest.raises(StudyError, match=rule):
        Study.from_text(text)


@pytest.mark.parametrize(
    ("kind", "rule"),
    [("lowrank", "made from private rows"), ("smote", "needs public and public_sha256")],
)
def test_anchors_that_cannot_be_agreed_on_are_refused_with_the_reason(kind, rule):
    with pytest.raises(StudyError, match=rule):
        _study(kind=kind)


def test_public_rows_are_for_smote_in_a_study_that_learns():
    public = f'", public = "p.csv", public_sha256 = "{"0" * 64}'
    with pytest.raises(StudyError, match="public rows are for kind = 'smote'"):
        _study(kind="gaussian" + public)
    with pytest.raises(StudyError, match="is for a study that learns"):
        Study.from_text(TEXT.format(kind="smote" + public, learning=""))
    assert _study(kind="smote" + public).of(Classes).anchor.kind == "smote"


def test_a_study_about_clusters_does_not_learn():
    study = Study.from_text(TEXT.format(kind="rotated", learning=""))
    assert "learning" not in study.terms()
    with pytest.raises(StudyError, match="is a study of clusters"):
        learning_analyst_of(study)
