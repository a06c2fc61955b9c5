import pytest

from consilience.evidence.check import check_bundle, check_statement, read_statement, statement_of
from consilience.exceptions import BundleError, StudyError
from consilience.study.envelope import MAX_ENVELOPE_BYTES, Envelope
from consilience.study.identity import Identity

PARTY = "a/lab"


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    from conftest import make_case, run

    case = make_case(tmp_path_factory.mktemp("checked") / "study")
    assert run(*case.contribute_command(PARTY)).code == 0
    return case


@pytest.fixture
def envelope(sent):
    return read_statement(statement_of(sent.sent(PARTY)))


def test_a_good_statement_holds(sent, envelope):
    checked = check_statement(envelope, sent.study, "x")
    check_bundle(sent.sent(PARTY), checked)
    assert (checked.sender, checked.approved_by, checked.n_missing) == (PARTY, (), 0)


def test_a_changed_bundle_is_noticed(sent, envelope, tmp_path):
    checked = check_statement(envelope, sent.study, "x")
    other = tmp_path / "a.lab.contribution"
    other.write_bytes(sent.sent(PARTY).read_bytes() + b" ")
    with pytest.raises(BundleError, match="is not the file the statement is about"):
        check_bundle(other, checked)


def test_a_statement_of_another_study_is_refused_with_the_difference(sent, envelope, new_case):
    other = new_case(clustering={"n_clusters": 4, "seed": 5})
    with pytest.raises(BundleError, match="belongs to another study"):
        check_statement(envelope, other.study, "x")


def test_every_change_of_a_statement_is_noticed(sent, envelope):
    for old, new in ((b"a.lab.contribution", b"b.lab.contribution"), (b'"rows": 30', b'"rows": 3')):
        assert old in envelope.payload
        changed = Envelope(envelope.payload.replace(old, new), envelope.signatures)
        with pytest.raises(BundleError, match="is not signed with that role's key"):
            check_statement(changed, sent.study, "x")


def test_a_statement_signed_by_another_party_is_refused(sent, envelope):
    other = Envelope(envelope.payload).signed(sent.identities["b/lab"])
    with pytest.raises(BundleError, match="claims to come from 'a/lab'"):
        check_statement(other, sent.study, "x")


@pytest.mark.parametrize("part", ["predicateType", "predicate", "subject"])
def test_a_statement_that_lacks_a_part_is_refused(sent, envelope, part):
    said = envelope.statement
    del said[part]
    with pytest.raises(BundleError, match="no statement about a bundle"):
        check_statement(Envelope.of(said).signed(sent.identities[PARTY]), sent.study, "x")


def test_approvals_count_once_per_person_and_never_the_sender(sent, envelope):
    one, two = Identity.new("one"), Identity.new("two")
    keys = {"one": one, "again": one, "two": two, "self": sent.identities[PARTY]}
    approvers = {name: identity.public.model_dump() for name, identity in keys.items()}
    terms = {**sent.terms, "approvals": 2, "approvers": {PARTY: approvers}}
    study = type(sent.study).from_terms(terms)
    said = envelope.statement
    said["predicate"]["study"] = {"digest": study.digest, "terms": study.terms()}
    envelope = Envelope.of(said).signed(sent.identities[PARTY])
    for signer, missing in ((None, 2), (one, 1), (Identity.new("x"), 1), (two, 0)):
        envelope = envelope if signer is None else envelope.signed(signer)
        checked = check_statement(envelope, study, "x")
        assert checked.n_missing == missing
    assert set(checked.approved_by) == {"again", "two"}
    assert check_statement(envelope, study, "x").waits_for == ""


def test_a_missing_or_huge_statement_is_refused_in_words(tmp_path):
    with pytest.raises(StudyError, match="is missing: a statement lies beside every bundle"):
        read_statement(tmp_path / "x")
    (tmp_path / "x").write_bytes(b" " * (2 * MAX_ENVELOPE_BYTES + 1))
    with pytest.raises(BundleError, match="too large"):
        read_statement(tmp_path / "x")
