"""Databases: a real PostgreSQL, SQLite, and what must never be said."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from consilience.exceptions import MissingExtraError, StudyError, TableError
from consilience.sources import database as module
from consilience.sources.database import check_address, read_database
from consilience.sources.source import Kinds, Source
from consilience.study.checking import check_table
from consilience.study.study import Study
from mariadb import run_mariadb
from postgres import PASSWORD, USER, run_postgres

pytest.importorskip("pyarrow")
pytest.importorskip("sqlalchemy")
OMOP = Path(__file__).parents[2] / "docs" / "examples" / "omop.sql"
N_PERSONS = 200


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    pytest.importorskip("psycopg")
    with run_postgres(tmp_path_factory.mktemp("postgres")) as database:
        fill(database)
        yield database


def fill(database):
    """Make the two tables of an OMOP model that the example reads."""
    rng = np.random.default_rng(0)
    persons, measurements = [], []
    concepts = {3004249: 130, 3012888: 80, 3038553: 27, 3004501: 100, 3016723: 1.0, 3004410: 6}
    for k in range(N_PERSONS):
        sex = (8507, 8532)[k % 2]
        persons.append(f"({k}, {1940 + k % 60}, {sex}, 'SECRET-{k:04d}')")
        for concept, middle in concepts.items():
            if concept == 3004410 and k % 10 == 0:
                continue  # not everybody has every measurement
            old, new = middle * rng.uniform(0.7, 1.3, 2)
            number = len(measurements)
            measurements.append(f"({number}, {k}, {concept}, '2020-01-01', {old:.2f})")
            measurements.append(f"({number + 1}, {k}, {concept}, '2021-01-01', {new:.2f})")
    database.run(
        "CREATE TABLE person (person_id int, year_of_birth int, gender_concept_id int, "
        "person_source_value text);"
        "CREATE TABLE measurement (measurement_id int, person_id int, measurement_concept_id int, "
        "measurement_date date, value_as_number numeric);"
        f"INSERT INTO person VALUES {', '.join(persons)};"
        f"INSERT INTO measurement VALUES {', '.join(measurements)};"
        f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {USER}"
    )


@pytest.fixture(params=["adbc", "sqlalchemy"])
def way(request, monkeypatch):
    if request.param == "adbc":
        pytest.importorskip("adbc_driver_postgresql")
    else:
        monkeypatch.setattr(module, "_has_adbc", lambda address: False)
    return request.param


@pytest.fixture
def login(monkeypatch):
    monkeypatch.setenv("CONSILIENCE_DB_USER", USER)
    monkeypatch.setenv("CONSILIENCE_DB_PASSWORD", PASSWORD)


STUDY = Study.from_text(
    """
name = "omop"
grid = {rows = ["north", "south"], columns = ["clinical"]}
[schema.clinical]
age = {kind = "numeric", bounds = [0, 120]}
sex = {kind = "categorical", categories = ["female", "male"]}
systolic = {kind = "numeric", bounds = [60, 250]}
diastolic = {kind = "numeric", bounds = [30, 150]}
bmi = {kind = "numeric", bounds = [10, 60]}
glucose = {kind = "numeric", bounds = [40, 500]}
creatinine = {kind = "numeric", bounds = [0.2, 10]}
hba1c = {kind = "numeric", bounds = [3, 20], missing = "fill"}
"""
)


def test_an_omop_model_becomes_the_table_of_a_study(postgres, login, way):
    checked = check_table(STUDY, "north/clinical", Source(postgres.address, "id", query=OMOP))
    assert [fault.what for fault in checked.faults] == ["20 missing values, filled as 11.5"]
    matrix = checked.accepted().matrix
    assert matrix.shape == (N_PERSONS, 9)
    assert matrix[:, 1].sum() == N_PERSONS / 2
    assert matrix[0, 0] == 2024 - 1940
    assert checked.shape == "six letters, dash, four digits (all of the ids)"
    assert way in checked.told.lower()


def test_both_ways_give_the_same_table(postgres, login, monkeypatch):
    pytest.importorskip("adbc_driver_postgresql")
    source = Source(postgres.address, "id", query=OMOP)
    kinds = Kinds(frozenset({"age", "bmi"}))
    one = read_database(source, kinds).table
    monkeypatch.setattr(module, "_has_adbc", lambda address: False)
    other = read_database(source, kinds).table
    pd.testing.assert_frame_equal(one, other, check_dtype=False)


def test_a_private_file_may_hold_the_credentials(postgres, tmp_path, way):
    file = tmp_path / "login.toml"
    file.write_text(f'user = "{USER}"\npassword = "{PASSWORD}"\n')
    file.chmod(0o600)
    source = Source(postgres.address, "id", query=OMOP, credentials=file)
    assert len(read_database(source, Kinds()).table) == N_PERSONS
    file.chmod(0o644)
    with pytest.raises(StudyError, match="can be read by others"):
        read_database(source, Kinds())
    file.write_text("user = ")
    file.chmod(0o600)
    with pytest.raises(TableError, match="is damaged"):
        read_database(source, Kinds())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM nowhere",
        "SELECT person_source_value::int AS id FROM person",
        "SELECT 1/0 AS id",
        "DROP TABLE person",
    ],
)
def test_what_fails_says_no_word_of_the_database(postgres, login, tmp_path, way, query):
    (tmp_path / "q.sql").write_text(query)
    with pytest.raises(TableError, match=r"q\.sql could not be run at the database") as caught:
        read_database(Source(postgres.address, "id", query=tmp_path / "q.sql"), Kinds())
    for secret in ("SECRET", PASSWORD, USER, postgres.address):
        assert secret not in str(caught.value)
    assert "SECRET" not in str(caught.value.__cause__)


def test_a_wrong_password_is_not_repeated(postgres, way, monkeypatch):
    monkeypatch.setenv("CONSILIENCE_DB_USER", USER)
    monkeypatch.setenv("CONSILIENCE_DB_PASSWORD", "wrong-and-secret")
    with pytest.raises(TableError) as caught:
        read_database(Source(postgres.address, "id", query=OMOP), Kinds())
    assert "wrong-and-secret" not in str(caught.value)


def test_a_query_may_hold_percents_colons_and_an_end(postgres, login, tmp_path, way):
    query = "SELECT person_source_value AS id, 'a:b' AS t FROM person\n"
    query += "WHERE person_source_value LIKE 'SECRET%' ORDER BY 1;\n"
    (tmp_path / "q.sql").write_text(query)
    table = read_database(Source(postgres.address, "id", query=tmp_path / "q.sql"), Kinds()).table
    assert len(table) == N_PERSONS
    assert set(table["t"]) == {"a:b"}


@pytest.fixture(scope="module")
def mariadb(tmp_path_factory):
    pytest.importorskip("pymysql")
    with run_mariadb(tmp_path_factory.mktemp("mariadb")) as (address, run):
        run(
            "CREATE TABLE ward.patients (id varchar(9), age int, dose decimal(6,2), seen date, "
            "smokes boolean, note text)",
            "INSERT INTO ward.patients VALUES "
            + ", ".join(
                f"('P{k:04d}', {20 + k % 60}, {k / 4}, '2023-05-{1 + k % 28:02d}', {k % 2}, "
                f"{'NULL' if k % 7 else repr('süd')})"
                for k in range(500)
            ),
        )
        yield address


def test_mariadb_is_read_in_pieces_with_its_types(mariadb, login, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 64)
    (tmp_path / "q.sql").write_text("SELECT * FROM patients WHERE id LIKE 'P%' ORDER BY id;")
    for address in (mariadb, mariadb.replace("mariadb://", "mysql://")):
        source = Source(address, "id", query=tmp_path / "q.sql")
        found = read_database(source, Kinds(frozenset({"age", "dose"}))).table
        assert len(found) == 500
        assert found["dose"].to_numpy(float).tolist() == [k / 4 for k in range(500)]
        assert found["age"].sum() == sum(20 + k % 60 for k in range(500))
        assert str(found["seen"][3]) == "2023-05-04"
        assert found["note"].notna().sum() == 72


def test_mariadb_tells_no_password_and_no_cell(mariadb, login, tmp_path, monkeypatch):
    (tmp_path / "q.sql").write_text("SELECT no_such FROM patients")
    source = Source(mariadb, "id", query=tmp_path / "q.sql")
    with pytest.raises(TableError, match=r"could not be run at the database") as caught:
        read_database(source, Kinds())
    monkeypatch.setenv(module.PASSWORD, "wrong password")
    with pytest.raises(TableError) as refused:
        read_database(source, Kinds())
    for said in (str(caught.value), str(refused.value)):
        assert PASSWORD not in said
        assert "wrong password" not in said
        assert "no_such" not in said


@pytest.fixture
def sqlite(tmp_path):
    path = tmp_path / "ward.db"
    rows = [(f"P{k}", k / 2 if k > 2 else None, "n" if k % 2 else None) for k in range(50_000)]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (id TEXT, age REAL, ward TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    (tmp_path / "q.sql").write_text("SELECT * FROM t")
    return Source(f"sqlite:///{path}", "id", query=tmp_path / "q.sql")


def test_sqlite_is_read_in_pieces_and_nothing_stays_behind(sqlite, tmp_path, monkeypatch):
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    table = read_database(sqlite, Kinds(frozenset({"age"}))).table
    assert len(table) == 50_000
    assert table["age"].isna().sum() == 3
    assert table["ward"].isna().sum() == 25_000
    assert table["id"].iloc[-1] == "P49999"
    assert not list(spill.iterdir())


def test_a_query_without_rows_and_a_column_of_two_types_are_refused(sqlite, tmp_path):
    (tmp_path / "q.sql").write_text("SELECT * FROM t WHERE id = 'nobody'")
    with pytest.raises(TableError, match="no rows"):
        read_database(sqlite, Kinds())
    (tmp_path / "q.sql").write_text(
        "SELECT id, CASE WHEN age > 20000 THEN 'SECRET' ELSE age END AS age FROM t"
    )
    with pytest.raises(TableError, match="'age' changes its type") as caught:
        read_database(sqlite, Kinds())
    assert "SECRET" not in str(caught.value)


def test_a_column_without_a_value_may_be_a_number(sqlite, tmp_path):
    (tmp_path / "q.sql").write_text("SELECT id, NULL AS age, NULL AS ward FROM t LIMIT 3")
    table = read_database(sqlite, Kinds(frozenset({"age"}))).table
    assert table["age"].isna().all()
    assert pd.api.types.is_numeric_dtype(table["age"])
    assert not pd.api.types.is_numeric_dtype(table["ward"])


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://ward:SECRET@host/x", "has a password in it"),
        ("postgresql://host/x?password=SECRET", "has a password in it"),
        ("ftp://host/x", "must be one of postgresql"),
    ],
)
def test_an_address_with_a_password_or_of_something_else_is_refused(address, said):
    with pytest.raises(TableError, match=said) as caught:
        check_address(address)
    assert "SECRET" not in str(caught.value)


def test_a_driver_that_is_missing_is_named(tmp_path):
    (tmp_path / "q.sql").write_text("SELECT 1")
    with pytest.raises(TableError, match="pip install 'oracledb'"):
        read_database(Source("oracle://host/x", "id", query=tmp_path / "q.sql"), Kinds())


def test_without_the_extra_it_says_what_to_install(sqlite, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"consilience\[sql\]"):
        read_database(sqlite, Kinds())


def test_duckdb_is_read_where_its_driver_is(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("duckdb_engine")
    with duckdb.connect(str(tmp_path / "w.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT 'P' || i AS id, i / 2 AS age FROM range(5) r(i)"
        )
    (tmp_path / "q.sql").write_text("SELECT * FROM t ORDER BY age")
    source = Source(f"duckdb:///{tmp_path / 'w.duckdb'}", "id", query=tmp_path / "q.sql")
    assert read_database(source, Kinds(frozenset({"age"}))).table["age"].tolist() == [0, 0.5, 1, 1.5, 2]  # fmt: skip  # noqa: E501
