import cProfile
import dataclasses
import itertools
import pstats

import numpy as np
import pandas as pd
import pytest

from consilience import (
    CollaborationClustering,
)
from consilience.collaboration.anchors.keyed import default_n_anchor, draw_anchor
from consilience.collaboration.roles import analyst_of, party_of
from consilience.collaboration.terms import Clusters, Reduced
from consilience.study.study import ANALYST
from consilience.transports import deliver
from consilience.transports.bundle import manifest_of, read_bundle, write_bundle

ID = "patient id"


def rows_of(case, party):
    """Return ids, matrix and pseudonyms of a party's rows, in the order of pseudonyms."""
    rows = case.participant(party).read_rows(case.source(party))
    return rows.ids.to_numpy()[rows.kept], rows.matrix, rows.pseudonyms


def settings_of(case):
    """Return how the estimators of the library do what the parties of a study do."""
    study, terms = case.study, case.study.of(Reduced)
    columns = study.grid.columns
    schemas = [study.schema_of(c) for c in columns]
    n_anchor = terms.anchor.n_rows or default_n_anchor(study.n_features)
    anchors = [
        draw_anchor(terms.anchor.kind, case.column_keys[c], *schema.bounds, n_anchor)
        for c, schema in zip(columns, schemas, strict=True)
    ]
    ends = np.cumsum([0, *(a.shape[1] for a in anchors)])
    return {
        "columns": [list(range(a, b)) for a, b in itertools.pairwise(ends)],
        "reducer": terms.reduction.reducer,
        "n_components": [terms.n_components(study, c) for c in columns],
        "scaling": terms.reduction.scaling,
        "bounds": tuple(np.concatenate([s.bounds[k] for s in schemas]) for k in (0, 1)),
        "anchor": np.hstack(anchors),
        "target": terms.alignment.target,
        "affine": terms.alignment.affine,
    }


def fit_estimator(case):
    """Fit the estimator on the same rows with the same anchor; return it and the ids."""
    study, terms = case.study, case.study.of(Clusters).clustering
    parts = {
        row: [rows_of(case, f"{row}/{c}") for c in study.grid.columns] for row in study.grid.rows
    }
    ids = [i for part in parts.values() for i in part[0][0]]
    X = np.vstack([np.hstack([matrix for _, matrix, _ in part]) for part in parts.values()])
    model = CollaborationClustering(
        terms.n_clusters,
        method=terms.method,
        n_neighbors=terms.n_neighbors,
        rounding=None,
        random_state=terms.seed,
        **settings_of(case),
    ).fit(X, parties=np.repeat(list(parts), [len(part[0][0]) for part in parts.values()]))
    return model, ids


def fit_roles(case):
    """Run the roles in this process; return each party's clusters by id."""
    study = case.study
    roles = {p: party_of(study, p, case.column_keys[p.split("/")[1]]) for p in case.parties}
    sent = {p: rows_of(case, p) for p in case.parties}
    messages = (m for p, (_, X, codes) in sent.items() for m in roles[p].begin(X, codes))
    deliver(messages, {**roles, ANALYST: analyst_of(study)})
    return {
        p: {i: str(k) if k >= 0 else None for i, k in zip(sent[p][0], roles[p].answer.labels)}  # noqa: B905
        for p in case.parties
    }


def by_id(labels):
    return {i: None if pd.isna(k) else str(k) for i, k in labels.items()}


def through_files(cli, case):
    case.contribute()
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    return {party: by_id(case.labels(party)) for party in case.parties}


STUDIES = {
    "two by two": {},
    "three column groups": {"columns": ("lab", "life", "bills")},
    "one column group": {"columns": ("bills",)},
    "spectral": {"clustering": {"method": "spectral", "n_clusters": 3, "n_neighbors": 6}},
    "clusters chosen": {"clustering": {"n_clusters": "auto", "seed": 11}},
    "uniform anchor": {"anchor": {"kind": "uniform", "n_rows": 60}},
    "own units, orthonormal": {
        "reduction": {"scaling": "none", "n_components": {"lab": 5, "life": 2}},
        "alignment": {"target": "orthonormal", "affine": False},
    },
    "no rotation": {"reduction": {"rotate": False, "scaling": "local"}},
}


@pytest.mark.parametrize("terms", STUDIES.values(), ids=STUDIES)
def test_labels_through_files_are_those_of_the_estimator(cli, new_case, terms):
    case = new_case(**terms)
    labels = through_files(cli, case)
    model, ids = fit_estimator(case)
    expected = dict(zip(ids, map(str, model.labels_), strict=True))
    assert len(set(expected.values())) >= 2
    for party in case.parties:
        assert labels[party] == {i: expected[i] for i in case.tables[party][ID]}


def drop_rows(case, party, n):
    case.tables[party] = case.tables[party].iloc[n:]
    case.save_tables()


GAPS = {
    "drop": {"ids": {"unmatched": "drop"}},
    "keep": {"ids": {"unmatched": "keep"}},
    "three groups, drop": {"columns": ("lab", "life", "bills")},
    "three groups, keep": {"columns": ("lab", "life", "bills"), "ids": {"unmatched": "keep"}},
}


@pytest.mark.parametrize("terms", GAPS.values(), ids=GAPS)
def test_labels_with_rows_missing_at_one_party_are_those_of_the_roles(cli, new_case, terms):
    case = new_case(**terms)
    drop_rows(case, "a/life", 7)
    labels = through_files(cli, case)
    assert labels == fit_roles(case)
    lost = [i for i in case.tables["a/lab"][ID] if i not in set(case.tables["a/life"][ID])]
    assert len(lost) == 7
    kept = terms.get("ids", {}).get("unmatched") == "keep"
    assert all((labels["a/lab"][i] is not None) == kept for i in lost)
    assert all(k is not None for k in labels["a/life"].values())


def test_dropped_rows_change_no_label_of_the_others(cli, new_case):
    case = new_case()
    drop_rows(case, "a/life", 2)
    labels = through_files(cli, case)
    for party in case.parties:
        shared = set(case.tables[party.split("/")[0] + "/life"][ID])
        case.tables[party] = case.tables[party][case.tables[party][ID].isin(shared)]
    case.save_tables()
    model, ids = fit_estimator(case)
    expected = dict(zip(ids, map(str, model.labels_), strict=True))
    found = {i: k for party in labels.values() for i, k in party.items() if k is not None}
    assert found == expected


def test_an_absent_place_of_the_grid_is_no_obstacle(cli, new_case):
    case = new_case(columns=("lab", "life", "bills"), grid={"absent": ["b/life"]})
    assert "b/life" not in case.parties
    labels = through_files(cli, case)
    assert labels == fit_roles(case)
    assert {k for party in labels.values() for k in party.values()} == {"0", "1", "2"}


def test_rows_without_label_are_counted_and_left_empty(cli, new_case):
    case = new_case()
    drop_rows(case, "a/life", 7)
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    result = cli(*case.label_command("a/lab"))
    assert "7 rows have no cluster" in " ".join(result.err.split())
    assert "no cluster" not in cli(*case.label_command("a/life")).err


def test_answer_with_representation_holds_the_shared_coordinates(cli, new_case):
    case = new_case(answer="representation")
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    model, ids = fit_estimator(case)
    shared = dict(zip(ids, model.representation_, strict=True))
    for party in case.parties:
        answer = answer_of(case, party)
        expected = np.stack([shared[i] for i in rows_of(case, party)[0]])
        # The same space, turned: distances between rows are what both must agree on.
        found = answer.representation
        assert np.allclose(
            np.linalg.norm(found[:, None] - found, axis=2),
            np.linalg.norm(expected[:, None] - expected, axis=2),
        )
        assert answer.centers.shape == (3, found.shape[1])
        assert by_id(case.labels(party)).keys() == set(case.tables[party][ID])


@pytest.fixture
def model_case(cli, new_case):
    """A study whose parties hold all columns and receive a model, with rows that came later."""
    case = new_case(columns=("lab",), n=(40, 36), answer="model")
    for party in case.parties:
        table = case.tables[party]
        case.tables[party], later = table.iloc[10:], table.iloc[:10]
        later.to_csv(case.folder / "later.csv", index=False)
    case.save_tables()
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    return case, later


def test_new_rows_get_the_labels_the_estimator_predicts(cli, model_case):
    case, later = model_case
    result = cli(*case.label_command("b/lab", "--new-data", case.folder / "later.csv"))
    assert result.code == 0, result.err
    found = pd.read_csv(case.folder / "b.lab.labels.csv").set_index(ID)["cluster"]
    model, _ = fit_estimator(case)
    X = case.study.schema_of("lab").encode(later.drop(columns=ID)).matrix
    assert found.to_dict() == dict(
        zip(later[ID], model.predict(X, parties=["b"] * len(X)), strict=True)
    )


def test_another_contribution_does_not_lose_the_reduction_of_the_first(cli, model_case):
    case, _ = model_case
    command = case.label_command("b/lab", "--new-data", case.folder / "later.csv")
    assert cli(*command).code == 0
    labels = (case.folder / "b.lab.labels.csv").read_bytes()
    drop_rows(case, "b/lab", 1)
    case.contribute("b/lab")
    result = cli(*command)
    assert result.code == 0, result.err
    assert (case.folder / "b.lab.labels.csv").read_bytes() == labels
    result = cli(*case.label_command("b/lab"))
    assert result.code == 0
    assert "answers contribution 1 of your 2 to this study, not the latest" in result.err


@pytest.mark.parametrize("n_clusters", [2**40, 2**63 - 1, 16])
def test_more_clusters_than_agreed_are_refused(cli, solved, tmp_path, n_clusters):
    me = solved.identities[ANALYST]
    answer, _ = read_bundle(
        solved.answer("a/lab"), study=solved.study, identity=solved.identities["a/lab"]
    )
    bomb = dataclasses.replace(answer, n_clusters=n_clusters)
    forged, command = tmp_path / "a.lab.answer", solved.label_command("a/lab")
    manifest = manifest_of(bomb, solved.study, "a bomb")
    write_bundle(forged, bomb, manifest, study=solved.study, identity=me)
    command[command.index(solved.answer("a/lab"))] = forged
    result = cli(*command, "--report", tmp_path / "page.html")
    assert (result.code, "and the study allows" in result.err) == (2, True), result.err


def test_answer_to_a_contribution_the_party_never_made_is_refused(cli, new_case):
    case = new_case()
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    case.private("a/lab").ledger.path.unlink()
    result = cli(*case.label_command("a/lab"))
    assert (result.code, "ledger.jsonl is missing" in result.err) == (2, True)
    case.private("a/lab").ledger.path.with_suffix(".head").unlink()
    result = cli(*case.label_command("a/lab"))
    assert result.code == 2
    assert "answers a contribution to this study that is not in your ledger" in result.err


def test_new_rows_need_a_model_and_all_columns(cli, new_case):
    for terms, reason in (({}, "holds no model"), ({"answer": "model"}, "one party holds all")):
        case = new_case(**terms)
        case.contribute()
        assert cli(*case.analyse_command()).code == 0
        result = cli(*case.label_command("a/lab", "--new-data", case.data("a/lab")))
        assert result.code == 2
        assert reason in result.err
    spectral = {"method": "spectral", "n_clusters": 2, "n_neighbors": 5}
    case = new_case(answer="model", columns=("lab",), clustering=spectral)
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    result = cli(*case.label_command("a/lab", "--new-data", case.data("a/lab")))
    assert "not after other methods" in result.err


def answer_of(case, party):
    path, identity = case.answer(party), case.identities[party]
    return read_bundle(path, study=case.study, identity=identity)[0]


def test_what_is_no_answer_is_refused(solved, cli, tmp_path):
    out, forged = tmp_path / "labels.csv", tmp_path / "forged"
    solved.send(dataclasses.replace(answer_of(solved, "a/lab"), sender="b/lab"), forged)
    given = ["--as", "a/lab", "--data", solved.data("a/lab"), "--id", ID, "--out", out]
    for path, reason in (
        (solved.sent("a/lab"), "is addressed to 'analyst', not to 'a/lab'"),
        (solved.sent("b/lab"), "cannot be opened by 'a/lab'"),
        (solved.answer("a/life"), "cannot be opened by 'a/lab'"),
        (solved.path, "cannot be opened by 'a/lab'"),
        (forged, "comes from 'b/lab', not from the analyst"),
    ):
        result = cli("label", solved.path, path, *given)
        assert (result.code, out.exists()) == (2, False)
        assert reason in result.err


def test_label_never_writes_over_what_it_reads(solved, cli):
    before = solved.data("a/lab").read_bytes()
    result = cli(*solved.label_command("a/lab", "--out", solved.data("a/lab")))
    assert result.code == 2
    assert "also given to read" in result.err
    assert solved.data("a/lab").read_bytes() == before


def test_labels_may_be_written_as_parquet(solved, cli, tmp_path):
    pytest.importorskip("pyarrow")
    result = cli(*solved.label_command("a/lab", "--out", tmp_path / "labels.parquet"))
    assert result.code == 0, result.err
    table = pd.read_parquet(tmp_path / "labels.parquet")
    assert by_id(table.set_index(ID)["cluster"]) == by_id(solved.labels("a/lab"))


@pytest.mark.parametrize("kind", ["clusters", "classes"])
def test_a_report_costs_no_second_look_at_the_table(cli, of_kind, answered, kind):
    case = of_kind(kind)
    answered(case)
    command, profile = (
        case.label_command("a/lab", "--report", case.folder / "a.html"),
        cProfile.Profile(),
    )
    result = profile.runcall(cli, *command)
    assert result.code == 0, result.err
    join = {"clusters": "label_rows", "classes": "predict_rows"}[kind]
    calls = {name: n for (_, _, name), (n, *_) in pstats.Stats(profile).stats.items()}
    assert calls["read_source"] == 1
    assert calls[join] == 1


def test_ids_written_differently_are_told_by_their_shape(cli, new_case):
    case = new_case()
    table = case.tables["a/lab"]
    half = len(table) // 2
    table[ID] = [f"X-{k}" if k < half else text for k, text in enumerate(table[ID])]
    case.save_tables()
    for party in case.parties:
        assert cli(*case.contribute_command(party)).code == 0
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    assert "As many stay unmatched at each party" in " ".join(result.err.split())
    labelled = cli(*case.label_command("a/lab"))
    assert "Your ids are written as" in " ".join(labelled.err.split())
    assert "X-1" not in labelled.err
