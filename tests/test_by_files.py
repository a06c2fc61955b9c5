"""What was agreed is what is sent, in every kind of study; and each kind has its verbs."""

import contextlib
import dataclasses
import io
import itertools
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from conftest import run
from consilience.by_files import Letter, by_files, expect_letter
from consilience.datasets import messy_hospitals
from consilience.exceptions import BundleError, StudyError
from consilience.messages import (
    MESSAGES,
    Absence,
    Answer,
    BlindedIds,
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
    Outline,
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
        {"answer": "memberships", "clustering": {"method": "mixture"}},
        {"answer": "tree", "clustering": {"method": "hierarchical"}},
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
    "summaries": [
        {"summaries": {"guarantee": "both", "mixture": True}},
        {"summaries": {"guarantee": "both", "target": "sex", "classes": ["f", "m"]}},
    ],
}
"""Studies of each kind that between them send everything the kind can send."""

REDUCED = {
    "representation": "its rows reduced by principal components",
    "anchor": "the anchor reduced alike",
    "steps": "rounded to about 0.0625 of their spread",
    "anchor_digest": "and its digest",
    "pseudonyms": "keyed pseudonyms of its rows",
}
LATER = "sends them reduced and rounded alike, with keyed pseudonyms"
ASKED_ABOUT = {"representation": LATER, "pseudonyms": LATER, "steps": LATER}
BOUND = "digests that bind it to both"
HEARD = {"heard": BOUND, "commitments": BOUND, "rosters": BOUND}
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
            "memberships": "how far it belongs to each cluster",
            "tree": "how clusters join into larger ones",
        },
        Query: ASKED_ABOUT,
    },
    "classes": {
        Contribution: REDUCED,
        Query: ASKED_ABOUT,
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
        Outline: {
            "digest": "a digest of the rows it holds",
            "sums": "sums over parts of their keyed pseudonyms",
        },
        Roster: {"pseudonyms": "where those of two peers differ, the pseudonyms"},
        Commitment: {"phase": BOUND, "digest": BOUND, **HEARD},
        LocalLabels: {
            "n_labels": "its own cluster of every row",
            "packed": "its own cluster of every row",
            "nonce": BOUND,
            "n_votes": "its own cluster of every row",
        },
        Ranking: {"packed": "the order of the rows of each cluster", "nonce": BOUND},
        StateDigest: {"digest": BOUND, **HEARD},
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
            "classes": "with their classes",
            "covariances": "how far each spreads in every direction",
            "names": "lasting names of the clusters",
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
    "ask": ["inquire"],
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
    # Refusals are sent between roles that are there at the same time.
    # Keys that parties share, ids they match and contributions they take back are alike everywhere.
    assert told == set(MESSAGES) - {Failure, SharedKey, BlindedIds, Withdrawal}


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


@dataclasses.dataclass
class Home:
    """A role at its own machine: a folder that no other role sees."""

    folder: Path
    commands: list
    type_in: object

    def run(self, verb, *arguments, typed="", code=0):
        """Run a command here, with what a person types when asked."""
        self.commands.append(verb)
        with contextlib.chdir(self.folder):
            self.type_in(typed)
            result = run(verb, *arguments)
        assert code is None or result.code == code, result.err
        return result

    def carry(self, pattern, *others):
        """Copy files to other roles, as a person with a stick would."""
        for file, other in itertools.product(self.folder.glob(pattern), others):
            shutil.copy(file, other.folder)


@pytest.fixture
def homes(tmp_path, monkeypatch):
    hospitals = messy_hospitals(random_state=0)
    commands = []

    def type_in(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    homes = {}
    for role in (*hospitals.files, ANALYST):
        folder = tmp_path / role.replace("/", "-")
        folder.mkdir()
        (folder / "table.csv").write_bytes(hospitals.files.get(role, b""))
        homes[role] = Home(folder, commands, type_in)
    return hospitals, homes


def test_messy_hospitals_find_their_groups_in_twenty_five_commands(homes):
    hospitals, at = homes
    parties = list(hospitals.files)
    north = at["north/clinical"]
    shutil.copy(at["north/laboratory"].folder / "table.csv", north.folder / "laboratory.csv")

    def own(party):
        ignored = IGNORED if party.endswith("clinical") else ()
        return ["--as", party, "--data", "table.csv", *ignored]

    # One hospital drafts; its two tables are the examples, and are checked with that.
    grid = ["--rows", "north,east,south", "--columns", "clinical,laboratory"]
    examples = ["--from", "clinical=table.csv,laboratory=laboratory.csv", *IGNORED]
    told = {"north": north.run("init", *grid, *examples, "--clusters", 3).out}
    assert told["north"].count("it fits the draft") == 2
    others = [party for party in parties if not party.startswith("north")]
    north.carry("study.toml", *(at[party] for party in others))
    for party in others:
        told[party] = at[party].run("check", "study.toml", *own(party), code=None).out
    assert "drop_zeros" in told["east/laboratory"].replace("\n", "")
    # One party corrects its table, and all agree on the terms that `check` proposed.
    east = at["east/laboratory"].folder / "table.csv"
    east.write_bytes(east.read_bytes().replace(b";0\r\n", b";O\r\n"))
    text = (north.folder / "study.toml").read_text()
    for drafted, agreed in AGREED.items():
        assert drafted in text
        text = text.replace(drafted, agreed)
    (at[ANALYST].folder / "study.toml").write_text(text)
    for party in parties:
        at[party].run("keygen", "--name", party)
        at[party].carry("*.public.toml", at[ANALYST])
    public = sorted(path.name for path in at[ANALYST].folder.glob("*.public.toml"))
    at[ANALYST].run("collect", "study.toml", *public, "--as", ANALYST)
    at[ANALYST].carry("study.toml", *(at[party] for party in parties))
    for party in parties:
        # Where the audit exceeds the drafted limit, a person decides, and all are asked at the end.
        at[party].run("contribute", "study.toml", *own(party), typed="the board\ny\n")
        at[party].carry("*.keys", *(at[other] for other in parties if other != party))
        at[party].carry("*.contribution", at[ANALYST])
    sent = sorted(path.name for path in at[ANALYST].folder.glob("*.contribution"))
    at[ANALYST].run("analyse", "study.toml", *sent, "--out", ".")
    found = {}
    for party in parties:
        answer = f"{party.replace('/', '.')}.answer"
        at[ANALYST].carry(answer, at[party])
        at[party].run("label", "study.toml", answer, *own(party))
        if party.endswith("clinical"):
            labels = pd.read_csv(at[party].folder / "labels.csv", dtype={"id": str})
            found |= labels.dropna().set_index("id").cluster.to_dict()
    assert len(north.commands) <= 25
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


def test_a_drafted_readable_model_is_like_the_analysts_or_says_so_and_stops(cli, tmp_path):
    hospitals = messy_hospitals(600, faults=(), random_state=0)
    ill = np.where(hospitals.truth == 1, "yes", "no")
    table = hospitals.table.assign(ill=ill).reset_index()
    rows = {name: table[hospitals.hospital == name] for name in ("north", "east")}
    for name, part in rows.items():
        part[["id", "age", "bmi", "systolic", "pulse", "ill"]].to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    new = table[hospitals.hospital == "south"]
    new[["id", "age", "bmi", "systolic", "pulse"]].to_csv(tmp_path / "new.csv", index=False)
    drafted = ["--rows", "north,east", "--columns", "ward", "--from", f"ward={tmp_path}/north.csv"]
    learning = ["--for", "classes", "--target", "ill", "--explain", "column", "--with-keys"]
    assert cli("init", *drafted, *learning, "--out", tmp_path).code == 0
    path, parties = tmp_path / "study.toml", [f"{name}/ward" for name in rows]
    text = path.read_text().replace('kind = "numeric",', 'kind = "numeric", outside = "clip",')
    path.write_text(text)
    for role in (*parties, ANALYST):
        assert cli("keygen", "--name", role, "--study", path).code == 0
    for party in parties:
        own = ["--as", party, "--data", tmp_path / f"{party.split('/')[0]}.csv"]
        decided = ["--yes", "--override", "the board", "--out", tmp_path]
        result = cli("contribute", path, *own, *decided)
        assert result.code == 0, result.err
    sent = sorted(tmp_path.glob("*.contribution"))
    assert cli("analyse", path, *sent, "--out", tmp_path).code == 0
    own = ["--as", "north/ward", "--data", tmp_path / "north.csv"]
    words = [
        "label",
        path,
        tmp_path / "north.ward.answer",
        *own,
        "--new-data",
        tmp_path / "new.csv",
    ]
    result = cli(*words, "--out", tmp_path / "labels.csv")
    said = re.sub(r"\s+", " ", result.out + result.err)
    shares = [int(share) for share in re.findall(r"(\d+) ?% of your (?:own )?rows", said)]
    assert shares, said
    if result.code:
        assert min(shares) < 85
        assert "--override NAME" in said
        assert not (tmp_path / "labels.csv").exists()
        return
    assert min(shares) >= 85
    told = pd.read_csv(tmp_path / "labels.csv")
    truth = ill[hospitals.hospital == "south"]
    assert (told[told.columns[-1]].to_numpy() == truth).mean() > 0.75
