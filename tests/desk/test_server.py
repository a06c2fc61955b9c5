"""Pages and acts of a desk, asked as its own browser asks."""

import time
from urllib.parse import quote

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

ID = "patient id"


@pytest.fixture
def at_study(case):
    """Return a client at the desk of a folder that is a study."""
    from desk_client import entered

    client = entered(case.folder, perform)
    client.study = f"{client.home}/s/this-folder"
    return client


def perform():
    from consilience.cli.app import main

    main()


def post(client, path, **fields):
    return client.post(path, data={"csrf": client.guard.csrf, **fields})


def upload(client, path, name, data):
    headers = {"x-csrf": client.guard.csrf, "x-file-name": quote(name)}
    return client.post(path, content=data, headers=headers)


def wait(client):
    for job in client.workshop._jobs.values():
        end = time.monotonic() + 120
        while job.running:
            assert time.monotonic() < end
            time.sleep(0.02)


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
