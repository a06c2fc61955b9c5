"""The statement says what left, holds no value, and others' tools verify it."""

import hashlib
import json

import pytest
from google.protobuf.json_format import Parse
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope as TheirEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from consilience.evidence.statement import ENDING, RELEASE, is_evidence
from consilience.study.envelope import Envelope
from consilience.study.study import ANALYST
from consilience.transports.bundle import open_bundle

PARTY = "a/lab"
CONTRIBUTED = ("clusters", "classes", "groups", "summaries")


def beside(path):
    return path.with_name(path.name + ENDING)


def read(path):
    return Envelope.from_text(beside(path).read_bytes())


@pytest.fixture
def sent(cli, case):
    assert cli(*case.contribute_command(PARTY)).code == 0
    return case


def test_it_names_the_sealed_file_the_study_and_what_is_inside(sent):
    path = sent.sent(PARTY)
    said = read(path).statement
    [subject] = said["subject"]
    sealed = hashlib.sha256(path.read_bytes()).hexdigest()
    assert subject == {"name": path.name, "digest": {"sha256": sealed}}
    manifest = open_bundle(path, sent.identities[PARTY])[0]
    release = said["predicate"]
    assert release["content"]["digest"] == manifest.digest
    assert [a["name"] for a in release["content"]["arrays"]] == [m.name for m in manifest.members]
    assert release["study"]["digest"] == sent.study.digest
    assert release["study"]["terms"] == sent.study.terms()
    assert release["from"]["fingerprint"] == sent.identities[PARTY].public.fingerprint
    assert release["to"]["role"] == ANALYST
    assert release["audit"]["findings"]
    assert release["facts"]["rows"] == 30
    assert (release["left_before"], release["before"]) == (0, [])


def test_it_says_what_left_before(cli, sent):
    first = read(sent.sent(PARTY)).statement["predicate"]["content"]["digest"]
    assert cli(*sent.contribute_command(PARTY)).code == 0
    release = read(sent.sent(PARTY)).statement["predicate"]
    assert release["left_before"] == 1
    assert release["before"][0]["digest"] == first
    assert "members" not in release["before"][0]


def test_it_names_who_decided_to_send_beyond_the_limit(cli, new_case):
    case = new_case(max_reconstruction=0.01)
    assert cli(*case.contribute_command(PARTY, "--override", "Dr Novak")).code == 0
    release = read(case.sent(PARTY)).statement["predicate"]
    assert (release["limit"], release["override"]) == (0.01, "Dr Novak")


@pytest.mark.parametrize("kind", CONTRIBUTED)
def test_no_value_and_no_id_is_in_it(cli, of_kind, kind):
    case = of_kind(kind)
    party = case.parties[0]
    assert cli(*case.contribute_command(party)).code == 0
    path = case.sent(party)
    text = read(path).payload.decode() + path.with_name(f"{path.name}.statement.txt").read_text()
    table = case.tables[party]
    assert not any(str(name) in text for name in table["patient id"])
    numbers = table.select_dtypes("number").to_numpy().ravel()
    assert not any(f"{value:.4f}" in text for value in numbers)


def test_stream_and_peers_and_answers_have_one_too(cli, of_kind, solved):
    stream, peers = of_kind("stream"), of_kind("peers")
    for verb, case, party, more in (
        ("stream", stream, "a/bills", ("--window", 0, "--out")),
        ("peer", peers, "a/lab", ("--set", "n_clusters=2", "--files")),
    ):
        own = ("--as", party, "--data", case.data(party), "--id", "patient id", "--yes")
        result = cli(verb, case.path, *own, *more, case.folder / "out")
        assert result.code == 0, result.err
    assert cli(*solved.analyse_command()).code == 0
    folders = (stream.folder / "out", peers.folder / "out", solved.folder / "answers")
    for folder in folders:
        bundles = [path for path in folder.iterdir() if not is_evidence(path.name)]
        assert bundles
        for path in bundles:
            said = read(path).statement
            sealed = hashlib.sha256(path.read_bytes()).hexdigest()
            assert said["subject"][0]["digest"]["sha256"] == sealed
    said = read(solved.answer(PARTY)).statement["predicate"]
    assert [answered["from"] for answered in said["answers"]] == [PARTY]
    assert said["roll"]["contributions"] == len(solved.parties)


def test_others_tools_verify_the_signature(sent):
    envelope = TheirEnvelope.from_dict(json.loads(beside(sent.sent(PARTY)).read_text()))
    sign = sent.identities[PARTY].public.sign
    key = SSlibKey(sign, "ed25519", "ed25519", {"public": sign})
    accepted = envelope.verify([key], threshold=1)
    assert list(accepted) == [sign]
    stranger = sent.identities["b/lab"].public.sign
    with pytest.raises(VerificationError):
        envelope.verify([SSlibKey(sign, "ed25519", "ed25519", {"public": stranger})], threshold=1)


def test_others_tools_read_the_statement(sent):
    read_by_them = Parse(read(sent.sent(PARTY)).payload, Statement([], RELEASE, {}).pb)
    statement = Statement.copy_from_pb(read_by_them)
    statement.validate()
    assert statement.pb.subject[0].name == sent.sent(PARTY).name
    assert statement.pb.predicate["content"]["message"] == "Contribution"
