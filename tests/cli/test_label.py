import itertools

import numpy as np
import pandas as pd
import pytest

from consilience import CollaborationClustering
from consilience.collaboration.anchors import default_n_anchor, draw_anchor
from consilience.collaboration.roles import analyst_of, party_of
from consilience.collaboration.terms import Clusters
from consilience.messages import Answer
from consilience.study import ANALYST
from consilience.study.pseudonyms import normalise_ids, pseudonyms
from consilience.transports import deliver
from consilience.transports.bundle import read_bundle

ID = "patient id"


def encode(case, party):
    """Return ids, matrix and pseudonyms of a party's table, in the order of pseudonyms."""
    row, column = party.split("/")
    table = case.tables[party]
    matrix = case.study.schema_of(column).encode(table.drop(columns=ID)).matrix
    codes = pseudonyms(normalise_ids(table[ID], strip=True, fold_case=True), case.row_keys[row])
    order = sorted(range(len(codes)), key=lambda k: codes[k].tobytes())
    return table[ID].to_numpy()[order], matrix[order], codes[order]


def fit_estimator(case):
    """Fit the estimator on the same rows with the same anchor; return it and the ids."""
    study, terms = case.study, case.study.of(Clusters)
    schemas = [study.schema_of(c) for c in study.grid.columns]
    n_anchor = terms.anchor.n_rows or default_n_anchor(study.n_features)
    anchors = [
        draw_anchor(terms.anchor.kind, case.column_keys[c], *schema.bounds, n_anchor)
        for c, schema in zip(study.grid.columns, schemas, strict=True)
    ]
    ends = np.cumsum([0, *(a.shape[1] for a in anchors)])
    blocks, ids, parties = [], [], []
    for row in study.grid.rows:
        parts = [encode(case, f"{row}/{c}") for c in study.grid.columns]
        blocks.append(np.hstack([matrix for _, matrix, _ in parts]))
        ids += list(parts[0][0])
        parties += [row] * len(parts[0][0])
    model = CollaborationClustering(
        terms.clustering.n_clusters,
        method=terms.clustering.method,
        n_neighbors=terms.clustering.n_neighbors,
        columns=[list(range(a, b)) for a, b in itertools.pairwise(ends)],
        reducer=terms.reduction.reducer,
        n_components=[terms.n_components(study, c) for c in study.grid.columns],
        scaling=terms.reduction.scaling,
        bounds=tuple(np.concatenate([s.bounds[k] for s in schemas]) for k in (0, 1)),
        anchor=np.hstack(anchors),
        target=terms.alignment.target,
        affine=terms.alignment.affine,
        random_state=terms.clustering.seed,
    ).fit(np.vstack(blocks), parties=parties)
    return model, ids


def fit_roles(case):
    """Run the roles in this process; return each party's clusters by id."""
    study = case.study
    roles = {p: party_of(study, p, case.column_keys[p.split("/")[1]]) for p in case.parties}
    analyst = analyst_of(study)
    sent = {p: encode(case, p) for p in case.parties}
    messages = (m for p, (_, X, codes) in sent.items() for m in roles[p].begin(X, codes))
    deliver(messages, {**roles, ANALYST: analyst})
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
    assert not cli(*case.label_command("a/life")).err


def test_answer_with_representation_holds_the_shared_coordinates(cli, new_case):
    case = new_case(answer="representation")
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    model, ids = fit_estimator(case)
    shared = dict(zip(ids, model.representation_, strict=True))
    for party in case.parties:
        answer, _ = read_bundle(
            case.answer(party), study=case.study, identity=case.identities[party]
        )
        expected = np.stack([shared[i] for i in encode(case, party)[0]])
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


def test_new_rows_are_refused_after_another_contribution(cli, model_case):
    case, _ = model_case
    case.contribute("b/lab")
    command = case.label_command("b/lab", "--new-data", case.folder / "later.csv")
    result = cli(*command)
    assert result.code == 2
    assert "was kept for another contribution than the one that is answered" in result.err
    assert not (case.folder / "b.lab.labels.csv").exists()
    result = cli(*case.label_command("b/lab"))
    assert result.code == 0
    assert "answers contribution 1 of your 2 to this study, not the latest" in result.err


def test_answer_to_a_contribution_the_party_never_made_is_refused(cli, new_case):
    case = new_case()
    case.contribute()
    assert cli(*case.analyse_command()).code == 0
    case.private("a/lab").ledger.path.unlink()
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
    assert "not after spectral clustering" in result.err


def answer_to(case, sender, **changes):
    good, _ = read_bundle(case.answer("a/lab"), study=case.study, identity=case.identities["a/lab"])
    fields = {"labels": good.labels, "n_clusters": 3, "pseudonyms": good.pseudonyms}
    fields |= {"contribution": good.contribution, **changes}
    return Answer(study=case.study.digest, sender=sender, recipient="a/lab", **fields)


@pytest.fixture
def forged(solved, tmp_path, cli):
    """Give a/lab another answer than the analyst's and return what label says."""

    def give(message, identity=None):
        path, out = tmp_path / "forged.answer", tmp_path / "labels.csv"
        solved.send(message, path, identity)
        given = ["--as", "a/lab", "--data", solved.data("a/lab"), "--id", ID, "--out", out]
        result = cli("label", solved.path, path, *given)
        assert result.code == 2
        assert not out.exists()
        return result.err

    return give


def test_answer_of_another_party_is_refused(forged, solved):
    reason = "comes from 'b/lab', not from the analyst"
    assert reason in forged(answer_to(solved, "b/lab"))


def test_answer_that_names_no_row_or_a_row_twice_is_refused(forged, solved):
    good = answer_to(solved, ANALYST)
    others = np.zeros_like(good.pseudonyms)
    others[:, 0] = np.arange(len(others))
    assert "names none of the rows" in forged(answer_to(solved, ANALYST, pseudonyms=others))
    twice = good.pseudonyms.copy()
    twice[1] = twice[0]
    assert "names a row twice" in forged(answer_to(solved, ANALYST, pseudonyms=twice))
    assert "names no rows" in forged(answer_to(solved, ANALYST, pseudonyms=None))


def test_what_is_no_answer_is_refused(solved, cli, tmp_path):
    out = tmp_path / "labels.csv"
    given = ["--as", "a/lab", "--data", solved.data("a/lab"), "--id", ID, "--out", out]
    for path, reason in (
        (solved.sent("a/lab"), "is addressed to 'analyst', not to 'a/lab'"),
        (solved.sent("b/lab"), "cannot be opened by 'a/lab'"),
        (solved.answer("a/life"), "cannot be opened by 'a/lab'"),
        (solved.path, "cannot be opened by 'a/lab'"),
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
