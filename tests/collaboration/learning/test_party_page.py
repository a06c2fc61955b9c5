"""The section of a readable model: its trust, its features, its rules."""

import numpy as np

from consilience.collaboration.learning.imitation import imitate_rows
from consilience.collaboration.learning.party_page import surrogate_section
from consilience.collaboration.learning.surrogate import fit_surrogate
from consilience.report.page import Figure, Listing, Note, Table

RNG = np.random.default_rng(0)
A = RNG.uniform(size=(200, 2))
CLASSES = np.array(["no", "yes"])


def test_it_shows_features_rules_and_how_far_to_trust_them():
    told = np.eye(2)[(A[:, 0] > 0.5).astype(int)]
    by_anchor = fit_surrogate(A, told, feature_names=["age", "sex"], classes=CLASSES)
    surrogate = imitate_rows(by_anchor, A, told, CLASSES)
    section = surrogate_section(surrogate, "a/x", accuracy=0.5)
    assert "in the features of a/x alone" in section.parts[0]
    what, share = section.parts[1].items[0]
    assert "on your own rows" in what
    assert float(share.rstrip("%")) > 95
    assert section.parts[1].items[1][1] == "50.0%"
    tables = [p for p in section.parts if isinstance(p, Table)]
    assert tables[0].rows == [["age", "100.0%"]]
    (rules,) = (p for p in section.parts if isinstance(p, Listing))
    assert "age <=" in rules.text
    assert not any(isinstance(p, Note) for p in section.parts)


def test_a_model_that_disagrees_is_warned_of():
    told = np.eye(2)[RNG.integers(2, size=200)]
    surrogate = fit_surrogate(A, told, feature_names=["age", "sex"], classes=CLASSES)
    notes = [p for p in surrogate_section(surrogate, "a/x").parts if isinstance(p, Note)]
    assert notes[0].warning


def test_a_constant_model_has_a_rule_and_no_picture():
    surrogate = fit_surrogate(A, np.eye(2)[[1] * 200], feature_names=["a", "b"], classes=CLASSES)
    section = surrogate_section(surrogate, "a/x")
    assert [p.text for p in section.parts if isinstance(p, Listing)] == ["always yes"]
    assert not [p for p in section.parts if isinstance(p, Figure | Table)]
