import sys

import numpy as np
import pytest
from scipy import stats

from consilience.collaboration.party import Party
from consilience.exceptions import BudgetError, MessageError, MissingExtraError
from consilience.messages import Answer, Failure
from consilience.privacy.budget import Budget
from consilience.privacy.noise import LaplaceNoise

RNG = np.random.default_rng(0)
ANCHOR = RNG.normal(size=(20, 3))


def answer(n, study="s"):
    return Answer(
        study=study, sender="analyst", recipient="a/x", labels=np.zeros(n, np.int64), n_clusters=1
    )


def test_what_leaves_is_reduced_and_carries_no_row():
    X = RNG.normal(size=(9, 3))
    (sent,) = Party("a/x", ANCHOR, study="s", rng=RNG).begin(X)
    assert sent.representation.shape == (9, 2)
    assert (sent.study, sent.sender, sent.recipient) == ("s", "a/x", "analyst")
    for column in X.T:
        assert not any(np.allclose(column, c) for c in sent.representation.T)


def test_anchor_and_rows_go_through_the_same_reduction():
    (sent,) = Party("a/x", ANCHOR, rng=RNG).begin(ANCHOR)
    np.testing.assert_allclose(sent.representation, sent.anchor)


def test_answer_is_kept():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    party.begin(RNG.normal(size=(4, 3)))
    assert party.receive(answer(4)) == []
    assert party.answer.labels.tolist() == [0, 0, 0, 0]


def test_answer_for_another_study_is_refused():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    party.begin(RNG.normal(size=(4, 3)))
    with pytest.raises(MessageError, match="takes part in 's'"):
        party.receive(answer(4, study="other"))


def test_answer_for_another_number_of_rows_is_refused():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    party.begin(RNG.normal(size=(4, 3)))
    with pytest.raises(MessageError, match="sent 4 rows and received 5 labels"):
        party.receive(answer(5))


def test_refusal_of_the_analyst_is_told():
    party = Party("a/x", ANCHOR, study="s", rng=RNG)
    failure = Failure(study="s", sender="analyst", recipient="a/x", reason="another anchor")
    with pytest.raises(MessageError, match="analyst refused: another anchor"):
        party.receive(failure)


def test_message_of_another_kind_is_refused():
    party = Party("a/x", ANCHOR, rng=RNG)
    (own,) = party.begin(RNG.normal(size=(4, 3)))
    with pytest.raises(MessageError, match="cannot use a Contribution"):
        party.receive(own)


def test_asking_before_contributing_is_refused():
    with pytest.raises(MessageError, match="contribute before asking"):
        Party("a/x", ANCHOR, rng=RNG).ask(np.ones((1, 3)))


FALSE_ALARM = 1e-6
"""Each statistical test below fails a correct program about once in a million runs."""
UNIT = ([0.0] * 3, [1.0] * 3)


def noisy_party(epsilon=30.0, budget=None, **more):
    """Keep all dimensions, so that the noise can be read off what is sent."""
    anchor = np.random.default_rng(1).uniform(size=(20, 3))
    return Party("a/lab", anchor, n_components=3, noise=LaplaceNoise(*UNIT, epsilon, **more),
                 budget=budget, rng=np.random.default_rng(0))  # fmt: skip


def sent_noise(party, X):
    """Turn a contribution back with the reduction the party kept: what was added to the rows."""
    (message,) = party.begin(X)
    f = party.reduction
    return message.representation @ np.linalg.inv(f.components) + f.mean - X


def test_contribution_holds_laplace_noise_of_the_stated_scale():
    pytest.importorskip("opendp")
    drawn = sent_noise(noisy_party(), np.random.default_rng(2).uniform(size=(1000, 3)))
    assert stats.kstest(drawn.ravel(), "laplace", args=(0, 3 / 30.0)).pvalue > FALSE_ALARM


def test_noise_of_a_contribution_does_not_depend_on_values():
    pytest.importorskip("opendp")
    low = sent_noise(noisy_party(), np.zeros((1000, 3))).ravel()
    high = sent_noise(noisy_party(), np.ones((1000, 3))).ravel()
    assert stats.ks_2samp(low, high).pvalue > FALSE_ALARM


def test_two_parties_with_one_generator_seed_never_share_noise():
    # Both have the same rng; the noise must come from elsewhere.
    pytest.importorskip("opendp")
    X = np.full((1000, 3), 0.5)
    a, b = (sent_noise(noisy_party(), X).ravel() for _ in range(2))
    assert abs(a - b).min() > 1e-12  # 3,000 pairs of density 2.5 at zero: once in 10**8 by chance
    assert stats.spearmanr(a, b).pvalue > FALSE_ALARM


def test_reduction_is_fitted_on_the_noisy_rows_alone():
    noise = LaplaceNoise(*UNIT, 30.0, insecure_seed=4)
    X = np.random.default_rng(2).uniform(-0.2, 1.2, size=(50, 3))
    party = noisy_party(insecure_seed=4)
    (sent,) = party.begin(X, y=np.arange(50))
    plain = Party("a/lab", party._anchor, n_components=3, rng=np.random.default_rng(0))
    (expected,) = plain.begin(noise.apply(X))
    np.testing.assert_array_equal(sent.representation, expected.representation)
    np.testing.assert_array_equal(sent.anchor, expected.anchor)


def test_questions_are_noisy_and_charged_too():
    party = noisy_party(budget=Budget(100.0), insecure_seed=4)
    X = np.random.default_rng(2).uniform(size=(50, 3))
    party.begin(X)
    (query,) = party.ask(X)
    assert abs(query.representation - party.reduction.transform(X)).min() > 0
    assert party.budget.spent == 60.0
    party.ask(X)
    with pytest.raises(BudgetError, match=r"question costs epsilon 30.0, but 90.0 of 100.0"):
        party.ask(X)


def test_reducer_fitted_on_labels_is_refused_with_noise():
    with pytest.raises(ValueError, match="fitted on labels too"):
        Party("a/lab", np.ones((5, 3)), reducer="lda", noise=LaplaceNoise(*UNIT, 1.0))


def test_without_the_extra_noise_is_refused_and_nothing_is_made(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    party = noisy_party()
    with pytest.raises(MissingExtraError, match=r"consilience\[dp\]"):
        party.begin(np.full((4, 3), 0.5))
    assert party.reduction is None
    assert party.budget.spent == 30.0
