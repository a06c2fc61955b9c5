import numpy as np
import pytest

from consilience.collaboration.terms import ClusteringTerms, Clusters, Reduced, ReductionTerms
from consilience.exceptions import StudyError
from consilience.study.study import Study

BASE = """
name = "example"
{more}
[grid]
rows = ["north"]
columns = ["lab"]
[reduction]
{reduction}
[schema.lab]
age = {{kind = "numeric", bounds = [0, 120]}}
grade = {{kind = "ordinal", categories = {categories}}}
{last}
"""


def study(reduction="", more="", last="", categories='["low", "high"]'):
    text = BASE.format(reduction=reduction, more=more, last=last, categories=categories)
    return Study.from_text(text)


def test_study_without_noise_keeps_its_digest():
    assert "epsilon" not in study().terms()["reduction"]
    assert study().digest != study("epsilon = 1.0").digest
    assert study("epsilon = 1.0").digest != study("epsilon = 1.0\nbudget = 1.0").digest


@pytest.mark.parametrize("epsilon", ["0", "0.0", "-1.0", "inf", "nan", "true", '"1"'])
def test_epsilon_that_promises_nothing_is_refused(epsilon):
    with pytest.raises(StudyError, match=r"line 8, reduction\.epsilon"):
        study(f"epsilon = {epsilon}")


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"reduction": "budget = 1.0"}, "budget == 1 without epsilon"),
        ({"reduction": "epsilon = 2.0\nbudget = 1.0"}, "epsilon == 2, must be <= 1"),
        ({"last": "[consensus]"}, "in a study of peers they send none"),
        ({"last": "[stream]"}, "in a study of stream they send none"),
        ({"categories": '["only"]'}, "'grade' of 'lab' has 0 and 0|at least 2"),
    ],
)
def test_noise_that_cannot_be_had_is_refused_with_the_reason(terms, reason):
    with pytest.raises(StudyError, match=reason):
        study(**{"reduction": "epsilon = 1.0", **terms})


def test_column_without_bounds_is_no_column_of_a_study():
    with pytest.raises(StudyError, match="bounds"):
        study("epsilon = 1.0", last='weight = {kind = "numeric"}')


def test_whole_numbers_are_numbers():
    assert ReductionTerms(epsilon=3, budget=9).epsilon == 3.0


def test_spreads_decide_units_and_anchor_only_where_the_study_scales_by_them():
    more = 'gain = {kind = "numeric", bounds = [0, 1000], center = 10, spread = 5}'
    by_bounds, by_spread = study(last=more), study('scaling = "spread"', last=more)
    assert by_bounds.of(Reduced).ranges(by_bounds, "lab")[1].tolist() == [120, 1, 1000]
    np.testing.assert_allclose(by_spread.of(Reduced).ranges(by_spread, "lab")[1], [120, 1.5, 20])


def test_weight_that_says_nothing_is_refused():
    more = 'gain = {kind = "numeric", bounds = [0, 9], weight = 2}'
    with pytest.raises(StudyError, match=r"line 12, .*gain has a weight"):
        study(last=more)
    study('scaling = "spread"', last=more)


def test_the_analyst_may_choose_what_was_left_to_it():
    terms = ClusteringTerms(n_clusters="2-10", method=("kmeans", "spectral"))
    assert terms.choose() == ((2, 10), "kmeans")
    assert terms.choose(4, "spectral") == (4, "spectral")
    assert ClusteringTerms(n_clusters=3).choose() == (3, "kmeans")
    assert ClusteringTerms().choose() == ("auto", "kmeans")


@pytest.mark.parametrize(
    ("terms", "chosen"),
    [
        ({"n_clusters": "2-10"}, (11, None)),
        ({"n_clusters": "2-10"}, (4, "spectral")),
        ({"n_clusters": "auto"}, (4, None)),
        ({"n_clusters": 3}, (4, None)),
    ],
)
def test_what_was_not_left_to_the_analyst_is_refused(terms, chosen):
    with pytest.raises(ValueError, match="the parties agreed on"):
        ClusteringTerms(**terms).choose(*chosen)


@pytest.mark.parametrize(
    "clustering",
    [
        'n_clusters = "9-2"',
        'n_clusters = "0-2"',
        'n_clusters = "2-"',
        'n_clusters = "many"',
        "method = []",
        'method = ["kmeans", "kmeans"]',
        'method = ["other"]',
    ],
)
def test_choices_that_are_none_are_refused(clustering):
    with pytest.raises(StudyError, match=r"clustering"):
        study(last=f"[clustering]\n{clustering}")


def test_one_method_labels_new_rows():
    both = '[clustering]\nmethod = ["kmeans", "spectral"]'
    assert study(last=both).of(Clusters).clustering.methods == ("kmeans", "spectral")
    with pytest.raises(StudyError, match="Agree on one"):
        study(more='answer = "model"', last=both)
