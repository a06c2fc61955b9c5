import os
import sqlite3
import stat
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from conftest import run
from consilience.collaboration.terms import Clusters
from consilience.study.method import KINDS
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

TABLE = "who,age,ward\nP1,23,north\nP2,61,None\nP3,44,süd\n"
OTHER = "who,steps,sleep\nP1,100,7.5\nP2,9000,NA\n"


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "lab.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "life.csv").write_text(OTHER, encoding="utf-8")
    return tmp_path


def command(folder, **changes):
    options = {
        "rows": "a,b",
        "columns": "lab,life",
        "from-csv": f"lab={folder / 'lab.csv'},life={folder / 'life.csv'}",
        "id": "who",
        "out": folder / "out",
        **changes,
    }
    return ["init", "--with-keys", *(part for k, v in options.items() for part in (f"--{k}", v))]


def test_draft_is_a_study_and_keys_are_shared_by_rows_and_columns(cli, tables):
    result = cli(*command(tables, clusters="3", name='"quoted" \\ [name]'))
    assert result.code == 0, result.err
    study = Study.load(tables / "out" / "study.toml")
    assert study.name == '"quoted" \\ [name]'
    assert study.of(Clusters).clustering.n_clusters == 3
    assert study.schemas["lab"]["age"].bounds == (20, 70)
    assert study.schemas["lab"]["ward"].categories == ("None", "north", "süd")
    assert study.schemas["life"]["sleep"].kind == "numeric"
    assert "what is publicly known" in result.err
    secrets = {
        party: PrivateFolder(tables / "out" / "private" / party.replace("/", "."))
        for party in study.grid.parties
    }
    for party, folder in secrets.items():
        row, column = party.split("/")
        for other, theirs in secrets.items():
            same_row, same_column = other.split("/")[0] == row, other.split("/")[1] == column
            assert (folder.read_key("row") == theirs.read_key("row")) == same_row
            assert (folder.read_key("column") == theirs.read_key("column")) == same_column
        assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
        for path in folder.path.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert path.read_text().splitlines()[1] not in result.out + result.err
    assert not any(v in (tables / "out" / "study.toml").read_text() for v in ("P1", "61", "7.5"))


def test_without_being_asked_it_draws_no_secret(cli, tables):
    words = [word for word in command(tables) if word != "--with-keys"]
    for _ in range(2):
        result = cli(*words)
        assert result.code == 0, result.err
        assert not (tables / "out" / "private").exists()
    assert Study.load(tables / "out" / "study.toml").grid.parties


def test_paper_mode_is_one_switch_away(cli, tables):
    assert cli(*command(tables)).code == 0
    assert cli(*command(tables, out=tables / "paper"), "--paper").code == 0
    usual, paper = (Study.load(tables / out / "study.toml") for out in ("out", "paper"))
    found = [
        (
            study.method.n_components(study, "lab"),
            study.method.anchor.kind,
            study.method.reduction.rotate,
            study.method.reduction.scaling,
        )
        for study in (usual, paper)
    ]
    assert found == [(1, "gaussian", True, "spread"), (3, "uniform", False, "none")]
    peers = {"for": "peers", "rows": "a", "out": tables / "peers"}
    refused = cli(*command(tables, **peers), "--paper")
    assert (refused.code, "not for peers" in refused.err) == (2, True)


def test_study_and_secrets_are_never_overwritten(cli, tables):
    assert cli(*command(tables)).code == 0
    before = {p: p.read_bytes() for p in (tables / "out").rglob("*") if p.is_file()}
    assert cli(*command(tables)).code == 0  # the same again changes nothing
    assert {p: p.read_bytes() for p in (tables / "out").rglob("*") if p.is_file()} == before
    result = cli(*command(tables, clusters="7"))
    assert (result.code, "never overwritten" in result.err) == (2, True)
    assert {p: p.read_bytes() for p in (tables / "out").rglob("*") if p.is_file()} == before


def shared_as_agreed(out):
    """See that every party has its keys, and shares each with whom it should."""
    folders = {p.name: PrivateFolder(p) for p in (out / "private").iterdir()}
    assert sorted(folders) == ["a.lab", "a.life", "b.lab", "b.life"]
    for kind, part in {"row": 0, "column": 1}.items():
        keys = {(name.split(".")[part], folder.read_key(kind)) for name, folder in folders.items()}
        assert len(keys) == len(dict(keys)) == 2


@pytest.mark.parametrize("step", range(0, 30, 3))
def test_killed_at_any_step_it_goes_on_with_the_keys_it_drew(cli, tables, dying, step):
    dying(step, *command(tables))
    drawn = {p: p.read_bytes() for p in (tables / "out").glob("private/*/*.key")}
    result = cli(*command(tables))
    assert result.code == 0, result.err
    assert all(path.read_bytes() == key for path, key in drawn.items())
    shared_as_agreed(tables / "out")
    hidden = [p.name for p in (tables / "out").glob(".*") if not p.name.endswith(".lock")]
    assert not [name for name in hidden if name.endswith(".draft")]


def test_twice_at_once_is_once(tables):
    running = []
    for _ in range(4):
        child = os.fork()
        if not child:
            os._exit(run(*command(tables)).code)
        running.append(child)
    assert {os.waitpid(child, 0)[1] for child in running} == {0}
    shared_as_agreed(tables / "out")


def test_one_key_that_is_there_keeps_all_others_from_being_written(cli, tables):
    kept = tables / "out" / "private" / "b.life"
    PrivateFolder(kept).write_key("row", bytes(32))
    result = cli(*command(tables))
    assert (result.code, "row.key exists; secrets are never overwritten" in result.err) == (2, True)
    assert [p for p in (tables / "out").rglob("*") if p.is_file()] == [kept / "row.key"]


BAD = {
    "no table": ({"from-csv": "lab=lab.csv"}, "must name one table for each of"),
    "no such file": ({"from-csv": "lab=nowhere.csv,life=x.csv"}, "nowhere.csv"),
    "id column": ({"id": "patient"}, "no column 'patient'"),
    "names": ({"rows": "A B,c"}, "grid.rows"),
    "rows twice": ({"rows": "a,a"}, "must not repeat"),
    "clusters": ({"clusters": "some"}, "clustering.n_clusters"),
    "clusters as a power": ({"clusters": "²"}, "clustering.n_clusters"),
}


@pytest.mark.parametrize(("changes", "reason"), BAD.values(), ids=BAD)
def test_bad_requests_are_refused_and_nothing_is_written(cli, tables, changes, reason):
    result = cli(*command(tables, **changes))
    assert result.code in (1, 2)
    assert reason in result.err
    assert not (tables / "out").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("who,age\nP1,inf\nP2,1\n", "no finite bounds"),
        ("who,age\nP1,\nP2,\n", "is empty"),
        ("who,age\n", "is empty"),
        ("", "lab.csv is empty"),
        ("who,note\n" + "".join(f"P{k},text {k}\n" for k in range(40)), "40 different texts"),
        ("who,note\nP1,same\nP2,same\n", "1 different texts"),
        ("who,age\nP1,1,2\nP2,1,2\n", "2 lines have more cells"),
    ],
)
def test_example_tables_that_make_no_schema_are_refused(cli, tables, text, reason):
    (tables / "lab.csv").write_text(text, encoding="utf-8")
    result = cli(*command(tables))
    assert (result.code, reason in result.err) == (2, True), result.err
    assert "text 7" not in result.err
    assert not (tables / "out").exists()


DRAFTS = {
    "clusters": ({}, {"row.key", "column.key"}),
    "classes": ({"target": "ill"}, {"row.key", "column.key"}),
    "groups": ({"target": "ill"}, {"row.key"}),
    "peers": ({"rows": "a"}, {"row.key"}),
    "stream": ({"columns": "lab"}, set()),
    "summaries": ({"columns": "lab"}, set()),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_drafted_with_its_tag_and_the_keys_it_needs(cli, tables, kind):
    changes, kept = DRAFTS[kind]
    (tables / "lab.csv").write_text("who,age,bmi,ill\nP1,23,20,01\nP2,61,30,02\nP3,5,25,\n")
    if "columns" in changes:
        changes = {**changes, "from-csv": f"lab={tables / 'lab.csv'}"}
    result = cli(*command(tables, **changes, **{"for": kind}))
    assert result.code == 0, result.err
    study = Study.load(tables / "out" / "study.toml")
    assert (study.kind, study.method.kind) == (kind, kind)
    assert {p.name for p in (tables / "out").rglob("*.key")} == kept
    if "target" in changes:
        learning = study.method.learning
        assert (learning.holder, learning.classes) == ("lab", ("01", "02"))
        assert "ill" not in study.schemas["lab"]


def test_help_names_every_kind(cli):
    shown = " ".join(cli("init", "--help").out.replace("│", " ").split())
    assert all(kind in shown for kind in KINDS)


REFUSED = {
    "no such kind": ({"for": "pool"}, "must be one of clusters, classes, groups, peers, stream, s"),
    "no target": ({"for": "classes"}, "--for classes needs --target"),
    "no target of groups": ({"for": "groups"}, "--for groups needs --target"),
    "target alone": ({"target": "ward"}, "is for classes and groups and summaries, not for"),
    "nobody has the target": ({"for": "classes", "target": "ill"}, "0 of the example tables"),
    "explain": ({"for": "peers", "rows": "a", "explain": "all"}, "is for classes, not for peers"),
    "explain groups": ({"for": "groups", "target": "ward", "explain": "all"}, "not for groups"),
    "clusters of a stream": (
        {"for": "stream", "clusters": "3"},
        "for clusters and summaries, not for stream",
    ),
    "public rows of clusters": ({"public": "{lab}"}, "--public is for classes, not for clusters"),
    "peers hold the same rows": ({"for": "peers"}, "needs one row institution"),
    "a stream has one column group": ({"for": "stream"}, "needs one column group"),
}


@pytest.mark.parametrize(("changes", "reason"), REFUSED.values(), ids=REFUSED)
def test_terms_that_do_not_fit_the_kind_are_refused(cli, tables, changes, reason):
    given = {k: v.replace("{lab}", str(tables / "lab.csv")) for k, v in changes.items()}
    result = cli(*command(tables, **given))
    assert (result.code, reason in result.err) == (2, True), result.err
    assert not (tables / "out").exists()


def test_a_drafted_study_of_groups_ends_with_the_study_of_a_group(cli, tmp_path):
    for row, share in {"a": 0.2, "b": 0.25, "c": 0.8}.items():
        ill = np.where(np.arange(40) < 40 * share, "yes", "no")
        rng = np.random.default_rng(ord(row))
        table = pd.DataFrame(rng.normal(size=(40, 3)).round(3), columns=list("uvw"))
        table.assign(ill=ill, who=[f"{row}{k}" for k in range(40)]).to_csv(
            tmp_path / f"{row}.csv", index=False
        )
    grid = {"rows": "a,b,c", "columns": "lab", "from-csv": f"lab={tmp_path / 'a.csv'}"}
    assert cli(*command(tmp_path, **grid, **{"for": "groups"}, target="ill")).code == 0
    path, out = tmp_path / "out" / "study.toml", tmp_path / "out"
    text = path.read_text().replace(" }\n", ', outside = "clip" }\n')
    path.write_text(text.replace('threshold = "gap"', "threshold = 0.2"))
    for role in ("analyst", "a/lab", "b/lab", "c/lab"):
        assert cli("keygen", "--name", role, "--study", path).code == 0
    for row in "abc":
        own = ("--as", f"{row}/lab", "--data", tmp_path / f"{row}.csv", "--id", "who")
        said = cli("contribute", path, *own, "--out", out, "--yes")
        assert said.code == 0, said.err
    assert cli("analyse", path, *sorted(out.glob("*.contribution")), "--out", out).code == 0
    own = ("--as", "a/lab", "--data", tmp_path / "a.csv", "--id", "who")
    said = cli("label", path, out / "a.lab.answer", *own, "--out", out / "a.csv")
    assert said.code == 0, said.err
    group = Study.load(out / "a-study.toml")
    assert (group.kind, group.grid.rows) == ("classes", ("a", "b"))


@pytest.mark.parametrize("extra", [{"explain": "all"}, {"explain": "column", "public": "p.csv"}])
def test_a_drafted_study_of_classes_runs_to_the_end(cli, tmp_path, extra):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(150, 6)), columns=list("uvwxyz")).round(3)
    X["ill"] = np.where(X.u + X.x > 0, "yes", "no")
    X.insert(0, "who", [f"P{i}" for i in range(150)])
    X.iloc[100:, 1:7].to_csv(tmp_path / "p.csv", index=False)
    tables = {"lab": ["who", "u", "v", "w", "ill"], "life": ["who", "x", "y", "z"]}
    for row, rows in {"a": range(50), "b": range(50, 100)}.items():
        for column, names in tables.items():
            X.iloc[rows][names].to_csv(tmp_path / f"{row}.{column}.csv", index=False)
    if "public" in extra:
        extra = {**extra, "public": tmp_path / "p.csv"}
    example = {"from-csv": ",".join(f"{c}={tmp_path / f'a.{c}.csv'}" for c in tables)}
    said = cli(*command(tmp_path, **{"for": "classes"}, target="ill", **extra, **example))
    assert said.code == 0, said.err
    study, out = tmp_path / "out" / "study.toml", tmp_path / "out"
    widened = study.read_text().replace("bounds = [-3.0", "bounds = [-9.0")
    study.write_text(widened.replace(" }\n", ', outside = "clip" }\n').replace('"]}', '"] }'))
    roles = Study.load(study).grid.parties
    for role in ("analyst", *roles):
        assert cli("keygen", "--name", role, "--study", study).code == 0
    for role in roles:
        words = ("--data", tmp_path / f"{role.replace('/', '.')}.csv", "--id", "who", "--out", out)
        said = cli("contribute", study, "--as", role, *words, "--yes", "--override", "the board")
        assert said.code == 0, said.err
    sent = sorted(out.glob("*.contribution"))
    said = cli("analyse", study, *sent, "--out", out, "--report", out / "analyst.html")
    assert said.code == 0, said.err
    assert "right on rows held out" in (out / "analyst.html").read_text()
    for role in roles:
        name = role.replace("/", ".")
        words = ("--data", tmp_path / f"{name}.csv", "--id", "who", "--out", out / f"{name}.csv")
        said = cli("label", study, out / f"{name}.answer", "--as", role, *words)
        assert said.code == 0, said.err
    page = ("--as", "a/life", "--data", tmp_path / "a.life.csv", "--id", "who")
    said = cli("report", study, out / "a.life.answer", *page, "--out", out / "party.html")
    assert said.code == 0, said.err
    assert "A model you can read" in (out / "party.html").read_text()
    rules = (out / "a.life-model.txt").read_text()
    assert ("in all features of the study" in rules) == (extra["explain"] == "all")


ONE_TABLE = {"columns": "lab", "from-csv": "lab={lab}"}


@pytest.mark.parametrize(
    ("changes", "kind", "said"),
    [
        (ONE_TABLE, "summaries", "say --for clusters"),
        ({**ONE_TABLE, "clusters": "4"}, "summaries", "say --for clusters"),
        ({**ONE_TABLE, "target": "ward"}, "summaries", "or classes with a --target"),
        ({**ONE_TABLE, "clusters": "2-5"}, "clusters", "--for summaries lets no row leave"),
        ({**ONE_TABLE, "for": "clusters"}, "clusters", "next"),
        ({}, "clusters", "--for summaries lets no row leave"),
    ],
)
def test_where_nobody_names_a_kind_the_least_leaves(cli, tables, changes, kind, said):
    given = {k: v.replace("{lab}", str(tables / "lab.csv")) for k, v in changes.items()}
    result = cli(*command(tables, **given))
    assert result.code == 0, result.err
    study = Study.load(tables / "out" / "study.toml")
    assert study.kind == kind
    told = " ".join((result.out + result.err).split())
    assert said in told
    assert ("No record leaves the institution" in told) == (kind == "summaries")
    if "target" in changes:
        assert study.method.target_classes == ("None", "north", "süd")


def test_the_examples_are_checked_against_the_draft(cli, tables):
    result = cli(*command(tables))
    for group, rows in (("lab", 3), ("life", 2)):
        assert f"checked the example of {group}, {rows} rows: it fits the draft" in result.out


def test_what_is_refused_in_an_example_is_said_with_the_terms_that_help(cli, tables):
    (tables / "lab.csv").write_text(TABLE + "P3,50,north\n,51,north\n", encoding="utf-8")
    result = cli(*command(tables))
    assert result.code == 0, result.err
    assert "example of lab, 5 rows: 2 things in it are refused" in result.out
    said = " ".join(result.err.split())
    for terms in ('ids.empty = "drop"', 'ids.duplicates = "first"'):
        assert f"Or agree on {terms}." in said
    assert "P3" not in result.out + result.err


def test_examples_may_be_a_database_and_a_sheet(cli, tables):
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("openpyxl")
    lab = pd.read_csv(tables / "lab.csv", keep_default_na=False)
    with closing(sqlite3.connect(tables / "ward.db")) as connection, connection:
        lab.to_sql("patients", connection, index=False)
    (tables / "q.sql").write_text("SELECT * FROM patients;")
    with pd.ExcelWriter(tables / "life.xlsx") as book:
        lab.to_excel(book, sheet_name="other", index=False)
        pd.read_csv(tables / "life.csv").to_excel(book, sheet_name="March", index=False)
    places = f"lab=sqlite:///{tables / 'ward.db'},life={tables / 'life.xlsx'}"
    words = {"from-csv": places, "query": f"lab={tables / 'q.sql'}", "sheet": "life=March"}
    result = cli(*command(tables, **words))
    assert result.code == 0, result.err
    study = Study.load(tables / "out" / "study.toml")
    assert list(study.schemas["lab"]) == ["age", "ward"]
    assert list(study.schemas["life"]) == ["steps", "sleep"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"from-csv": "lab=sqlite:///no.db,life={life}"}, "name its query, --query lab=FILE"),
        ({"query": "lab={life}"}, "a query is for a database"),
        ({"from-csv": "lab=sqlite:///no.db,life={life}", "query": "lab=no.sql"}, "no file no.sql"),
        ({"sheet": "labs=March"}, "--sheet names ['labs']"),
        ({"sheet": "March"}, "must name something for each column group"),
        ({"from-csv": "lab=no.csv,life={life}"}, "name your table with --from"),
    ],
)
def test_examples_that_are_not_there_are_refused(cli, tables, changes, reason):
    life = tables / "life.csv"
    given = {name: text.format(life=life) for name, text in changes.items()}
    result = cli(*command(tables, **given))
    assert (result.code, reason in " ".join(result.err.split())) == (2, True)
    assert not (tables / "out").exists()
