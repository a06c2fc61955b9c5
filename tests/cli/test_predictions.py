"""A study that learns, carried by files from tables to predictions and a readable model."""

import dataclasses
import hashlib
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from typer.testing import CliRunner

from consilience import ClusteredCollaborationClassifier, CollaborationClassifier
from consilience.cli.app import app
from consilience.collaboration.anchors import default_n_anchor, draw_anchor
from consilience.collaboration.learning.model import Model
from consilience.collaboration.learning.portable import freeze
from consilience.collaboration.learning.terms import Classes
from consilience.exceptions import StudyError, TableError
from consilience.transports.bundle import read_bundle

STUDY = """
format = 1
name = "who falls ill"
[grid]
rows = ["north", "south"]
columns = ["clinic", "survey"]
[learning]
holder = "clinic"
target = "ill"
classes = ["no", "yes"]
explain = "{explain}"
[reduction.n_components]
clinic = 2
survey = 2
[anchor]
kind = "uniform"
n_rows = 1000
[schema.clinic]
age = {{ kind = "numeric", bounds = [0, 100] }}
pressure = {{ kind = "numeric", bounds = [50, 250] }}
pulse = {{ kind = "numeric", bounds = [0, 1000] }}
[schema.survey]
smokes = {{ kind = "numeric", bounds = [0, 40] }}
walks = {{ kind = "numeric", bounds = [0, 20] }}
swims = {{ kind = "numeric", bounds = [0, 1000] }}
"""
PARTIES = [f"{row}/{column}" for row in ("north", "south") for column in ("clinic", "survey")]


def _run(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return " ".join(result.output.split())


@pytest.fixture
def study(tmp_path):
    """Write the tables and the keys of four parties and the analyst."""

    def make(explain):
        rng = np.random.default_rng(0)
        path = tmp_path / "study.toml"
        path.write_text(STUDY.format(explain=explain))
        for k, row in enumerate(("north", "south")):
            n = 120
            frame = pd.DataFrame(
                {
                    "id": [f"{row}-{i}" for i in range(n)],
                    "age": rng.uniform(0, 100, n),
                    "pressure": rng.uniform(50, 250, n),
                    "smokes": rng.uniform(0, 40, n),
                    "walks": rng.uniform(0, 20, n),
                    "pulse": rng.uniform(70, 80, n),
                    "swims": rng.uniform(0, 10, n),
                }
            )
            risk = frame.age / 100 + frame.smokes / 40
            frame["truth"] = np.where(risk > 1, "yes", "no")
            frame["ill"] = frame.truth.where(frame.index < 100)
            frame[["id", "truth"]].to_csv(tmp_path / f"{row}.truth.csv", index=False)
            clinic = frame[["id", "age", "pressure", "pulse", "ill"]]
            clinic.to_csv(tmp_path / f"{row}.clinic.csv", index=False)
            survey = frame[["id", "smokes", "walks", "swims"]].sample(frac=1, random_state=k)
            survey.to_csv(tmp_path / f"{row}.survey.csv", index=False)
        return path

    return make


def _keys(path):
    from consilience.study.secrets import PrivateFolder

    for party in PARTIES:
        row, _, column = party.partition("/")
        folder = PrivateFolder(path.parent / "private" / party.replace("/", "."))
        folder.write_key("column", column.encode().ljust(32, b"c"))
        folder.write_key("row", row.encode().ljust(32, b"r"))
    for name in [*PARTIES, "analyst"]:
        _run("keygen", "--name", name, "--study", path)


def _contribute(path, party):
    table = path.parent / f"{party.replace('/', '.')}.csv"
    out = path.parent / "sent"
    return _run(
        *("contribute", path, "--as", party, "--data", table, "--id", "id", "--yes", "--out", out)
    )


def _label(path, party, *more):
    table = path.parent / f"{party.replace('/', '.')}.csv"
    answer = path.parent / "answers" / f"{party.replace('/', '.')}.answer"
    arguments = ("--as", party, "--data", table, "--id", "id", "--out", path.parent / "out.csv")
    output = _run("label", path, answer, *arguments, *more)
    return output, pd.read_csv(path.parent / "out.csv")


def _solve(path):
    for party in PARTIES:
        _contribute(path, party)
    sent = sorted((path.parent / "sent").glob("*.contribution"))
    return _run("analyse", path, *sent, "--out", path.parent / "answers")


def test_classes_are_predicted_and_explained_in_own_columns(study):
    path = study("column")
    _keys(path)
    assert "the analyst learns them" in _contribute(path, "north/clinic")
    assert "the analyst learns them" not in _contribute(path, "north/survey")
    assert "ridge learnt from 200 rows" in _solve(path)
    output, table = _label(path, "south/survey")
    truth = pd.read_csv(path.parent / "south.truth.csv").set_index("id").truth
    assert (table.prediction.to_numpy() == truth[table.id].to_numpy()).mean() > 0.9
    assert ": your readable model; it agrees" in output
    text = (path.parent / "out-model.txt").read_text()
    assert "features of south/survey alone" in text
    assert "Most important features: smokes" in text
    assert "age" not in text.replace("average", "")
    assert (path.parent / "out-model.png").read_bytes().startswith(b"\x89PNG")


def test_the_report_of_a_party_shows_its_readable_model(study):
    path = study("column")
    _keys(path)
    _solve(path)
    page = path.parent / "report.html"
    _label(path, "north/clinic", "--report", page)
    text = page.read_text()
    assert "A model you can read" in text
    assert "in the features of north/clinic alone" in text
    assert "right on your own rows of known class" in text
    assert "data:image/svg+xml" in text
    assert "north-17" not in text


def test_the_readable_tree_has_as_many_branches_as_its_reader_wants(study):
    path = study("column")
    _keys(path)
    _solve(path)
    _label(path, "north/clinic", "--splits", 1)
    assert (path.parent / "out-model.txt").read_text().count("class:") == 2
    _label(path, "north/clinic", "--splits", 7, "--report", path.parent / "page.html")
    assert (path.parent / "out-model.txt").read_text().count("class:") > 6
    assert (path.parent / "page.html").read_text().count("class:") > 6


def test_new_rows_are_predicted_by_the_readable_model(study):
    path = study("column")
    _keys(path)
    _solve(path)
    new = path.parent / "new.csv"
    frame = {"id": ["p", "q"], "age": [5.0, 95.0], "pressure": [150.0, 150.0], "pulse": [75, 75]}
    pd.DataFrame(frame).to_csv(new, index=False)
    output, table = _label(path, "north/clinic", "--new-data", new)
    assert "by your readable model" in output
    assert table.prediction.tolist() == ["no", "yes"]


def test_with_all_keys_it_explains_in_all_features(study):
    path = study("all")
    _keys(path)
    with pytest.raises(StudyError, match=r"column-survey\.key is missing"):
        _contribute(path, "north/clinic")
    private = path.parent / "private"
    for party in PARTIES:
        row, _, column = party.partition("/")
        other = "survey" if column == "clinic" else "clinic"
        shutil.copy(
            private / f"{row}.{other}" / "column.key",
            private / f"{row}.{column}" / f"column-{other}.key",
        )
    _solve(path)
    _label(path, "north/clinic")
    text = (path.parent / "out-model.txt").read_text()
    assert "in all features of the study" in text
    top = text.splitlines()[2]
    assert "age" in top
    assert "smokes" in top


def test_without_explanation_new_rows_have_no_model(study):
    path = study("no")
    _keys(path)
    _solve(path)
    _, table = _label(path, "north/survey")
    assert set(table.prediction) == {"no", "yes"}
    assert not (path.parent / "out-model.txt").exists()
    with pytest.raises(StudyError, match="asks for no readable model"):
        _label(path, "north/survey", "--new-data", path.parent / "north.survey.csv")


def test_groups_of_institutions_learn_their_own_models(study):
    path = study("column")
    text = path.read_text().replace('explain = "column"', 'explain = "column"\nthreshold = 0.0')
    path.write_text(text)
    _keys(path)
    assert "ridge learnt from 200 rows in 2 groups" in _solve(path)
    _, table = _label(path, "north/clinic")
    truth = pd.read_csv(path.parent / "north.truth.csv").set_index("id").truth
    assert (table.prediction.to_numpy() == truth[table.id].to_numpy()).mean() > 0.85


def _agree_on_public_rows(path, table):
    """Put a file of public rows beside the study, and its digest and the common key in place."""
    from consilience.study.secrets import PrivateFolder

    public = path.parent / "public.csv"
    table.to_csv(public, index=False)
    digest = hashlib.sha256(public.read_bytes()).hexdigest()
    terms = f'kind = "smote"\npublic = "public.csv"\npublic_sha256 = "{digest}"'
    path.write_text(path.read_text().replace('kind = "uniform"', terms))
    for party in PARTIES:
        folder = PrivateFolder(path.parent / "private" / party.replace("/", "."))
        folder.write_key("common", b"m" * 32)


def _public_table(seed=9):
    rng = np.random.default_rng(seed)
    low = {"age": 0, "pressure": 50, "pulse": 70, "smokes": 0, "walks": 0, "swims": 0}
    high = {"age": 100, "pressure": 250, "pulse": 80, "smokes": 40, "walks": 20, "swims": 10}
    return pd.DataFrame({name: rng.uniform(low[name], high[name], 60) for name in low})


def test_public_rows_make_an_explanation_in_all_features(study):
    path = study("all")
    _agree_on_public_rows(path, _public_table())
    _keys(path)
    _solve(path)
    output, _ = _label(path, "south/survey")
    assert ": your readable model; it agrees" in output
    text = (path.parent / "out-model.txt").read_text()
    assert "in all features of the study" in text
    assert {"age", "smokes"} <= set(text.splitlines()[2].split(": ")[1].split(", "))
    (path.parent / "public.csv").write_text("age\n1\n")
    with pytest.raises(StudyError, match="is not the file of public rows that was agreed"):
        _contribute(path, "north/clinic")


def test_public_rows_that_are_private_are_refused(study):
    path = study("all")
    clinic, survey = (
        pd.read_csv(path.parent / f"north.{g}.csv").set_index("id") for g in ("clinic", "survey")
    )
    own = clinic.drop(columns="ill").join(survey).head(60)
    _agree_on_public_rows(path, own)
    _keys(path)
    with pytest.raises(StudyError, match="publishing them leaks"):
        _contribute(path, "north/clinic")
    assert "wrote" in _contribute(path, "south/clinic")


def test_more_neighbours_than_public_rows_are_refused(study):
    path = study("all")
    _agree_on_public_rows(path, _public_table())
    path.write_text(path.read_text().replace('kind = "smote"', 'kind = "smote"\nn_neighbors = 60'))
    _keys(path)
    with pytest.raises(StudyError, match="n_neighbors == 60, must be between 1 and 59"):
        _contribute(path, "north/clinic")


@pytest.mark.parametrize("rule", ["refuse", "drop", "fill"])
def test_public_rows_with_missing_values_are_refused(study, rule):
    path = study("all")
    table = _public_table()
    table.loc[3, "walks"] = np.nan
    path.write_text(path.read_text().replace("[0, 20] }", f'[0, 20], missing = "{rule}" }}'))
    _agree_on_public_rows(path, table)
    _keys(path)
    with pytest.raises(TableError, match=r"1 of the 60 public rows in public\.csv have"):
        _contribute(path, "north/clinic")


def test_values_in_the_place_of_classes_are_refused_without_showing_them(study):
    path = study("no")
    _keys(path)
    table = path.parent / "north.clinic.csv"
    frame = pd.read_csv(table)
    frame["ill"] = np.linspace(0.125, 9.875, len(frame))
    frame.to_csv(table, index=False)
    with pytest.raises(ValueError, match="120 rows have a class that is not among") as refused:
        _contribute(path, "north/clinic")
    assert "9.875" not in str(refused.value)
    assert not (path.parent / "sent").exists()


def test_one_class_makes_a_constant_model_that_says_so(study):
    path = study("column")
    for row in ("north", "south"):
        table = path.parent / f"{row}.clinic.csv"
        pd.read_csv(table).assign(ill="no").to_csv(table, index=False)
    _keys(path)
    _solve(path)
    _, table = _label(path, "north/clinic")
    assert set(table.prediction) == {"no"}
    assert "always no" in (path.parent / "out-model.txt").read_text()


def test_a_holder_without_classes_is_refused(study):
    path = study("no")
    _keys(path)
    table = path.parent / "north.clinic.csv"
    pd.read_csv(table).drop(columns="ill").to_csv(table, index=False)
    with pytest.raises(StudyError, match="has no column 'ill'"):
        _contribute(path, "north/clinic")


ID = "patient id"


@pytest.fixture
def carried(cli, new_case):
    """Solve a study that carries its models; return it and rows that came later, by party."""

    def make(rows=("a", "b", "c"), n=(60, 50, 40), **learning):
        terms = {"holder": "lab", "target": "ill", "classes": ["mild", "none", "severe"]}
        terms |= {"answer": "model", **learning}
        # A rotation changes coordinates by rounding errors, and a forest by more.
        terms = {"learning": terms, "reduction": {"rotate": False}}
        case = new_case(rows=rows, columns=("lab",), n=n, **terms)
        later = {}
        for k, party in enumerate(case.parties):
            table = case.tables[party]
            kinds = ["none", "mild"] if k < 2 else ["severe", "mild"]
            table["ill"] = np.where(table.age + table["pressure (mmHg)"] / 5 > 90, *kinds)
            case.tables[party], later[party] = table.iloc[12:], table.iloc[:12]
            later[party].drop(columns="ill").to_csv(case.folder / f"{party[0]}.new", index=False)
        case.save_tables()
        case.contribute()
        result = cli(*case.analyse_command())
        assert result.code == 0, result.err
        return case, later

    return make


def _fit(case, estimator):
    """Fit the estimator of the library to what the parties contributed, with their anchor."""
    study = case.study
    schema = study.schema_of("lab")
    settings = {
        "n_components": study.of(Classes).n_components(study, "lab"),
        "scaling": "bounds",
        "bounds": schema.bounds,
        "anchor": draw_anchor(
            "gaussian", case.column_keys["lab"], *schema.bounds, default_n_anchor(study.n_features)
        ),
        "random_state": 0,
    }
    rows = {party: case.participant(party).read_rows(case.source(party)) for party in case.parties}
    X = np.vstack([r.matrix for r in rows.values()])
    y = np.concatenate([r.target for r in rows.values()]).astype(str)
    parties = np.repeat([p[0] for p in rows], [len(r.matrix) for r in rows.values()])
    if study.of(Classes).learning.threshold is None:
        return CollaborationClassifier(estimator, **settings).fit(X, y, parties=parties)
    model = ClusteredCollaborationClassifier(
        estimator, study.of(Classes).learning.threshold, **settings
    )
    return model.fit(X, y, parties=parties)


ESTIMATORS = {
    "ridge": Ridge(),
    "logistic": LogisticRegression(max_iter=1000),
    "forest": RandomForestClassifier(),
}


@pytest.mark.parametrize("threshold", [None, 0.5], ids=["one model", "groups"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_new_rows_get_the_classes_the_estimator_predicts(cli, carried, name, threshold):
    terms = {} if threshold is None else {"threshold": threshold}
    case, later = carried(estimator=name, **terms)
    model = _fit(case, ESTIMATORS[name])
    if threshold is not None:
        assert model.groups_ == {"a": 0, "b": 0, "c": 1}
    for party, table in later.items():
        result = cli(*case.label_command(party, "--new-data", case.folder / f"{party[0]}.new"))
        assert result.code == 0, result.err
        assert "by the analyst's model" in result.out
        told = pd.read_csv(case.folder / f"{party.replace('/', '.')}.labels.csv").set_index(ID)
        X = case.study.schema_of("lab").encode(table.drop(columns=[ID, "ill"])).matrix
        expected = model.predict(X, parties=[party[0]] * len(X))
        assert told.prediction.to_dict() == dict(zip(table[ID], expected, strict=True))


def test_the_network_of_a_group_is_carried(cli, carried):
    case, later = carried(rows=("a",), n=(80,), estimator="network", threshold="gap")
    result = cli(*case.label_command("a/lab", "--new-data", case.folder / "a.new"))
    assert result.code == 0, result.err
    told = pd.read_csv(case.folder / "a.lab.labels.csv").prediction
    assert (told.to_numpy() == later["a/lab"]["ill"].to_numpy()).mean() > 0.7


def test_a_model_of_an_earlier_contribution_is_refused(cli, carried):
    case, _ = carried()
    case.tables["a/lab"] = case.tables["a/lab"].iloc[1:]
    case.save_tables()
    case.contribute("a/lab")
    result = cli(*case.label_command("a/lab", "--new-data", case.folder / "a.new"))
    assert result.code == 2
    assert "was kept for another contribution than the one that is answered" in result.err


def test_classes_that_group_nobody_are_refused(cli, carried):
    case, _ = carried(threshold=0.5)
    table = case.tables["a/lab"]
    case.tables["a/lab"] = table.assign(ill="perhaps")
    case.save_tables()
    with pytest.raises(TableError, match="48 rows have a class that is not among the 3 classes"):
        case.contribute("a/lab")
    case.tables["a/lab"] = table.assign(ill=None)
    case.save_tables()
    case.contribute("a/lab")
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "'a' sent no labels, so its label mix is not known" in " ".join(result.err.split())


def test_an_institution_of_one_class_is_told_that_class(cli, carried):
    case, _ = carried(threshold=0.0)
    case.tables["a/lab"] = case.tables["a/lab"].assign(ill="severe")
    case.save_tables()
    case.contribute("a/lab")
    assert cli(*case.analyse_command()).code == 0
    assert cli(*case.label_command("a/lab", "--new-data", case.folder / "a.new")).code == 0
    assert set(pd.read_csv(case.folder / "a.lab.labels.csv").prediction) == {"severe"}


def test_dimensions_the_study_did_not_agree_on_are_refused(cli, carried):
    case, _ = carried()
    sent, _ = read_bundle(case.sent("a/lab"), study=case.study, identity=case.identities["analyst"])
    narrow = {name: getattr(sent, name)[:, :1] for name in ("representation", "anchor")}
    case.send(dataclasses.replace(sent, **narrow), case.sent("a/lab"))
    result = cli(*case.analyse_command())
    assert result.code == 2
    assert "a/lab sent 1 dimensions, but the study says" in " ".join(result.err.split())


def test_show_says_what_a_model_tells(cli, carried):
    case, _ = carried(estimator="forest")
    shown = cli("show", case.path, case.answer("a/lab"), "--as", "a/lab").out
    assert "model" in shown
    assert "ask it at home" in " ".join(shown.split())
    page = case.folder / "a.html"
    assert cli(*case.label_command("a/lab", "--report", page)).code == 0
    assert "Your answer carries the analyst&#39;s model" in page.read_text()
    assert "it can predict new rows at home" in page.read_text()


def _steep(answer):
    """Return a model that leaves the range of numbers away from the origin."""
    d = len(answer.offset)
    line = Ridge().fit(np.zeros((2, d)), np.zeros((2, 3)))
    line.coef_ = np.full((3, d), 1e300)
    return freeze(Model(line, None, np.zeros(3)), np.zeros((1, d)))


def test_a_model_of_another_study_is_refused(cli, carried):
    case, _ = carried()
    path, identity = case.answer("a/lab"), case.identities["a/lab"]
    answer, _ = read_bundle(path, study=case.study, identity=identity)
    for change, reason in (
        ({"model": freeze(Model(None, None, np.array([0.0, 1.0])), np.ones((1, 1)))}, "2 classes"),
        ({"linear": answer.linear[:, :1], "offset": answer.offset[:1]}, "its map leads to 1"),
        ({"model": answer.model[:-9]}, "cut off"),
        ({"linear": answer.linear * 1e300, "model": _steep(answer)}, "no finite scores"),
    ):
        case.send(dataclasses.replace(answer, **change), path)
        result = cli(*case.label_command("a/lab", "--new-data", case.folder / "a.new"))
        assert result.code == 2
        assert reason in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"estimator": "xgboost"}, "Those that can: ridge, logistic, forest, network"),
        ({"columns": ("lab", "life")}, "learning.answer == 'model' needs one column group"),
        ({"answer": "model"}, "answer == 'model' is about clusters"),
    ],
)
def test_models_that_cannot_be_carried_are_refused_before_any_work(new_case, terms, reason):
    learning = {"holder": "lab", "target": "ill", "classes": ["no", "yes"], "answer": "model"}
    learning |= {k: v for k, v in terms.items() if k == "estimator"}
    others = {k: v for k, v in terms.items() if k != "estimator"}
    with pytest.raises(StudyError, match=reason):
        new_case(**{"columns": ("lab",), "learning": learning, **others})
