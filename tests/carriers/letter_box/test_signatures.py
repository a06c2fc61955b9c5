"""Signed requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.carriers.letter_box.signatures import Challenge, read_signature, sign_request
from consilience.study.identity import Identity

ALICE = Identity.new("a/lab")
REQUEST = ("PUT", "/v1/files/a/b/c/00000", "x=1")
HEADERS = sign_request(ALICE, *REQUEST, b"body", Challenge("ab" * 16, 1_700_000_000))


def holds(headers, *request):
    signed = read_signature(headers, *request)
    return signed is not None and ALICE.public.verify(signed.signature, signed.covered)


def test_a_signature_holds_for_its_request_and_no_other():
    assert holds(HEADERS, *REQUEST)
    for place, other in enumerate(("GET", "/v1/files/a/b/c/00001", "x=2")):
        changed = [*REQUEST]
        changed[place] = other
        assert not holds(HEADERS, *changed)


@pytest.mark.parametrize("name", HEADERS)
@given(data=st.data())
def test_no_changed_header_holds(name, data):
    value = HEADERS[name]
    place = data.draw(st.integers(0, len(value) - 1))
    changed = value[:place] + data.draw(st.characters(codec="latin-1")) + value[place + 1 :]
    # The last digits of a number in base 64 may have bits that mean nothing.
    same = read_signature({**HEADERS, name: changed}, *REQUEST) == read_signature(HEADERS, *REQUEST)
    assert changed == value or same or not holds({**HEADERS, name: changed}, *REQUEST)


@given(st.text(), st.text())
def test_what_is_no_signature_is_none(given_input, signature):
    assert (
        read_signature({"signature-input": given_input, "signature": signature}, *REQUEST) is None
    )


def test_two_signatures_of_one_request_have_two_nonces():
    again = sign_request(ALICE, *REQUEST, b"body", Challenge("ab" * 16, 1_700_000_000))
    assert read_signature(again, *REQUEST).nonce != read_signature(HEADERS, *REQUEST).nonce
