"""A study through NVFlare: server and sites as real processes, on loopback.

Needs ``pip install 'consilience[nvflare]'``; without it the test says so and does nothing.
"""

import shutil
import time

import pandas as pd
import pytest

from consilience.carriers.flare.components import FOLDER, folder_of_site
from consilience.carriers.flare.job import roles_of_sites, write_job
from consilience.cli.join import COME_BACK
from consortium import Consortium

ID = "patient id"
ROLES = {"site-1": "a/lab", "site-2": "a/life", "office": "analyst"}
PATIENCE = 120


class Engine:
    """What a part asks NVFlare for: where the workspace of the site is."""

    def __init__(self, root):
        self.root = root

    def get_workspace(self):
        return self

    def get_root_dir(self):
        return str(self.root)


def test_the_folder_of_a_site_is_named_by_its_environment(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER, raising=False)
    assert folder_of_site(Engine(tmp_path)) == tmp_path / "consilience-post"
    monkeypatch.setenv(FOLDER, str(tmp_path / "elsewhere"))
    assert folder_of_site(Engine(tmp_path)) == tmp_path / "elsewhere"
    assert (tmp_path / "elsewhere").is_dir()


@pytest.fixture
def town(new_case, tmp_path):
    pytest.importorskip("nvflare", reason="NVFlare is not installed: extra nvflare")
    case = new_case(rows=("a",), n=(30,), ids={"match": "psi"})
    consortium = Consortium(tmp_path / "consortium", list(ROLES))
    for site, role in ROLES.items():
        consortium.post(site).mkdir(parents=True)
        shutil.copytree(
            case.private(role).path, home(case, site) / "private" / role.replace("/", ".")
        )
    shutil.copy(case.path, home(case, "office") / "study.toml")
    try:
        consortium.start()
        yield case, consortium
    finally:
        consortium.close()


def home(case, site):
    return case.folder / "houses" / site


def join(cli, case, consortium, site):
    role = ROLES[site]
    own = () if role == "analyst" else ("--data", case.data(role), "--id", ID)
    given = ("--as", role, *own, "--out", home(case, site), "--yes", "--once")
    result = cli("join", consortium.post(site), *given)
    assert result.code in (0, COME_BACK), result.err
    return result


def look_until(cli, case, consortium, reached):
    """Let every site look again and again, as a clock would make it."""
    end = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < end, consortium.log("localhost")[-3000:]
        for site in ROLES:
            join(cli, case, consortium, site)
        time.sleep(0.5)


def test_labels_are_those_of_a_study_by_files_and_a_job_goes_on(cli, town, tmp_path):
    case, consortium = town
    write_job(
        tmp_path / "job",
        "a",
        roles_of_sites(case.study, [f"{s}={r}" for s, r in ROLES.items()]),
        10,
    )
    first = consortium.submit(tmp_path / "job")
    look_until(cli, case, consortium, lambda: list(home(case, "site-1").glob("*.match")))
    consortium.abort(first)
    consortium.submit(tmp_path / "job")
    labels = [home(case, site) / "labels.csv" for site in ("site-1", "site-2")]
    look_until(cli, case, consortium, lambda: all(path.exists() for path in labels))
    # The same files, carried by hand.
    for site in ("site-1", "site-2"):
        role = ROLES[site]
        sent = home(case, site) / f"{role.replace('/', '.')}.contribution"
        case.sent(role).parent.mkdir(exist_ok=True)
        shutil.copy(sent, case.sent(role))
        private = home(case, site) / "private" / role.replace("/", ".")
        shutil.copytree(private, case.private(role).path, dirs_exist_ok=True)
    result = cli(*case.analyse_command())
    assert result.code == 0, result.err
    for site, path in zip(("site-1", "site-2"), labels, strict=True):
        case.labels(ROLES[site])
        by_hand = case.folder / f"{ROLES[site].replace('/', '.')}.labels.csv"
        assert path.read_bytes() == by_hand.read_bytes()
        assert pd.read_csv(path)["cluster"].nunique() == 3
    # The server of the consortium has seen sealed files and nothing of a table.
    ids = set(case.tables["a/lab"][ID])
    for path in consortium.kits.rglob("*"):
        if path.is_file():
            held = path.read_bytes()
            assert not any(name.encode() in held for name in ids), path.name
