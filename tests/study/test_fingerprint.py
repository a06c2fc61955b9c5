import re

from consilience.study.fingerprint import fingerprint
from consilience.study.identity import Identity


def test_a_fingerprint_is_sixty_digits_that_can_be_read_aloud():
    assert re.fullmatch(r"(\d{5} ){11}\d{5}", fingerprint("study", "terms"))


def test_any_change_gives_other_digits():
    digits = {fingerprint("study", f"terms {k}") for k in range(200)}
    digits |= {fingerprint("keys", "terms 0")}
    assert len(digits) == 201


def test_study_and_keys_have_fingerprints_of_their_own(case):
    public = case.study.public_keys("a/lab")
    assert public.fingerprint != Identity.new("a/lab").public.fingerprint
    before = case.study.fingerprint
    case.terms["clustering"]["n_clusters"] += 1
    assert case.study.fingerprint != before
