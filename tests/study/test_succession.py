import pytest

from consilience.exceptions import BundleError
from consilience.study.envelope import STATEMENT, Envelope
from consilience.study.identity import Identity
from consilience.study.succession import Heirs, state_succession, succession_in_words

STUDY = "d" * 64
ROLES = ("analyst", "a/lab", "b/lab", "c/lab")


@pytest.fixture
def people():
    return {role: Identity.new(role) for role in ROLES}


@pytest.fixture
def heirs(people):
    return Heirs(STUDY, {role: identity.public for role, identity in people.items()})


def succeed(people, *, signed=True, kept=(), study=STUDY):
    old, new = people["a/lab"], Identity.new("a/lab")
    return new, state_succession(study, "a/lab", old.public, new, kept, old if signed else None)


def test_the_old_key_hands_over_to_the_new_one(people, heirs):
    new, envelope = succeed(people, kept=["1" * 64])
    heirs.take(envelope)
    heirs.take(envelope)
    assert heirs.now["a/lab"] == new.public
    assert heirs.signers("a/lab", "1" * 64) == [new.public, people["a/lab"].public]
    assert heirs.signers("a/lab", "2" * 64) == [new.public]
    assert heirs.now["b/lab"] == people["b/lab"].public


def test_a_lost_key_is_replaced_when_more_than_half_of_the_others_vouch(people, heirs):
    new, envelope = succeed(people, signed=False)
    for voucher, lacking in (("b/lab", 2), ("analyst", 1)):
        assert heirs.lacking(envelope) == lacking
        with pytest.raises(BundleError, match=f"{lacking} more have to vouch"):
            heirs.take(envelope)
        envelope = envelope.signed(people[voucher])
    heirs.take(envelope)
    assert heirs.now["a/lab"] == new.public


def test_strangers_and_the_new_key_itself_vouch_for_nothing(people, heirs):
    _, envelope = succeed(people, signed=False)
    for k in range(5):
        envelope = envelope.signed(Identity.new(f"x{k}"))
    assert heirs.lacking(envelope) == 2


def test_a_succession_can_be_succeeded_and_the_first_key_is_spent(people, heirs):
    new, envelope = succeed(people)
    heirs.take(envelope)
    with pytest.raises(BundleError, match="begins with other keys"):
        heirs.take(succeed(people)[1])
    newest = Identity.new("a/lab")
    heirs.take(state_succession(STUDY, "a/lab", new.public, newest, [], new))
    assert heirs.now["a/lab"] == newest.public


def test_what_does_not_stand_by_itself_is_refused(people, heirs):
    _, other = succeed(people, study="e" * 64)
    with pytest.raises(BundleError, match="belongs to another study"):
        heirs.take(other)
    _, envelope = succeed(people)
    unsigned = Envelope(envelope.payload, envelope.signatures[1:])
    with pytest.raises(BundleError, match="not signed by its new key"):
        heirs.take(unsigned)
    strange = {"_type": STATEMENT, "predicateType": "x", "subject": []}
    with pytest.raises(BundleError, match="cannot be read"):
        heirs.take(Envelope.of(strange))
    nobody = Identity.new("z/lab")
    with pytest.raises(BundleError, match="who has no keys"):
        heirs.take(state_succession(STUDY, "z/lab", nobody.public, nobody, [], nobody))


def test_a_study_with_a_succession_keeps_its_digest(case):
    before = case.study
    new = Identity.new("a/lab")
    old = case.identities["a/lab"]
    envelope = state_succession(before.digest, "a/lab", old.public, new, [], old)
    case.terms["succession"] = [{"envelope": envelope.to_text()}]
    after = case.study
    assert after.digest == before.digest
    assert after.public_keys("a/lab") == new.public
    assert after.keys["a/lab"] == old.public
    case.terms["succession"] = [{"envelope": "{}"}]
    with pytest.raises(ValueError, match="a succession is no signed statement"):
        assert case.study


def test_it_is_told_in_words_with_both_fingerprints(people):
    new, envelope = succeed(people, kept=["1" * 64])
    text = succession_in_words(envelope.statement)
    assert new.public.fingerprint in text
    assert people["a/lab"].public.fingerprint in text
    assert "1 files signed with the old key still count" in text
