import json

import numpy as np
import pytest

from consilience.messages import Failure, Query
from consilience.study import ANALYST
from consilience.transports.bundle import describe, write_bundle


@pytest.mark.parametrize("role", ["a/lab", ANALYST])
def test_sender_and_recipient_see_what_is_in_a_contribution(cli, solved, role):
    result = cli("show", solved.path, solved.sent("a/lab"), "--as", role)
    assert result.code == 0, result.err
    for shown in ("Contribution", "a/lab (signature valid)", "this study", "30 x 3 float64"):
        assert shown in result.out


def test_machine_reads_the_manifest_as_json(cli, solved):
    result = cli("show", solved.path, solved.answer("b/lab"), "--as", "b/lab", "--json")
    manifest = json.loads(result.out)
    assert manifest["signature_valid"] is True
    assert (manifest["kind"], manifest["sender"]) == ("Answer", ANALYST)
    assert [m["name"] for m in manifest["members"]] == ["labels", "pseudonyms"]
    assert "terms" not in manifest


def test_strangers_see_nothing(cli, solved):
    for path, role in ((solved.sent("a/lab"), "a/life"), (solved.path, ANALYST)):
        result = cli("show", solved.path, path, "--as", role)
        assert (result.code, result.out) == (2, "")
        assert "cannot be opened" in result.err


def test_doubts_are_shown(cli, solved, new_case, tmp_path):
    other = new_case()
    other.identities = {**solved.identities, "a/lab": other.identities["a/lab"]}
    header = {"study": other.study.digest, "sender": "a/lab", "recipient": ANALYST}
    query = Query(**header, representation=np.ones((2, 2)))
    manifest = describe(query, other.study, "a test")
    write_bundle(
        tmp_path / "x", query, manifest, study=solved.study, identity=other.identities["a/lab"]
    )
    result = cli("show", solved.path, tmp_path / "x", "--as", ANALYST)
    assert "a/lab (NOT SIGNED)" in result.out
    assert "ANOTHER STUDY" in result.out


def test_texts_of_strangers_are_shown_as_they_are(cli, solved, tmp_path):
    header = {"study": solved.study.digest, "sender": "a/lab", "recipient": ANALYST}
    message = Failure(**header, reason="no")
    manifest = describe(message, solved.study, "[/red] [link=x]\x1b]0;owned\x07")
    identity = solved.identities["a/lab"]
    write_bundle(tmp_path / "x", message, manifest, study=solved.study, identity=identity)
    result = cli("show", solved.path, tmp_path / "x", "--as", ANALYST)
    assert result.code == 0, result.err
    assert "[/red] [link=x]?]0;owned?" in result.out
    assert "\x1b" not in result.out
