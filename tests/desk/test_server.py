"""Pages and acts of a desk, asked as its own browser asks."""

import shutil

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

from desk_client import entered, post, upload, wait

ID = "patient id"


@pytest.fixture
def at_study(case):
    """Return a client at the desk of a folder that is a study."""
    client = entered(case.folder, perform)
    client.study = f"{client.home}/s/this-folder"
    return client


def perform():
    from consilience.cli.app import main

    main()


def test_from_a_study_file_to_what_would_leave(at_study, case):
    study = at_study.study
    assert case.study.name in at_study.get(f"{at_study.home}/").text
    assert post(at_study, f"{study}/change/role", role="a/lab").status_code == 303
    said = upload(at_study, f"{study}/upload/table", "t.csv", case.data("a/lab").read_bytes())
    assert said.json() == {"said": "tables/t.csv"}
    post(at_study, f"{study}/change/table", file="tables/t.csv", id_column=ID)
    assert post(at_study, f"{study}/do/check").headers["location"].endswith("/table")
    wait(at_study)
    assert "The table fits the study" in at_study.get(f"{study}/table").text
    post(at_study, f"{study}/do/rehearse")
    wait(at_study)
    page = at_study.get(f"{study}/leave").text
    assert "May it leave?" in page
    assert not case.private("a/lab").ledger.entries()
    post(at_study, f"{study}/do/contribute", by="Dr. Novak")
    assert "tick the box" in at_study.get(f"{study}/leave").text
    post(at_study, f"{study}/do/contribute", by="Dr. Novak", agreed="yes")
    wait(at_study)
    consent, left = case.private("a/lab").ledger.entries()
    assert (consent["what"], consent["by"], left["what"]) == (
        "consent",
        "Dr. Novak",
        "contribution",
    )
    assert "a.lab.contribution" in at_study.get(f"{study}/leave").text
    assert at_study.get(f"{study}/file/a.lab.contribution").status_code == 200


@pytest.mark.parametrize(
    "file", ["private", "row.key", "..%2f..%2fx", "desk.json", "tables%2ft.csv", "a.lab.csv"]
)
def test_no_other_file_is_handed_out(at_study, file):
    assert at_study.get(f"{at_study.study}/file/{file}").status_code == 404


def test_an_identity_comes_back_from_its_back_up(at_study, case):
    post(at_study, f"{at_study.study}/change/role", role="a/lab")
    secret = {"passphrase": "correct horse battery", "repeated": "correct horse battery"}
    post(at_study, f"{at_study.study}/do/backup", **secret)
    wait(at_study)
    kept = at_study.get(f"{at_study.study}/file/a.lab.backup.age").content
    before = {path.name: path.read_bytes() for path in case.private("a/lab").path.glob("*.key")}
    shutil.rmtree(case.private("a/lab").path)
    page = at_study.get(f"{at_study.study}/keys").text
    assert "Make my keys" in page
    assert "put a back-up back" in page
    letters = f"{at_study.study}/upload/letter"
    assert upload(at_study, letters, "a.lab.backup.age", b"none").status_code == 422
    assert (
        "passphrase opens it" in upload(at_study, letters, "a.lab.backup.age", kept).json()["said"]
    )
    post(at_study, f"{at_study.study}/do/restore", passphrase="another passphrase")
    wait(at_study)
    assert "This was refused" in at_study.get(f"{at_study.study}/keys").text
    post(at_study, f"{at_study.study}/do/restore", passphrase=secret["passphrase"])
    wait(at_study)
    assert "Make my keys" not in at_study.get(f"{at_study.study}/keys").text
    after = {path.name: path.read_bytes() for path in case.private("a/lab").path.glob("*.key")}
    assert before
    assert after == before


def test_what_is_not_there_is_a_page_that_says_so(at_study):
    for path in ("s/none", "s/none/keys", "s/this-folder/none", "static/seat.py", "none"):
        answer = at_study.get(f"{at_study.home}/{path}")
        assert answer.status_code == 404
        assert "To my studies" in answer.text


def test_a_refused_file_says_why_and_leaves_nothing(at_study, case):
    before = sorted(case.folder.rglob("*"))
    for kind, name in (("table", "../x.csv"), ("letter", "x.exe"), ("table", "x.exe")):
        answer = upload(at_study, f"{at_study.study}/upload/{kind}", name, b"1")
        assert answer.status_code == 422
        assert answer.json()["why"]
    assert sorted(case.folder.rglob("*")) == before


def test_a_study_is_drafted_and_its_columns_corrected(desk, case):
    assert post(desk, f"{desk.home}/new", name="Two regions").status_code == 303
    assert "Example tables" in desk.get(f"{desk.home}/s/two-regions/draft").text
    text = case.path.read_text(encoding="utf-8").partition("[keys")[0]
    assert upload(desk, f"{desk.home}/take", "study.toml", text.encode()).json()["to"]
    assert upload(desk, f"{desk.home}/take", "study.toml", b"name =").status_code == 422
    assert upload(desk, f"{desk.home}/take", "../study.toml", text.encode()).status_code == 422


def test_a_folder_is_no_place_unless_it_was_named(desk):
    post(desk, f"{desk.home}/new", place="/etc", role="a/lab")
    assert "consilience desk --place" in desk.get(f"{desk.home}/").text
