"""The analyst's page of a study that learns, from studies that run inside the test."""

import re

import numpy as np

from consilience.collaboration.arrivals import Received
from consilience.collaboration.learning.analyst_page import learning_analyst_page
from consilience.collaboration.learning.roles import learning_analyst_of, learning_party_of
from consilience.report.page import render
from consilience.study.keys import new_key
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study

RNG = np.random.default_rng(0)


def make_study(classes=("no", "yes"), **learning):
    columns = {f"x{k}": {"kind": "numeric", "bounds": [-9.0, 9.0]} for k in range(6)}
    terms = {"holder": "lab", "target": "ill", "classes": list(classes), **learning}
    return Study.from_terms(
        {
            "name": "who falls ill",
            "grid": {"rows": ["north", "south"], "columns": ["lab"]},
            "schema": {"lab": columns},
            "learning": terms,
            "reduction": {"n_components": {"lab": 3}},
        }
    )


def solve(study, tables):
    """Let every party contribute its rows and classes, and solve."""
    analyst, received, key = learning_analyst_of(study), [], new_key()
    for name, (X, y) in zip(study.grid.parties, tables, strict=True):
        codes = pseudonyms([f"{name}-{k}" for k in range(len(X))], new_key())
        party = learning_party_of(study, name, {"lab": key}, np.random.default_rng(0))
        (message,) = party.begin(X, codes, y)
        received.append(Received(name, len(X), 3, len(message.anchor), 4321))
        analyst.receive(message)
    return analyst, received


def table(n_rows, share=0.5, n_unknown=0):
    y = np.where(np.arange(n_rows) < share * n_rows, "yes", "no").astype(object)
    X = RNG.normal(size=(n_rows, 6)) + 4.0 * (y == "yes")[:, None]
    y[RNG.permutation(n_rows)[:n_unknown]] = None
    return np.clip(X, -9, 9), y


def words(page):
    text = re.sub(r"<style.*?</style>", "", render(page), flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def test_page_says_what_arrived_what_was_learnt_and_how_right_it_is():
    study = make_study(explain="all")
    analyst, received = solve(study, [table(60, n_unknown=10), table(40)])
    text = words(learning_analyst_page(study, analyst, received))
    for expected in (
        "2 of 2",
        "rows learnt from",
        "8,642",
        "north 50",
        "south 40 20 20 100.0%",
        "all 90",
        "The estimator is ridge, on the shared representation",
        "Nothing to warn of.",
        "readable model in all columns, on its own page",
        "predicted",
    ):
        assert expected in text, expected


def test_a_model_of_noise_is_called_useless_and_small_classes_are_named():
    study = make_study(classes=("no", "perhaps", "yes"))
    y = np.array(["yes"] * 56 + ["no"] * 4, dtype=object)
    X = RNG.normal(size=(60, 6))
    analyst, received = solve(study, [(X, y), (X + RNG.normal(size=X.shape), y)])
    text = words(learning_analyst_page(study, analyst, received))
    assert "no more often than who always says &#39;yes&#39;" in text
    assert "No row has the class perhaps" in text
    assert "Few rows have the class no (8)" in text


def test_groups_have_models_and_held_out_rows_of_their_own():
    study = make_study(threshold=0.2)
    analyst, received = solve(study, [table(60, share=0.9), table(60, share=0.1)])
    text = words(learning_analyst_page(study, analyst, received))
    assert "Who learns with whom" in text
    assert "2 models in all" in text
    assert "all 120 60 60" in text


def test_classes_that_are_the_institutions_are_warned_of():
    study = make_study()
    analyst, received = solve(study, [table(60, share=0.99), table(60, share=0.01)])
    text = words(learning_analyst_page(study, analyst, received))
    assert "The classes are almost exactly the row institutions" in text
    assert "Nothing to warn of" not in text


def test_an_institution_at_which_the_model_is_idle_is_named():
    study = make_study()
    X, y = table(60)
    analyst, received = solve(study, [(X, y), (RNG.normal(size=(40, 6)), y[10:50])])
    text = words(learning_analyst_page(study, analyst, received))
    assert "At south the model is right no more often" in text


def test_no_pseudonym_and_no_feature_is_on_the_page():
    study = make_study()
    analyst, received = solve(study, [table(30), table(30)])
    html = render(learning_analyst_page(study, analyst, received))
    assert not re.search(r"[0-9a-f]{32}", html.replace(study.digest[:16], ""))
    assert "x3" not in html
