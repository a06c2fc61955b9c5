"""What an insider may send, and what is told from it: the limits that public terms set."""

from dataclasses import replace

import numpy as np
import pytest

from consilience.collaboration.plausible import (
    Limits,
    foreign_anchors,
    limits_of,
    why_implausible,
)
from consilience.collaboration.roles import analyst_of, party_of
from consilience.exceptions import MessageError
from consilience.messages import Contribution
from consilience.metrics import agreement
from consilience.study.study import Study

WIDTH = 6
KEY = bytes(32)
ROWS = ("a", "b", "c", "d")


def make_study(missing_party="refuse", scaling="bounds", **reduction):
    numeric = {"kind": "numeric", "bounds": [0, 10]}
    if scaling == "spread":
        numeric |= {"center": 4.0, "spread": 1.5}
    return Study.from_terms(
        {
            "name": "insiders",
            "kind": "clusters",
            "grid": {"rows": list(ROWS), "columns": ["lab"], "missing_party": missing_party},
            "schema": {"lab": {f"x{j}": numeric for j in range(WIDTH)}},
            "reduction": {"scaling": scaling, "rounding": 1 / 32, **reduction},
            "clustering": {"n_clusters": 3},
        }
    )


def make_rows(seed, n=60):
    rng = np.random.default_rng(seed)
    centers = np.array([[3.0] * WIDTH, [7.0] * WIDTH, [3.0, 7.0] * (WIDTH // 2)])
    return np.clip(centers[np.arange(n) % 3] + rng.normal(size=(n, WIDTH)), 0, 10)


def contributions(study):
    sent = []
    for i, row in enumerate(ROWS):
        party = party_of(study, f"{row}/lab", KEY, rng=np.random.default_rng(i))
        sent += party.begin(make_rows(i))
    return sent


def solve(study, sent):
    analyst, answers = analyst_of(study), []
    for message in sent:
        answers = analyst.receive(message)
    return analyst, answers or analyst.solve()


@pytest.mark.parametrize("scaling", ["none", "bounds", "spread", "local"])
@pytest.mark.parametrize("kind", ["gaussian", "uniform", "rotated"])
def test_an_honest_contribution_is_plausible(scaling, kind):
    study = make_study(scaling=scaling)
    study = Study.from_terms(study.terms() | {"anchor": {"kind": kind}})
    for message in contributions(study):
        assert why_implausible(message, limits_of(study, "lab")) == ""


def test_rows_in_every_corner_of_the_bounds_are_plausible():
    study = make_study()
    corners = np.array(np.meshgrid(*[[0.0, 10.0]] * WIDTH)).reshape(WIDTH, -1).T
    (message,) = party_of(study, "a/lab", KEY).begin(corners)
    assert why_implausible(message, limits_of(study, "lab")) == ""


def ten_times(message):
    return replace(message, representation=10 * message.representation, anchor=10 * message.anchor)


def three_far_rows(message):
    rows = message.representation.astype(np.int32)
    rows[:3] += 20_000
    return replace(message, representation=rows)


def constant_anchor(message):
    return replace(message, anchor=np.ones_like(message.anchor))


def overflowing(message):
    return replace(message, steps=np.full_like(message.steps, 2.0**200))


INSIDERS = {
    ten_times: "its anchor is .* times as wide",
    three_far_rows: "3 of its 60 rows lie beyond the public bounds",
    constant_anchor: "narrower along some direction",
    overflowing: "too large to be multiplied",
}


@pytest.mark.parametrize("insider", INSIDERS, ids=lambda f: f.__name__)
def test_an_insider_is_named_and_refused(insider):
    study = make_study()
    sent = contributions(study)
    with pytest.raises(MessageError, match=f"^b/lab sent .*{INSIDERS[insider]}.*Ask b/lab"):
        solve(study, [insider(m) if m.sender == "b/lab" else m for m in sent])


@pytest.mark.parametrize("insider", INSIDERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("last", [False, True])
def test_where_parties_may_miss_the_others_get_the_labels_they_would_have_got(insider, last):
    study = make_study("go on")
    sent = contributions(study)
    [bad] = [insider(m) for m in sent if m.sender == "b/lab"]
    good = [m for m in sent if m.sender != "b/lab"]
    analyst, answers = solve(study, [*good, bad] if last else [bad, *good])
    assert list(analyst.left_out) == ["b/lab"]
    assert {a.recipient for a in answers} == {m.sender for m in good}
    expected = {a.recipient: a.labels for a in solve(study, good)[1]}
    for answer in answers:
        assert agreement(answer.labels, expected[answer.recipient]) == 1


def test_without_limits_insiders_move_the_labels_of_others():
    study = make_study()
    sent = contributions(study)
    bad = [three_far_rows(m) if m.sender == "b/lab" else m for m in sent]
    analyst, unguarded = analyst_of(study), analyst_of(study)
    unguarded._limits = {}
    for message, other in zip(sent, bad, strict=True):
        good, worse = analyst.receive(message), unguarded.receive(other)
    assert agreement(good[0].labels, worse[0].labels) < 0.9, "the scene must be able to fail"


def test_what_cannot_be_known_is_not_limited():
    assert limits_of(make_study(scaling="local"), "lab") == Limits(WIDTH)
    assert limits_of(make_study(reducer="nmf"), "lab") == Limits(WIDTH)
    assert limits_of(make_study(epsilon=50.0), "lab").reach == np.inf
    assert limits_of(make_study(), "lab").reach == pytest.approx(np.sqrt(WIDTH) / 2)


def test_an_anchor_of_another_key_is_told_from_those_of_the_others():
    study = make_study("go on")
    sent = contributions(study)
    other = party_of(study, "c/lab", bytes([1] * 32), rng=np.random.default_rng(0))
    (foreign,) = other.begin(make_rows(2))
    foreign = replace(foreign, anchor_digest=sent[0].anchor_digest)
    analyst, answers = solve(study, [foreign if m.sender == "c/lab" else m for m in sent])
    assert analyst.left_out == {"c/lab": "its anchor is not the one the others sent"}
    assert {a.recipient for a in answers} == {"a/lab", "b/lab", "d/lab"}


def test_of_two_anchors_nobody_can_say_which_is_foreign():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(40, 3)), rng.normal(size=(40, 3))
    assert foreign_anchors({"a": (A[:, :2], np.zeros(2)), "b": (B[:, :2], np.zeros(2))}, 3) == [
        "a",
        "b",
    ]
    assert foreign_anchors({"a": (A[:, :2], np.zeros(2))}, 3) == []


def test_rounding_makes_no_anchor_foreign():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(400, 6))
    for step in (0.0, 1e-3, 0.1, 1.0):
        parts = {n: A @ np.linalg.qr(rng.normal(size=(6, 3)))[0] for n in "abcdefgh"}
        noise = np.full(3, step / np.sqrt(12))
        sent = {n: (np.rint(Z / step) * step if step else Z, noise) for n, Z in parts.items()}
        assert foreign_anchors(sent, 6) == []


def test_a_float_contribution_of_an_older_study_is_judged_too():
    study = make_study()
    terms = study.terms()
    del terms["reduction"]["rounding"]
    study = Study.from_terms(terms)
    message = contributions(study)[0]
    assert isinstance(message, Contribution)
    assert message.steps is None
    assert why_implausible(message, limits_of(study, "lab")) == ""
    large = replace(message, representation=message.representation * 1e200)
    assert "too large" in why_implausible(large, Limits(WIDTH))
