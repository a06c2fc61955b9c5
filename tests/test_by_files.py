"""What was agreed is what is sent, in every kind of study; and each kind has its verbs."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from consilience.by_files import Letter, by_files, expect_letter
from consilience.datasets import messy_hospitals
from consilience.exceptions import BundleError, StudyError
from consilience.messages import (
    MESSAGES,
    Absence,
    Answer,
    ClusterUpdate,
    Commitment,
    Contribution,
    Failure,
    Farewell,
    Grouping,
    LabelCounts,
    LabelledContribution,
    LocalLabels,
    NodeUpdate,
    PeerMessage,
    Prediction,
    Query,
    Ranking,
    Rejoin,
    Roster,
    SharedKey,
    StateDigest,
    Summary,
    Withdrawal,
)
from consilience.study.method import KINDS
from consilience.study.study import ANALYST, Study

BEFORE = Path(__file__).parent / "data" / "before"
NUMERIC = {"kind": "numeric", "bounds": [0, 1]}
TERMS = {
    "name": "example",
    "grid": {"rows": ["a", "b"], "columns": ["lab"]},
    "schema": {"lab": {f"x{k}": NUMERIC for k in range(4)}},
}
LEARNING = {"holder": "lab", "target": "ill", "classes": ["no", "yes"]}
VARIANTS = {
    "clusters": [
        {"answer": "representation"},
        {"answer": "model"},
        {"answer": "labels", "reduction": {"rounding": 0.0625}},
    ],
    "classes": [
        {
            "learning": LEARNING | {"answer": "model", "explain": "column"},
            "reduction": {"rounding": 0.0625},
        }
    ],
    "groups": [{"learning": LEARNING | {"threshold": 0.3}}],
    "peers": [{"grid": {"rows": ["a"], "columns": ["lab"]}}],
    "stream": [{"stream": {"answer": "nodes"}}],
    "summaries": [{"summaries": {"guarantee": "both"}}],
}
"""Studies of each kind that between them send everything the kind can send."""

REDUCED = {
    "representation": "its rows reduced by principal components",
    "anchor": "the anchor reduced alike",
    "steps": "rounded to about 0.0625 of their spread",
    "anchor_digest": "and its digest",
    "pseudonyms": "keyed pseudonyms of its rows",
}
BOUND = "digests that bind it to both"
SAID = {
    "clusters": {
        Contribution: REDUCED,
        Answer: {
            "labels": "the cluster of each of its rows",
            "n_clusters": "how many clusters there are",
            "pseudonyms": "keyed pseudonyms of its rows",
            "representation": "the shared coordinates of each of its rows",
            "centers": "and the centres",
            "linear": "the map and centres to label new rows",
            "offset": "the map and centres to label new rows",
        },
    },
    "classes": {
        Contribution: REDUCED,
        LabelledContribution: REDUCED | {"targets": "the class of each row"},
        Prediction: {
            "values": "the predicted class of its rows",
            "pseudonyms": "keyed pseudonyms of its rows",
            "anchor": "predictions for the anchor",
            "linear": "with its own map to it",
            "offset": "with its own map to it",
            "model": "and the model",
        },
    },
    "groups": {
        LabelCounts: {"counts": "how many rows of each class it has; no row"},
        Grouping: {
            "groups": "which institutions are grouped with which",
            "threshold": "the threshold",
            "tree": "the tree of merges",
        },
    },
    "peers": {
        Roster: {"pseudonyms": "keyed pseudonyms of the rows it holds"},
        Commitment: {"phase": BOUND, "digest": BOUND, "commitments": BOUND, "rosters": BOUND},
        LocalLabels: {
            "n_labels": "its own cluster of every row",
            "packed": "its own cluster of every row",
            "nonce": BOUND,
            "n_votes": "its own cluster of every row",
        },
        Ranking: {"packed": "the order of the rows of each cluster", "nonce": BOUND},
        StateDigest: {"digest": BOUND, "commitments": BOUND},
        Absence: {"missing": "a peer that does not answer"},
        Rejoin: {},
        Farewell: {},
    },
    "stream": {
        NodeUpdate: {
            "window": "after every window",
            "nodes": "its nodes that are new or have moved",
            "counts": "how many rows each won",
            "ids": "numbers by which it knows them",
        },
        ClusterUpdate: {
            "window": "after every window",
            "ids": "numbers by which it knows them",
            "labels": "the clusters of its own nodes",
            "n_clusters": "the clusters of its own nodes",
            "nodes": "the analyst's nodes",
            "node_labels": "the analyst's nodes",
            "bandwidth": "the analyst's nodes",
        },
    },
    "summaries": {
        Summary: {
            "centers": "centres of its rows",
            "weights": "about how many rows each stands for",
            "errors": "how far noise may move that number",
        },
    },
}
"""Every message of each kind, and the words by which a person agrees to each of its fields."""

FOREIGN = {
    "clusters": ["predict", "class", "node", "peer"],
    "classes": ["clustering", "centres", "node", "peer"],
    "groups": ["reduc", "anchor", "coordinates", "dimensions", "keyed", "cluster", "predict"],
    "peers": ["reduc", "anchor", "coordinates", "dimensions", "party", "parties"],
    "stream": ["reduc", "anchor", "coordinates", "dimensions", "pseudonym", "k-means"],
    "summaries": ["reduc", "anchor", "coordinates", "dimensions", "keyed", "node", "peer"],
}
"""Words of what does not happen in a kind."""

ASKED = {
    "contribute": ["send"],
    "analyse": ["solve"],
    "label": ["read"],
    "report": ["solve", "read"],
    "peer": ["send"],
    "stream": ["send", "solve", "read"],
    "audit": ["audit", "describe"],
}
"""What each verb asks of a kind that has it."""

HEADER = {field.name for field in dataclasses.fields(PeerMessage)} | {"contribution"}


def agreed(kind, **terms):
    """Return what a study of a kind says was agreed, as one small-lettered text."""
    study = Study.from_terms({**TERMS, "kind": kind, **terms})
    section = by_files(study, "audit").describe(study)
    assert section.title == "What was agreed"
    cells = (cell for table in section.parts for row in (table.header, *table.rows) for cell in row)
    return " ".join(map(str, cells)).lower()


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_agreed_covers_every_field_that_is_sent(kind):
    text = " ".join(agreed(kind, **terms) for terms in VARIANTS[kind])
    for message, said in SAID[kind].items():
        fields = {field.name for field in dataclasses.fields(message)} - HEADER
        assert set(said) == fields, f"what is said of {message.__name__} in a study of {kind}"
        for field, words in said.items():
            assert words in text, f"{message.__name__}.{field}"


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_agreed_says_nothing_that_does_not_happen(kind):
    for terms in VARIANTS[kind]:
        text = agreed(kind, **terms)
        assert [word for word in FOREIGN[kind] if word in text] == []


@pytest.mark.parametrize("kind", sorted(path.parent.name for path in BEFORE.glob("*/record.json")))
def test_the_messages_of_a_kind_are_those_its_roles_write(kind):
    record = json.loads((BEFORE / kind / "record.json").read_text())
    written = {bundle["message"] for bundle in record["bundles"].values()}
    assert written <= {message.__name__ for message in SAID[kind]}


def test_every_message_that_can_be_a_file_belongs_to_a_kind():
    told = {message for messages in SAID.values() for message in messages}
    # New rows are asked about, and refusals sent, between roles that are there at the same time.
    # Keys that parties share and contributions they take back are alike in every kind.
    assert told == set(MESSAGES) - {Query, Failure, SharedKey, Withdrawal}


def test_parties_that_get_labels_alone_are_promised_no_coordinates():
    assert "coordinates" not in agreed("clusters", answer="labels").partition("receives")[2]
    assert "model" not in agreed("classes", learning=LEARNING).partition("receives")[2]


@pytest.mark.parametrize(
    ("kind", "verb"), [("peers", "contribute"), ("stream", "label"), ("clusters", "peer")]
)
def test_a_verb_of_another_kind_is_refused_with_those_of_this_one(kind, verb):
    study = Study.from_terms({**TERMS, "kind": kind, **VARIANTS[kind][0]})
    with pytest.raises(StudyError, match=rf"`consilience {verb}` has nothing to do .* {kind}: its"):
        by_files(study, verb)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_does_what_its_verbs_ask(kind):
    study = Study.from_terms({**TERMS, "kind": kind, **VARIANTS[kind][0]})
    for verb in by_files(study, "audit").VERBS:
        assert all(callable(getattr(by_files(study, verb), part)) for part in ASKED[verb])


def test_a_letter_must_hold_what_a_verb_was_given_it_for():
    counts = LabelCounts(study="", sender="a/lab", recipient="analyst", counts=np.array([1, 2]))
    letter = Letter(counts, "counts", "folder/a.lab.contribution")
    expect_letter(letter, LabelCounts, "contribution")
    with pytest.raises(BundleError, match=r"a\.lab\.contribution holds a LabelCounts, no answer"):
        expect_letter(letter, (Answer, Prediction), "answer")


IGNORED = ("--ignore", "remark", "--ignore", "admitted")
AGREED = {
    # What `check` proposes for the tables of the other hospitals.
    "# drop_zeros = true": "drop_zeros = true",
    'duplicates = "refuse"': 'duplicates = "first"',
    'empty = "refuse"': 'empty = "drop"',
    'kind = "numeric",': 'kind = "numeric", outside = "clip",',
}


def test_messy_hospitals_find_their_groups_in_twenty_five_commands(cli, tmp_path):
    hospitals = messy_hospitals(random_state=0)
    tables, path = hospitals.write(tmp_path / "tables"), tmp_path / "study.toml"
    n_commands = 0

    def run(verb, *arguments, code=0):
        nonlocal n_commands
        n_commands += 1
        result = cli(verb, *arguments)
        assert code is None or result.code == code, result.err
        return result

    def own(party):
        ignored = IGNORED if party.endswith("clinical") else ()
        return ["--as", party, "--data", tables[party], "--id", "id", *ignored]

    north = f"clinical={tables['north/clinical']},laboratory={tables['north/laboratory']}"
    grid = ["--rows", "north,east,south", "--columns", "clinical,laboratory", "--from", north]
    run("init", *grid, *IGNORED, "--clusters", 3, "--out", tmp_path)
    others = [party for party in tables if not party.startswith("north")]
    told = {party: run("check", path, *own(party), code=None).out for party in others}
    assert "drop_zeros" in told["east/laboratory"].replace("\n", "")
    # One party corrects its table, and all agree on the terms that `check` proposed.
    east = tables["east/laboratory"].read_bytes()
    tables["east/laboratory"].write_bytes(east.replace(b";0\r\n", b";O\r\n"))
    text = path.read_text()
    for drafted, agreed in AGREED.items():
        assert drafted in text
        text = text.replace(drafted, agreed)
    path.write_text(text)
    for role in (*tables, ANALYST):
        run("keygen", "--name", role, "--study", path)
    for party in tables:
        decided = ["--yes", "--override", "its board", "--out", tmp_path / "in"]
        run("contribute", path, *own(party), *decided)
    run("analyse", path, *(tmp_path / "in").glob("*.contribution"), "--out", tmp_path / "answers")
    found = {}
    for party in tables:
        out = tmp_path / f"{party.replace('/', '-')}.csv"
        answer = tmp_path / "answers" / f"{party.replace('/', '.')}.answer"
        run("label", path, answer, *own(party), "--out", out)
        if party.endswith("clinical"):
            labels = pd.read_csv(out, dtype={"id": str}).dropna().set_index("id").cluster
            found |= labels.to_dict()
    assert n_commands <= 25
    patients = hospitals.table
    steps = {"none": 0, "mild": 1, "moderate": 2, "severe": 3}
    encoded = pd.get_dummies(patients.assign(pain=patients.pain.map(steps)), dtype=float)
    pooled = KMeans(3, n_init=10, random_state=0).fit_predict(
        StandardScaler().fit_transform(encoded)
    )
    there = [k for k, name in enumerate(patients.index) if name in found]
    together = [found[patients.index[k]] for k in there]
    assert len(there) > 0.95 * len(patients)
    assert adjusted_rand_score(pooled[there], together) >= 0.95
    assert adjusted_rand_score(hospitals.truth[there], together) >= 0.95
