"""Studies begun by an earlier version go on: what it wrote is read, and means the same.

``data/before`` holds a small study of each kind as the command line of that version left it: a
study file that does not name its kind, the private folders of all roles, tables and bundles, and in
``record.json`` what that version took the bundles to say. Peers are half way and the stream has one
window behind it; ``labels`` is what that version found, in these two by going on.
"""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study
from consilience.transports.bundle import read_bundle

BEFORE = Path(__file__).parent / "data" / "before"
KINDS = ["clusters", "classes", "groups", "peers", "stream"]
ANSWERED = {"clusters": "labels", "classes": "values", "groups": "groups"}
"""The kinds an analyst answers once, each with the array that holds what was found."""


@pytest.fixture
def begun(tmp_path):
    """Copy the study of a kind; git does not keep that secrets are for their owner alone."""

    def copy(kind):
        home = tmp_path / kind
        shutil.copytree(BEFORE / kind, home)
        for path in (home / "private").rglob("*"):
            path.chmod(0o700 if path.is_dir() else 0o600)
        return home, json.loads((home / "record.json").read_text())

    return copy


def read(home, path, recipient):
    folder = PrivateFolder(home / "private" / recipient.replace("/", "."))
    study = Study.load(home / "study.toml")
    message, _ = read_bundle(path, study=study, identity=folder.read_identity(recipient))
    return message


def told(message):
    """Return what a message says: its plain fields, and its arrays by their digests.

    Coordinates had no steps then.
    """
    values = {k: v for k, v in vars(message).items() if (k, v is None) != ("steps", True)}
    arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray)}
    plain = {k: v for k, v in values.items() if k not in arrays}
    digests = {k: hashlib.sha256(v.tobytes()).hexdigest() for k, v in arrays.items()}
    return {"message": type(message).__name__, **plain, "arrays": digests}


def files_of(home, party):
    """Return the name of a party in files, and what every verb of a party is given."""
    name = party.replace("/", ".")
    return name, ["--as", party, "--data", home / f"{name}.csv", "--id", "person"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_file_without_its_kind_keeps_its_meaning_and_its_digest(begun, kind):
    home, record = begun(kind)
    study = Study.load(home / "study.toml")
    assert (study.kind, study.method.kind) == (None, kind)
    assert study.digest == record["digest"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_that_was_written_before_says_the_same(begun, kind):
    home, record = begun(kind)
    assert record["bundles"]
    for file, stated in record["bundles"].items():
        now = told(read(home, home / file, stated["recipient"]))
        # A later version may know one more field; a message of before says nothing in it.
        later = {name: None for name in now.keys() - stated.keys()}
        assert now == {**stated, **later}, file


@pytest.mark.parametrize("kind", ANSWERED)
def test_an_answer_that_was_given_before_gives_the_same_labels(begun, cli, kind):
    home, _ = begun(kind)
    for answer in sorted((home / "answers").iterdir()):
        name, given = files_of(home, answer.stem.replace(".", "/"))
        result = cli(
            "label", home / "study.toml", answer, *given, "--out", home / f"{name}-now.csv"
        )
        assert result.code == 0, result.err
        for path in (home / "labels").glob(f"{name}*"):
            now = home / path.name.replace(name, f"{name}-now")
            if path.suffix == ".toml":
                assert Study.load(now).digest == Study.load(path).digest
            elif path.stem.endswith("-model"):
                # A readable model was fitted to the anchor then, and to the party's own rows now.
                assert "class:" in now.read_text()
            else:
                assert now.read_bytes() == path.read_bytes(), path.name


def test_a_model_and_a_reduction_that_were_kept_predict_new_rows(begun, cli):
    home, _ = begun("classes")
    name, given = files_of(home, "a/lab")
    given += ["--new-data", home / "b.lab.csv", "--out", home / "new.csv"]
    result = cli("label", home / "study.toml", home / "answers" / f"{name}.answer", *given)
    assert result.code == 0, result.err
    assert (home / "new.csv").read_bytes() == (home / "labels" / "b.lab.csv").read_bytes()


@pytest.mark.parametrize("kind", ANSWERED)
def test_contributions_that_were_sent_before_are_answered_alike(begun, cli, kind):
    home, _ = begun(kind)
    sent = sorted((home / "sent").iterdir())
    result = cli("analyse", home / "study.toml", *sent, "--out", home / "again")
    assert result.code == 0, result.err
    for path in (home / "answers").iterdir():
        recipient = path.stem.replace(".", "/")
        old, new = (read(home, file, recipient) for file in (path, home / "again" / path.name))
        assert new.contribution == old.contribution
        found = ANSWERED[kind]
        np.testing.assert_array_equal(getattr(new, found), getattr(old, found))


def test_peers_who_were_half_way_agree_on_the_same_clusters(begun, cli):
    home, _ = begun("peers")
    labels = {p: home / f"now-{p.replace('/', '.')}.csv" for p in ("people/lab", "people/life")}
    for _ in range(10):
        for party, out in labels.items():
            _, given = files_of(home, party)
            given += ["--set", "n_clusters=4", "--files", home / "exchange", "--yes"]
            result = cli("peer", home / "study.toml", *given, "--out", out)
            assert result.code == 0, result.err
        if all(out.exists() for out in labels.values()):
            break
    for out in labels.values():
        before = home / "labels" / out.name.removeprefix("now-")
        assert out.read_bytes() == before.read_bytes()


def test_a_stream_goes_on_with_its_next_window(begun, cli):
    home, _ = begun("stream")
    study, parties = home / "study.toml", ["north.all", "south.all"]
    (home / "now").mkdir()

    def stream(role, *words):
        result = cli("stream", study, "--as", role.replace(".", "/"), *words)
        assert result.code == 0, result.err

    for name in parties:
        data = home / f"{name}.1.csv"
        stream(name, "--data", data, "--window", 1, "--out", home / "now", "--yes")
    nodes = [home / "now" / f"{name}.1.nodes" for name in parties]
    stream("analyst", *nodes, "--out", home / "now")
    for name in parties:
        answer, labels = home / "now" / f"{name}.clusters", home / "now" / "labels.csv"
        stream(name, answer, "--data", home / f"{name}.1.csv", "--out", labels)
        pd.testing.assert_frame_equal(
            pd.read_csv(labels), pd.read_csv(home / "labels" / f"{name}.1.csv")
        )
