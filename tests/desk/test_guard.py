import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx")

FORM = {"content-type": "application/x-www-form-urlencoded"}


def test_the_link_opens_once(desk):
    assert desk.get(f"{desk.home}/").status_code == 200
    desk.cookies.clear()
    assert desk.get(desk.link).status_code == 403
    assert desk.get(f"{desk.home}/").status_code == 403


def test_the_cookie_is_for_this_desk_and_no_script(tmp_path):
    from desk_client import entered

    client = entered(tmp_path)
    [cookie] = client.cookies.jar
    assert cookie.path == client.home
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite").lower() == "strict"


def test_a_wrong_guess_does_not_spend_the_link(tmp_path):
    from desk_client import make_client

    client = make_client(tmp_path)
    assert client.get("/open/guess").status_code == 403
    assert client.get(client.link).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "127.0.0.1.evil.example:8000"])
def test_another_host_name_is_refused(desk, host):
    assert desk.get(f"{desk.home}/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1:1"])
def test_nothing_changes_from_another_origin(desk, origin):
    data = {"csrf": desk.guard.csrf, "name": "x"}
    answer = desk.post(f"{desk.home}/new", data=data, headers={"origin": origin})
    assert answer.status_code == 403
    assert not list(desk.root.glob("*/"))


def test_a_form_without_its_token_is_refused(desk):
    for csrf in ("", "x" * 43):
        answer = desk.post(f"{desk.home}/new", data={"csrf": csrf, "name": "x"})
        assert answer.status_code == 403
    assert desk.post(f"{desk.home}/new", content=b"\xff", headers=FORM).status_code == 400
    assert desk.post(f"{desk.home}/new", content=b"a" * 2**21, headers=FORM).status_code == 400


def test_a_page_that_another_site_asked_for_is_refused(desk):
    headers = {"sec-fetch-site": "cross-site"}
    assert desk.get(f"{desk.home}/", headers=headers).status_code == 403


def test_every_answer_forbids_to_keep_it_and_to_load_from_elsewhere(desk):
    for path in ("/", "/static/desk.js", "/nothing", "/s/none/keys"):
        headers = desk.get(f"{desk.home}{path}").headers
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_no_other_method_passes(desk):
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert desk.request(method, f"{desk.home}/").status_code == 403
