"""Where each kind of study lives, and what it may say."""

import pytest
from pydantic import ValidationError

from consilience.holdings import Place
from consilience.study.method import KINDS, Method, NoiseTerms, load_kind, method_of_kind
from consilience.study.study import Study


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_terms_and_its_verbs_in_its_folder(kind):
    assert method_of_kind(kind).kind == kind
    assert load_kind(kind, "by_files").VERBS


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_has_a_term_that_every_study_has(kind):
    shared = {field.alias or name for name, field in Study.model_fields.items()}
    assert not shared & set(method_of_kind(kind).model_fields)


def test_terms_are_frozen_and_know_their_fields():
    terms = NoiseTerms(epsilon=2, budget=4)
    with pytest.raises(ValidationError, match="frozen"):
        terms.epsilon = 3.0
    with pytest.raises(ValidationError, match="Extra inputs"):
        NoiseTerms(epsilons=2)


@pytest.mark.parametrize("epsilon", [0, -1.0, float("inf"), float("nan"), True, "1"])
def test_epsilon_that_promises_nothing_is_refused(epsilon):
    with pytest.raises(ValidationError):
        NoiseTerms(epsilon=epsilon)


def test_a_budget_is_of_something_and_pays_for_one_contribution_at_least():
    with pytest.raises(ValidationError, match="budget == 4 without epsilon"):
        NoiseTerms(budget=4)
    with pytest.raises(ValidationError, match="not one contribution could be sent"):
        NoiseTerms(epsilon=5, budget=4)
    assert NoiseTerms(epsilon=4, budget=4).epsilon == 4


def test_a_kind_that_says_nothing_shares_rows_and_holds_no_classes():
    assert Method().keys_of(Place("a", "lab"), None) == {"row": ("row", "a")}
    assert Method().target_of("lab") is None
