import json
from dataclasses import replace

import numpy as np
import pytest

from consilience.messages import Failure, Query
from consilience.study.study import ANALYST
from consilience.transports.bundle import manifest_of, write_bundle


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
    assert [m["name"] for m in manifest["members"]] == ["labels"]
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
    manifest = manifest_of(query, other.study, "a test")
    write_bundle(
        tmp_path / "x", query, manifest, study=solved.study, identity=other.identities["a/lab"]
    )
    result = cli("show", solved.path, tmp_path / "x", "--as", ANALYST)
    assert "a/lab (NOT SIGNED)" in result.out
    assert "ANOTHER STUDY" in result.out


def test_texts_of_strangers_are_shown_as_they_are(cli, solved, tmp_path):
    header = {"study": solved.study.digest, "sender": "a/lab", "recipient": ANALYST}
    message = Failure(**header, reason="no")
    manifest = manifest_of(message, solved.study, "[/red] [link=x]\x1b]0;owned\x07")
    identity = solved.identities["a/lab"]
    write_bundle(tmp_path / "x", message, manifest, study=solved.study, identity=identity)
    result = cli("show", solved.path, tmp_path / "x", "--as", ANALYST)
    assert result.code == 0, result.err
    assert "[/red] [link=x]?]0;owned?" in result.out
    assert "\x1b" not in result.out


def shown(cli, case, path, role):
    result = cli("show", case.path, path, "--as", role)
    assert result.code == 0, result.err
    return " ".join(result.out.replace("│", " ").split())


def test_what_is_told_depends_on_the_message_and_not_on_the_name_of_an_array(
    cli, of_kind, command, answered
):
    groups = of_kind("groups", columns=("lab",)).contribute()
    counted = shown(cli, groups, groups.sent("a/lab"), "a/lab")
    assert "counts: 2 int64" in counted
    assert "how many rows of each class there are" in counted
    stream = of_kind("stream")
    assert cli(*command(stream, "stream", "a/bills")).code == 0
    sent = shown(cli, stream, stream.folder / "out" / "a.bills.0.nodes", "a/bills")
    assert "how many of its rows each of these nodes stands for" in sent
    assert "without noise most of these are its rows" in sent
    peers = of_kind("peers")
    assert cli(*command(peers, "peer", "a/lab")).code == 0
    [outline] = (peers.folder / "out").glob("*.peer")
    assert "in which parts their rows differ" in shown(cli, peers, outline, "a/lab")
    classes = of_kind("classes", columns=("lab",))
    classes.terms["learning"] |= {"answer": "model", "explain": "column"}
    answered(classes.write())
    answer = shown(cli, classes, classes.answer("a/lab"), "a/lab")
    assert "the recipient can ask it at home" in answer
    assert "by which the model can be imitated" in answer


def test_an_array_the_message_does_not_have_is_called_so(cli, solved, tmp_path):
    header = {"study": solved.study.digest, "sender": "a/lab", "recipient": ANALYST}
    query = Query(**header, representation=np.ones((2, 2)))
    manifest = replace(manifest_of(query, solved.study, "a test"), kind="LabelCounts")
    identity = solved.identities["a/lab"]
    write_bundle(tmp_path / "x", query, manifest, study=solved.study, identity=identity)
    assert "no array of such a message" in shown(cli, solved, tmp_path / "x", "a/lab")
