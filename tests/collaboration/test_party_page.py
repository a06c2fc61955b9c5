"""A party's page, from answers made by hand."""

import re

import numpy as np
import pandas as pd
import pytest

from consilience.collaboration.party_page import party_page
from consilience.messages import Answer
from consilience.report.page import render
from consilience.sources.source import Source
from consilience.study.rows import read_rows
from consilience.study.study import Study

KEY = bytes(range(32))
HOSTILE = "<script>alert('x')</script> \"dose\""
COLUMNS = {
    "age": {"kind": "numeric", "bounds": [0, 120], "missing": "fill"},
    HOSTILE: {"kind": "numeric", "bounds": [0, 1e6]},
    "ward": {"kind": "categorical", "categories": ["<i>north</i>", "south"]},
    "stage": {"kind": "ordinal", "categories": ["low", "middle", "high"]},
}


def make_study(columns=COLUMNS, **more):
    return Study.from_terms(
        {
            "name": "s",
            "grid": {"rows": ["a"], "columns": ["lab"]},
            "schema": {"lab": columns},
            "reduction": {"n_components": {"lab": 1}},
            **more,
        }
    )


def make_table(n_rows=40):
    half = np.arange(n_rows) < n_rows // 2
    return pd.DataFrame(
        {
            "id": [f"SECRET-ID-{k}" for k in range(n_rows)],
            "age": np.where(half, 30.0, 70.0) + np.arange(n_rows) % 3,
            HOSTILE: 50_000.0 + np.arange(n_rows),
            "ward": np.where(half, "<i>north</i>", "south"),
            "stage": np.where(half, "low", "high"),
        }
    )


def read(tmp_path, study, table):
    table.to_csv(tmp_path / "table.csv", index=False)
    return read_rows(study, "a/lab", Source(tmp_path / "table.csv", "id"), KEY, with_table=True)


def page_of(tmp_path, study, table, labels=None, ledger=(), n_clusters=None, **more):
    rows = read(tmp_path, study, table)
    labels = (rows.kept >= len(table) // 2).astype(np.int64) if labels is None else labels
    n_clusters = int(max(labels.max() + 1, 0)) if n_clusters is None else n_clusters
    answer = Answer(
        study=study.digest,
        sender="analyst",
        recipient="a/lab",
        labels=labels,
        n_clusters=n_clusters,
        pseudonyms=rows.pseudonyms,
        **more,
    )
    clusters = np.full(len(table), -1)
    clusters[rows.kept] = labels
    return party_page(study, "a/lab", rows, clusters, answer, ledger), answer


def words(html):
    html = re.sub(r"<style.*?</style>", "", html, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_clusters_are_described_in_the_units_of_the_table(tmp_path):
    page, _ = page_of(tmp_path, make_study(), make_table())
    text = words(render(page))
    for expected in (
        "Report for a/lab",
        "cluster 0 20 50.0%",
        "age −2.00 30.95 71",
        "ward = south −2.00 0% 100%",
        "low · low · low",
        "50,010",
        "keep it in your house",
    ):
        assert expected in text, expected
    assert page.private


def test_hostile_names_are_escaped_and_ids_and_pseudonyms_absent(tmp_path):
    page, answer = page_of(tmp_path, make_study(), make_table())
    html = render(page)
    assert "<script" not in html
    assert "<i>north" not in html
    assert "&lt;script&gt;" in html
    assert "SECRET-ID" not in html
    assert KEY.hex() not in html
    assert not any(code.tobytes().hex() in html for code in answer.pseudonyms)


def test_audit_of_the_contribution_is_repeated_where_it_was_alarming(tmp_path):
    study = make_study()
    entry = {"what": "contribution", "study": study.digest, "reconstruction": 0.97}
    text = words(render(page_of(tmp_path, study, make_table(), ledger=[entry])[0]))
    assert "to R² 0.97" in text


def test_rows_without_cluster_tiny_and_empty_clusters_are_warned_of(tmp_path):
    labels = np.zeros(40, dtype=np.int64)
    labels[:7] = -1
    labels[7:10] = 2
    text = words(render(page_of(tmp_path, make_study(), make_table(), labels)[0]))
    for expected in (
        "7 rows you contributed have no cluster",
        "no cluster 7 17.5%",
        "Few of your rows are in cluster 2 (3)",
        "None of your rows is in cluster 1.",
        "no contribution to this study",
    ):
        assert expected in text, expected


def test_changed_table_is_noticed(tmp_path):
    study, table = make_study(), make_table()
    old, new = (read(tmp_path, study, part) for part in (table.iloc[:30], table.iloc[5:]))
    answer = Answer(
        study=study.digest,
        sender="analyst",
        recipient="a/lab",
        labels=np.zeros(30, dtype=np.int64),
        n_clusters=1,
        pseudonyms=old.pseudonyms,
    )
    clusters = np.where(np.arange(35) < 25, 0, -1)
    text = words(render(party_page(study, "a/lab", new, clusters, answer, [])))
    assert "10 rows of your table are not in the answer" in text
    assert "5 rows you contributed are no longer in your table" in text


@pytest.mark.parametrize("labels", [np.zeros(40, int), np.full(40, -1)], ids=["one", "none"])
def test_one_cluster_or_none_has_a_page(tmp_path, labels):
    text = words(render(page_of(tmp_path, make_study(), make_table(), labels)[0]))
    assert "Your rows by cluster" in text


def test_single_column_with_missing_values_has_a_page(tmp_path):
    ward = {"kind": "categorical", "categories": ["n", "s"], "missing": "drop"}
    table = pd.DataFrame({"id": range(6), "ward": ["n", "s", None, "n", "s", "s"]})
    labels = np.array([0, 1, 0, 1, 0])
    page, _ = page_of(tmp_path, make_study({"ward": ward}), table, labels)
    assert "1 missing value, their rows left out" in words(render(page))


def test_missing_values_that_were_filled_do_not_enter_the_profile(tmp_path):
    table = make_table()
    table.loc[0:9, "age"] = np.nan
    text = words(render(page_of(tmp_path, make_study(), table)[0]))
    assert re.search(r"age −[\d.]+ 31 71", text)


def test_shared_coordinates_are_drawn_where_the_study_gives_them(tmp_path):
    Z = np.random.default_rng(0).normal(size=(40, 3))
    page, _ = page_of(tmp_path, make_study(), make_table(), representation=Z)
    assert "Your rows in the shared representation" in render(page)


@pytest.mark.parametrize(
    ("width", "method", "said"),
    [
        (None, "kmeans", "hands out no model"),
        (1, "kmeans", "--new-data"),
        (1, "spectral", "not after other methods"),
        (3, "kmeans", "other parties hold columns"),
    ],
)
def test_page_says_whether_new_rows_can_be_labelled(tmp_path, width, method, said):
    study = make_study(clustering={"method": method})
    model = {}
    if width:
        model = {"linear": np.ones((width, 2)), "offset": np.ones(2), "centers": np.ones((2, 2))}
    assert said in render(page_of(tmp_path, study, make_table(), **model)[0])
