import json

import pytest

from consilience.carriers.flare.job import roles_of_sites, write_job
from consilience.exceptions import StudyError


def test_a_job_names_parts_that_are_there(tmp_path):
    from consilience.carriers.flare import components

    write_job(tmp_path, "a study", {"site-1": ["a/lab"]}, 5)
    config = tmp_path / "app" / "config"
    server = json.loads((config / "config_fed_server.json").read_text())
    client = json.loads((config / "config_fed_client.json").read_text())
    [workflow], [executor] = server["workflows"], client["executors"]
    for part in (workflow, executor["executor"]):
        module, _, name = part["path"].rpartition(".")
        assert module == components.__name__
        assert name in components.__all__
        assert part["args"] == {"sites": {"site-1": ["a/lab"]}, "minutes": 5}
    assert json.loads((tmp_path / "meta.json").read_text())["name"] == "a study"


def test_every_role_is_at_one_site(case):
    pairs = ["one=a/lab", "one=a/life", "two=b/lab", "two=b/life", "office=analyst"]
    found = roles_of_sites(case.study, pairs)
    assert found == {
        "one": ["a/lab", "a/life"],
        "two": ["b/lab", "b/life"],
        "office": ["analyst"],
    }
    with pytest.raises(StudyError, match="no site has analyst"):
        roles_of_sites(case.study, pairs[:-1])
    with pytest.raises(StudyError, match="a role is at two sites"):
        roles_of_sites(case.study, [*pairs, "three=a/lab"])
    for wrong in ("a/lab", "=a/lab", "one=nobody"):
        with pytest.raises(StudyError, match="must be SITE=ROLE"):
            roles_of_sites(case.study, [*pairs, wrong])


def test_peers_need_no_site_for_an_analyst(of_kind):
    study = of_kind("peers").study
    assert set(roles_of_sites(study, ["x=a/lab", "y=a/life"])) == {"x", "y"}
