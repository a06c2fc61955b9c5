"""A continual study by files: two clinics, an analyst, three windows, and accidents."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from consilience.cli.app import app
from consilience.continual.state import load_state
from consilience.exceptions import ConsilienceError
from consilience.study.study import Study

TERMS = """
name = "wards"
grid = {rows = ["north", "south"], columns = ["all"]}
[schema.all]
x = {kind = "numeric", bounds = [-20, 60], outside = "clip", missing = "drop"}
y = {kind = "numeric", bounds = [-20, 60], outside = "clip"}
"""
ROLES = ("north/all", "south/all", "analyst")


def call(*words):
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path, "[stream]\nprofile = 'reference'\n")


def make_study(folder, stream):
    path = folder / "study.toml"
    path.write_text(TERMS + stream)
    for role in ROLES:
        call("keygen", "--name", role, "--study", path)
    for party, seed in (("north", 0), ("south", 1)):
        for window in range(3):
            rng = np.random.default_rng([seed, window])
            X = rng.normal(size=(120, 2)) + 40 * (np.arange(120) % 2)[:, None]
            table = pd.DataFrame(X, columns=["x", "y"]).assign(id=[f"p{k}" for k in range(120)])
            table.to_csv(folder / f"{party}{window}.csv", index=False)
    return path


def send(study, party, window, *more):
    folder = study.parent
    data = folder / f"{party}{window}.csv"
    words = ("--data", data, "--window", window, "--out", folder, "--yes", *more)
    output = call("stream", study, "--as", f"{party}/all", *words)
    return folder / f"{party}.all.{window}.nodes", output


def merge(study, *files):
    return call("stream", study, "--as", "analyst", *files, "--out", study.parent)


def last_round(output):
    return int(re.search(r"│ +(\d+) ", output)[1])


def label(study, party, data, *more):
    answer = study.parent / f"{party}.all.clusters"
    words = ("--data", data, "--out", study.parent / "labels.csv", *more)
    call("stream", study, "--as", f"{party}/all", answer, *words)
    return pd.read_csv(study.parent / "labels.csv")


def test_windows_become_nodes_and_nodes_become_clusters(study):
    folder = study.parent
    for window in range(3):
        files = [send(study, party, window)[0] for party in ("north", "south")]
        output = merge(study, *files)
    assert last_round(output) == 3
    labels = label(study, "north", folder / "north2.csv")
    assert labels.id.tolist() == [f"p{k}" for k in range(120)]
    assert not set(labels.cluster[::2]) & set(labels.cluster[1::2])


def test_a_dry_run_of_a_window_leaves_no_trace(study):
    before = sorted(study.parent.rglob("*"))
    _, output = send(study, "north", 0, "--dry-run", "--json")
    assert list(json.loads(output)["to"]) == ["analyst"]
    assert "this was a dry run" in send(study, "north", 0, "--dry-run")[1]
    assert sorted(study.parent.rglob("*")) == before


def test_the_analyst_is_told_in_json_and_consent_has_a_name(study):
    path, _ = send(study, "north", 0, "--by", "Dr. Novak")
    words = ("--as", "analyst", path, "--out", study.parent, "--json")
    found = json.loads(call("stream", study, *words))
    assert found["answered"] == ["north/all"]
    assert found["n_clusters"] >= 2
    ledger = study.parent / "private" / "north.all" / "ledger.jsonl"
    assert '"by": "Dr. Novak"' in ledger.read_text(encoding="utf-8")


def test_party_sees_how_many_nodes_are_rows(study):
    _, output = send(study, "north", 0)
    assert "equal to a row" in output
    assert "none: the study asks for none" in output


def test_same_window_again_writes_the_same_nodes_and_learns_nothing(study):
    path, _ = send(study, "north", 0)
    private = study.parent / "private" / "north.all" / "stream.state"
    digest = Study.load(study).digest
    seen = load_state(private, "continual party", digest)["network"]["n_seen"]
    path.unlink()
    again, _ = send(study, "north", 0)
    assert again.exists()
    state = load_state(private, "continual party", digest)
    assert state["network"]["n_seen"] == seen == 120


def test_files_merged_twice_count_once(study):
    path, _ = send(study, "north", 0)
    merge(study, path)
    (study.parent / "north.all.clusters").unlink()
    output = merge(study, path)
    assert last_round(output) == 1
    assert (study.parent / "north.all.clusters").exists()


def test_window_out_of_order_is_refused_on_both_sides(study):
    with pytest.raises(ConsilienceError, match="window 1, but the next one is 0"):
        send(study, "north", 1)
    send(study, "north", 0)
    late, _ = send(study, "north", 1)
    with pytest.raises(ConsilienceError, match="window 0 has not arrived"):
        merge(study, late)


def test_state_of_another_study_is_refused(study):
    send(study, "north", 0)
    study.write_text(study.read_text().replace('name = "wards"', 'name = "other wards"'))
    with pytest.raises(ConsilienceError, match="this is not the study you relied on so far"):
        send(study, "north", 1)


def test_budget_is_kept_over_windows(tmp_path):
    pytest.importorskip("opendp")
    terms = "[stream]\nprofile = 'improved'\nepsilon = 50.0\nbudget = 100.0\n"
    study = make_study(tmp_path, terms)
    _, output = send(study, "north", 0)
    assert "epsilon 50 of 100" in output
    assert "What epsilon 50 on 2 features, noise 4.0%" in " ".join(output.split())
    assert "pendigits" in output
    send(study, "north", 1)
    with pytest.raises(ConsilienceError, match="window 2 costs epsilon"):
        send(study, "north", 2)


def test_study_without_a_stream_and_stream_without_rows_are_refused(tmp_path, study):
    with pytest.raises(ConsilienceError, match="no rows were given"):
        call("stream", study, "--as", "north/all", "--window", 0)
    with pytest.raises(ConsilienceError, match="no --window"):
        call("stream", study, "--as", "north/all", "--data", tmp_path / "north0.csv")
    study.write_text(TERMS)
    with pytest.raises(ConsilienceError, match="a study of clusters"):
        call("stream", study, "--as", "analyst")


def test_report_shows_the_rounds_to_the_analyst_and_the_copies_to_a_party(study):
    folder = study.parent
    for window in range(2):
        files = []
        for party in ("north", "south"):
            path, _ = send(study, party, window, "--report", folder / f"{party}.html")
            files.append(path)
        page = folder / "analyst.html"
        words = (*files, "--out", folder, "--report", page)
        call("stream", study, "--as", "analyst", *words)
    text = page.read_text()
    assert "round 1: " in text
    assert "round 2: " in text
    assert page.stat().st_mode & 0o777 == 0o600
    assert "are rows of your table" in (folder / "north.html").read_text()
    words = ("--data", folder / "north1.csv", "--out", folder, "--report", folder / "north.html")
    call("stream", study, "--as", "north/all", folder / "north.all.clusters", *words)
    assert "Your rows" in (folder / "north.html").read_text()


def test_report_never_replaces_what_was_given_to_read(study):
    with pytest.raises(ConsilienceError, match="also given to read"):
        send(study, "north", 0, "--report", study.parent / "north0.csv")


def test_windows_that_pile_up_are_merged_in_their_order_whatever_the_order_of_the_files(study):
    files = [send(study, "north", window)[0] for window in range(3)]
    files.append(send(study, "south", 0)[0])
    assert last_round(merge(study, *reversed(files))) == 3
    send(study, "south", 1)
    assert last_round(merge(study, *sorted(study.parent.glob("*.nodes")))) == 4


def test_kill_between_two_writes_loses_nothing_and_counts_nothing_twice(study, nursery):
    folder = study.parent
    state, nodes = folder / "private" / "north.all" / "stream.state", folder / "north.all.0.nodes"
    data = ("--data", folder / "north0.csv", "--window", 0, "--yes", "--out", folder)
    sending = ("stream", study, "--as", "north/all", *data)
    nursery.run(*sending, kill_when=state.exists)
    assert nursery.run(*sending).code == 0
    network = load_state(state, "continual party", Study.load(study).digest)["network"]
    assert network["n_seen"] == 120
    merging = ("stream", study, "--as", "analyst", nodes, "--out", folder)
    lasting = folder / "private" / "analyst" / "stream.state"
    nursery.run(*merging, kill_when=lasting.exists)
    assert last_round(nursery.run(*merging).out) == 1
    assert (folder / "north.all.clusters").exists()


def change_table(study, change):
    path = study.parent / "north0.csv"
    table = change(pd.read_csv(path))
    table.to_csv(path, index=False)
    return path, table


def test_ids_keep_the_name_of_their_column(study):
    path, table = change_table(study, lambda table: table.rename(columns={"id": "patient"}))
    merge(study, send(study, "north", 0, "--id", "patient")[0])
    labels = label(study, "north", path, "--id", "patient")
    assert labels.columns.tolist() == ["patient", "cluster"]
    assert labels.patient.tolist() == table.patient.tolist()


def test_rows_with_a_missing_value_stay_in_the_labels_without_a_cluster(study):
    path, table = change_table(study, lambda t: t.assign(x=t.x.where(~t.index.isin([3, 7]))))
    merge(study, send(study, "north", 0)[0])
    labels = label(study, "north", path)
    assert labels.id.tolist() == table.id.tolist()
    assert labels.index[labels.cluster.isna()].tolist() == [3, 7]


def test_party_whose_keys_the_study_does_not_hold_neither_learns_nor_sends(study):
    folder = study.parent
    other = folder / "other"
    other.mkdir()
    (other / "study.toml").write_text(TERMS + "[stream]\nprofile = 'reference'\n")
    call("keygen", "--name", "north/all", "--study", other / "study.toml")
    with pytest.raises(ConsilienceError, match="other public keys of 'north/all'"):
        send(study, "north", 0, "--private", other / "private" / "north.all")
    assert not (folder / "north.all.0.nodes").exists()
    assert not (other / "private" / "north.all" / "stream.state").exists()


def test_answer_older_than_the_last_is_refused_and_the_last_may_be_read_again(study):
    folder = study.parent
    answer, old = folder / "north.all.clusters", folder / "old.clusters"
    merge(study, send(study, "north", 0)[0])
    old.write_bytes(answer.read_bytes())
    merge(study, send(study, "north", 1)[0])
    for _ in range(2):
        label(study, "north", folder / "north1.csv")
    answer.write_bytes(old.read_bytes())
    with pytest.raises(ConsilienceError, match="of round 1, but has had that of round 2"):
        label(study, "north", folder / "north1.csv")


def test_answer_to_nodes_of_another_state_is_refused(study):
    merge(study, send(study, "north", 0)[0])
    state = study.parent / "private" / "north.all" / "stream.state"
    state.unlink()
    path, _ = change_table(study, lambda table: table.head(5))
    send(study, "north", 0)
    with pytest.raises(ConsilienceError, match="every one must be, and stand once"):
        label(study, "north", path)
