import json

PAIRS = ("one=a/lab", "one=a/life", "two=b/lab", "two=b/life", "office=analyst")


def words(case, *more, pairs=PAIRS):
    sites = [word for pair in pairs for word in ("--site", pair)]
    return ["nvflare", "job", case.path, *sites, "--out", case.folder / "job", *more]


def test_a_job_is_written_and_the_way_on_is_said(cli, case):
    result = cli(*words(case, "--minutes", 30))
    assert result.code == 0, result.err
    assert "nvflare job submit" in " ".join(result.err.split())
    found = json.loads(
        (case.folder / "job" / "app" / "config" / "config_fed_client.json").read_text()
    )
    args = found["executors"][0]["executor"]["args"]
    assert args["sites"]["one"] == ["a/lab", "a/life"]
    assert args["minutes"] == 30
    assert "a small study" in (case.folder / "job" / "meta.json").read_text()


def test_a_role_without_a_site_is_named(cli, case):
    result = cli(*words(case, pairs=PAIRS[:-1]))
    assert (result.code, "no site has analyst" in result.err) == (2, True)
    assert not (case.folder / "job").exists()


def test_a_job_holds_no_key_and_no_column(cli, case):
    assert cli(*words(case)).code == 0
    written = "".join(path.read_text() for path in (case.folder / "job").rglob("*.json"))
    for word in ("age", "seal", "sign", *(i.public.sign for i in case.identities.values())):
        assert word not in written.replace("message", "")
