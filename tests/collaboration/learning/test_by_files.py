"""A study of classes, from answers to predictions and to models a party can read or use."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge

from consilience import ClusteredCollaborationClassifier, CollaborationClassifier
from consilience.collaboration.anchors.keyed import default_n_anchor, draw_anchor
from consilience.collaboration.learning.model import Model
from consilience.collaboration.learning.portable import freeze
from consilience.collaboration.learning.terms import Classes
from consilience.exceptions import StudyError
from consilience.sources import delimited, parts
from consilience.sources.reading import table_pieces
from consilience.study.labelled_lines import LabelledLines
from consilience.transports.bundle import manifest_of

ID = "patient id"


def label(cli, case, party, *more):
    """Run label; return what it says and what it wrote."""
    result = cli(*case.label_command(party, *more))
    assert result.code == 0, result.err
    file = case.folder / f"{party.replace('/', '.')}.labels.csv"
    return " ".join(result.out.split()), pd.read_csv(file)


@pytest.fixture
def learnt(of_kind, answered):
    """Solve a study of classes in which the class of some rows of a/lab is not known."""

    def make(explain, change=lambda table: table):
        case = of_kind("classes", n=(60, 48))
        case.terms["learning"] |= {"explain": explain}
        case.terms["anchor"] = {"kind": "uniform", "n_rows": 1000}
        case.truth = case.tables["a/lab"].set_index(ID).ill
        for party in ("a/lab", "b/lab"):
            case.tables[party] = change(case.tables[party])
        case.tables["a/lab"].iloc[:8, -1] = None
        case.save_tables()
        case.write()
        others = {"lab": "life", "life": "lab"}
        for party in case.parties if explain == "all" else ():
            other = others[party[2:]]
            case.private(party).write_key(f"column-{other}", case.column_keys[other])
        answered(case)
        return case

    return make


def test_classes_are_predicted_and_explained_in_own_columns(cli, learnt):
    case = learnt("column")
    said, table = label(cli, case, "a/life")
    predicted = table.set_index(ID).prediction
    assert (predicted[case.truth.index] == case.truth).mean() > 0.9
    assert ": your readable model; it agrees with the analyst's on" in said
    text = (case.folder / "a.life.labels-model.txt").read_text()
    assert "in the features of a/life alone" in text
    assert "age" not in text
    assert (case.folder / "a.life.labels-model.png").read_bytes().startswith(b"\x89PNG")


def test_the_readable_tree_has_as_many_branches_as_its_reader_wants(cli, learnt):
    case = learnt("all")
    leaves = []
    for splits in (1, 7):
        label(cli, case, "a/life", "--splits", splits)
        text = (case.folder / "a.life.labels-model.txt").read_text()
        leaves.append(text.count("class:"))
    assert leaves[0] == 2
    assert leaves[1] in (7, 8)


def test_with_all_keys_it_explains_in_all_features(cli, learnt):
    case = learnt("all")
    label(cli, case, "a/life")
    text = (case.folder / "a.life.labels-model.txt").read_text()
    assert "in all features of the study" in text
    [line] = [line for line in text.splitlines() if line.startswith("Most important features")]
    named = set(line.partition(": ")[2].split(", "))
    assert named & {"age", "pressure (mmHg)", "grade"}
    result = cli(*case.label_command("a/life", "--new-data", case.data("a/life")))
    assert (result.code, "features of its readable model" in result.err) == (2, True)


def test_new_rows_are_predicted_by_the_readable_model(cli, learnt):
    case = learnt("column")
    new = case.tables["a/lab"].drop(columns="ill").iloc[:2]
    new = new.assign(age=[21, 104], grade=["low", "high"], ward=["north", "süd"])
    new["pressure (mmHg)"] = [299, 131]
    new.to_csv(case.folder / "new", index=False)
    said, table = label(cli, case, "a/lab", "--new-data", case.folder / "new")
    assert "by your readable model" in said
    assert table.prediction.tolist() == ["no", "yes"]


def test_a_readable_model_that_disagrees_predicts_no_new_rows_unless_somebody_decides_so(
    cli, learnt
):
    case = learnt("column")
    # In these columns nothing of the class is left.
    shuffled = case.tables["a/life"].sample(frac=1, random_state=1)
    shuffled[ID] = case.tables["a/life"][ID].to_numpy()
    shuffled.to_csv(case.data("a/life"), index=False)
    new = ("--new-data", case.data("a/life"))
    result = cli(*case.label_command("a/life", *new))
    assert result.code == 2
    assert "% of your own rows; 85% are asked for" in result.err
    assert cli(*case.label_command("a/life", *new, "--override", "Dr. Who")).code == 0
    entry = case.private("a/life").ledger.entries()[-1]
    assert (entry["what"], entry["by"], entry["agreement"] < 0.85) == ("override", "Dr. Who", True)
    page = case.folder / "page.html"
    assert cli(*case.label_command("a/life", "--report", page)).code == 0
    assert "do not take its rules for the reasons" in page.read_text()


def test_without_explanation_new_rows_have_no_model(cli, learnt):
    case = learnt("no")
    assert set(label(cli, case, "a/life")[1].prediction) == {"no", "yes"}
    assert not list(case.folder.glob("*-model.txt"))
    result = cli(*case.label_command("a/life", "--new-data", case.data("a/life")))
    assert (result.code, "asks for no readable model" in result.err) == (2, True)


def test_one_class_makes_a_constant_model_that_says_so(cli, learnt):
    case = learnt("column", lambda table: table.assign(ill="no"))
    assert set(label(cli, case, "a/lab")[1].prediction) == {"no"}
    assert "always no" in (case.folder / "a.lab.labels-model.txt").read_text()


@pytest.fixture
def carried(of_kind, answered):
    """Solve a study that carries its models; return it and rows that came later, by party."""

    def make(rows=("a", "b", "c"), n=(60, 50, 40), **learning):
        terms = {"holder": "lab", "target": "ill", "classes": ["mild", "none", "severe"]}
        # A rotation changes coordinates by rounding errors, and a forest by more.
        more = {
            "learning": {**terms, "answer": "model", **learning},
            "reduction": {"rotate": False},
        }
        case = of_kind("classes", rows=rows, columns=("lab",), n=n, **more)
        later = {}
        for k, party in enumerate(case.parties):
            table = case.tables[party]
            kinds = ["none", "mild"] if k < 2 else ["severe", "mild"]
            table["ill"] = np.where(table.age + table["pressure (mmHg)"] / 5 > 90, *kinds)
            case.tables[party], later[party] = table.iloc[12:], table.iloc[:12]
            later[party].drop(columns="ill").to_csv(case.folder / f"{party[0]}.new", index=False)
        case.save_tables()
        answered(case)
        return case, later

    return make


ESTIMATORS = {
    "ridge": Ridge(),
    "logistic": LogisticRegression(max_iter=1000),
    "forest": RandomForestClassifier(),
}


@pytest.mark.parametrize("threshold", [None, 0.5], ids=["one model", "groups"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_new_rows_get_the_classes_the_estimator_predicts(cli, carried, name, threshold):
    case, later = carried(estimator=name, **({} if threshold is None else {"threshold": threshold}))
    rows = {p[0]: case.participant(p).read_rows(case.source(p)) for p in case.parties}
    X, y = (
        np.vstack([r.matrix for r in rows.values()]),
        [t for r in rows.values() for t in r.target],
    )
    parties = np.repeat(list(rows), [len(r.matrix) for r in rows.values()])
    schema = case.study.schema_of("lab")
    n_anchor = default_n_anchor(case.study.n_features)
    settings = {
        "n_components": case.study.of(Classes).n_components(case.study, "lab"),
        "scaling": "bounds",
        "bounds": schema.bounds,
        "rounding": None,
        "anchor": draw_anchor("gaussian", case.column_keys["lab"], *schema.bounds, n_anchor),
        "random_state": 0,
    }
    model = CollaborationClassifier(ESTIMATORS[name], **settings)
    if threshold is not None:
        model = ClusteredCollaborationClassifier(ESTIMATORS[name], threshold, **settings)
    model.fit(X, y, parties=parties)
    for party, table in later.items():
        said, told = label(cli, case, party, "--new-data", case.folder / f"{party[0]}.new")
        assert "by the analyst's model" in said
        new = schema.encode(table.drop(columns=[ID, "ill"])).matrix
        expected = model.predict(new, parties=[party[0]] * len(new))
        assert told.prediction.tolist() == expected.tolist()


def test_the_network_of_a_group_is_carried(cli, carried):
    case, later = carried(rows=("a",), n=(80,), estimator="network", threshold="gap")
    _, told = label(cli, case, "a/lab", "--new-data", case.folder / "a.new")
    assert (told.prediction.to_numpy() == later["a/lab"]["ill"].to_numpy()).mean() > 0.7


def test_an_institution_of_one_class_is_told_that_class(cli, carried, answered):
    case, _ = carried(threshold=0.0)
    case.tables["a/lab"] = case.tables["a/lab"].assign(ill="severe")
    case.save_tables()
    answered(case)
    _, told = label(cli, case, "a/lab", "--new-data", case.folder / "a.new")
    assert set(told.prediction) == {"severe"}


def test_a_model_that_is_not_of_this_study_or_contribution_is_refused(cli, carried):
    case, _ = carried()
    answer = case.letter("a/lab", case.answer("a/lab")).message
    d = len(answer.offset)
    steep = Ridge().fit(np.zeros((2, d)), np.zeros((2, 3)))
    steep.coef_ = np.full((3, d), 1e300)
    steep = freeze(Model(steep, None, np.zeros(3)), np.zeros((1, d)))
    two = freeze(Model(None, None, np.array([0.0, 1.0])), np.ones((1, 1)))
    for change, reason in (
        ({"model": two}, "2 classes"),
        ({"linear": answer.linear[:, :1], "offset": answer.offset[:1]}, "its map leads to 1"),
        ({"model": answer.model[:-9]}, "cut off"),
        ({"linear": answer.linear * 1e300, "model": steep}, "no finite scores"),
    ):
        case.send(dataclasses.replace(answer, **change), case.answer("a/lab"))
        result = cli(*case.label_command("a/lab", "--new-data", case.folder / "a.new"))
        assert (result.code, reason in result.err) == (2, True)
    case.send(answer, case.answer("a/lab"))
    case.tables["a/lab"] = case.tables["a/lab"].iloc[1:]
    case.save_tables()
    case.contribute("a/lab")
    result = cli(*case.label_command("a/lab", "--new-data", case.folder / "a.new"))
    assert "answers contribution 1 of your 2" in result.err
    assert result.code == 0, "both were made with one reduction"


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"columns": ("lab", "life")}, "learning.answer == 'model' needs one column group"),
        ({"columns": ("lab",), "answer": "model"}, "answer == 'model' is about clusters"),
    ],
)
def test_models_that_cannot_be_carried_are_refused_before_any_work(new_case, terms, reason):
    learning = {"holder": "lab", "target": "ill", "classes": ["no", "yes"], "answer": "model"}
    with pytest.raises(StudyError, match=reason):
        new_case(learning=learning, **terms)


def in_parts(monkeypatch):
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(parts, "LARGE_BYTES", 0)


def test_what_leaves_of_a_table_in_parts_is_the_same_byte_by_byte(of_kind, monkeypatch):
    case = of_kind("classes")
    case.terms["reduction"] = {"rotate": False}  # a rotation is drawn at random
    case.write()
    case.tables["a/lab"].loc[case.tables["a/lab"].index[:4], "ill"] = None
    case.save_tables()
    whole = case.leaving("a/lab")
    in_parts(monkeypatch)
    streamed = case.leaving("a/lab")
    assert streamed.shown == whole.shown
    assert streamed.notes == whole.notes
    [one], [other] = whole.letters, streamed.letters
    assert other.message.targets.any(axis=1).sum() == len(other.message.targets) - 4
    assert not other.message.targets.flags.writeable, "they lie in a file"
    manifests = [manifest_of(letter.message, case.study, "") for letter in (one, other)]
    assert manifests[0] == manifests[1]


def test_predictions_for_a_table_in_parts_are_the_same_file(learnt, monkeypatch):
    case = learnt("no", lambda table: table.iloc[5:])
    in_parts(monkeypatch)
    case.tables["a/lab"].iloc[3:].to_csv(case.data("a/lab"), index=False)
    whole, streamed = case.read("a/lab"), case.read("a/lab", as_lines=True)
    assert isinstance(streamed.table, LabelledLines)
    text = b"".join(table_pieces(streamed.table, case.data("a/lab")))
    assert text == b"".join(table_pieces(whole.table, case.data("a/lab")))
    assert (streamed.said, list(streamed.notes)) == (whole.said, list(whole.notes))


def test_a_table_that_is_explained_is_read_at_once(learnt, monkeypatch):
    case = learnt("column")
    in_parts(monkeypatch)
    assert isinstance(case.read("a/lab", as_lines=True).table, pd.DataFrame)
