"""The analyst's page, from studies that run inside the test."""

import re

import numpy as np
import pytest
from sklearn.cluster import DBSCAN

from consilience.collaboration.analyst import Analyst
from consilience.collaboration.analyst_page import analyst_page
from consilience.collaboration.arrivals import Received
from consilience.collaboration.roles import analyst_of, party_of
from consilience.report.page import render
from consilience.study.keys import new_key
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study

BOUNDS = [-20.0, 20.0]


def make_study(n_clusters=2, n_columns=6, n_components=3, **more):
    columns = {f"x{k}": {"kind": "numeric", "bounds": BOUNDS} for k in range(n_columns)}
    terms = {
        "name": "two <b>regions</b>",
        "grid": {"rows": ["north", "south"], "columns": ["lab"], "missing_party": "go on"},
        "schema": {"lab": columns},
        "clustering": {"n_clusters": n_clusters},
        "reduction": {"n_components": {"lab": n_components}},
    }
    return Study.from_terms(terms | more)


def solve(study, X, analyst=None, senders=None, part=None):
    """Let every party contribute the same rows, or its part of them, and solve."""
    analyst = analyst or analyst_of(study)
    received, key = [], new_key()
    codes = pseudonyms([f"id-{k}" for k in range(len(X))], new_key())
    for name in senders or study.grid.parties:
        party = party_of(study, name, key, np.random.default_rng(0))
        rows = slice(None) if part is None else part[name]
        (message,) = party.begin(X[rows], codes[rows])
        size = (*message.representation.shape, len(message.anchor), 4321)
        received.append(Received(name, *size))
        answers = analyst.receive(message)
    if not answers:
        analyst.solve()
    return analyst, received, codes


def two_groups(n_rows=60, n_columns=6):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    X[: n_rows // 3] += 8
    return X


def words(page):
    return re.sub(
        r"\s+", " ", re.sub(r"<[^>]*>", " ", re.sub(r"<style.*?</style>", "", page, flags=re.S))
    )


def test_page_says_who_took_part_what_arrived_and_what_was_found():
    study = make_study()
    analyst, received, _ = solve(study, two_groups())
    text = words(render(analyst_page(study, analyst, received)))
    for expected in (
        "two &lt;b&gt;regions&lt;/b&gt;",
        "2 of 2",
        "north/lab 60 3 6",
        "4,321",
        "8,642",
        "cluster 0 80 66.7% 40 40",
        "cluster 1 40 33.3% 20 20",
        "principal components",
        "Nothing to warn of.",
        "means over all rows",
    ):
        assert expected in text, expected


def test_no_row_no_pseudonym_and_no_column_statistic_is_on_the_page():
    study, X = make_study(), two_groups()
    analyst, received, codes = solve(study, X)
    html = render(analyst_page(study, analyst, received))
    assert not any(code.tobytes().hex() in html for code in codes)
    shown = {*re.findall(r"\d+\.\d{3,}", words(html))}
    assert not shown & {f"{v:.{d}f}" for v in X.ravel() for d in (3, 4, 5, 6)}


def test_number_of_clusters_left_to_the_data_is_explained_with_its_scores():
    study = make_study("auto")
    analyst, received, _ = solve(study, two_groups())
    text = words(render(analyst_page(study, analyst, received)))
    assert "How many clusters" in text
    assert f"{analyst.partition.scores[2]:.3f}" in text


def test_missing_party_weak_terms_and_poor_clusters_are_warned_of():
    study = make_study(3, n_components=5, anchor={"n_rows": 7})
    X = np.random.default_rng(0).normal(size=(300, 6))
    X[:4] += 15
    analyst, received, _ = solve(study, X, senders=["north/lab"])
    text = words(render(analyst_page(study, analyst, received)))
    for expected in (
        "Nothing came from south/lab",
        "nothing arrived",
        "Weak against collusion: parties of lab send 5 of 6",
        "(4 rows)",
        "7 anchor rows for 6 dimensions",
        "hardly set apart",
    ):
        assert expected in text, expected


def test_clusters_that_tell_institutions_apart_are_warned_of():
    X = two_groups()
    mixed = {"north/lab": slice(None, None, 2), "south/lab": slice(1, None, 2)}
    uneven = {"north/lab": slice(18), "south/lab": slice(18, None)}
    for part, warned in ((mixed, False), (uneven, True)):
        analyst, received, _ = solve(make_study(), X, part=part)
        text = words(render(analyst_page(make_study(), analyst, received)))
        assert ("clusters tell institutions apart" in text) == warned


@pytest.mark.parametrize(("rule", "said"), [("drop", "left out"), ("keep", "estimated")])
def test_rows_that_not_all_parties_hold_are_counted(rule, said):
    columns = {f"x{k}": {"kind": "numeric", "bounds": BOUNDS} for k in range(4)}
    grid = {"rows": ["north"], "columns": ["lab", "home"]}
    schema = {"lab": columns, "home": columns}
    study = make_study(2, grid=grid, schema=schema, reduction={}, ids={"unmatched": rule})
    X, analyst, received, row_key = two_groups(60, 4), analyst_of(study), [], new_key()
    for name, n_rows in (("north/lab", 60), ("north/home", 53)):
        codes = pseudonyms([f"id-{k}" for k in range(n_rows)], row_key)
        (message,) = party_of(study, name, new_key()).begin(X[:n_rows], codes)
        received.append(Received(name, n_rows, 2, len(message.anchor), 1))
        analyst.receive(message)
    text = words(render(analyst_page(study, analyst, received)))
    assert "7 of north/lab, 0 of north/home" in text
    assert said in text


def test_one_cluster_and_noise_have_a_page_too():
    study = make_study(1)
    analyst, received, _ = solve(study, two_groups())
    assert "All rows are in one cluster" in render(analyst_page(study, analyst, received))
    noisy = Analyst(["north", "south"], ["lab"], method=DBSCAN(0.001), study=study.digest)
    solve(study, two_groups()[:5], noisy)
    page = render(analyst_page(study, noisy, received))
    assert "clusters" in page


def test_noise_alone_has_a_page():
    study = make_study(1)
    noisy = Analyst(
        ["north", "south"], ["lab"], method=DBSCAN(1e-9, min_samples=50), study=study.digest
    )
    _, received, _ = solve(study, two_groups(), noisy)
    assert "120 rows belong to no cluster" in render(analyst_page(study, noisy, received))


def test_large_study_says_that_it_shows_a_sample():
    study = make_study()
    analyst, received, _ = solve(study, two_groups(3000))
    text = words(render(analyst_page(study, analyst, received)))
    assert "a random sample of 5,000 of 6,000 rows" in text
    assert "a random sample of 3,000 rows" in text
