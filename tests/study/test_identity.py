import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.exceptions import StudyError
from consilience.study.identity import Identity, PublicKeys

IDENTITY = Identity.new("hospital-a/lab")
TEXT = IDENTITY.to_text()


def test_text_form_holds_everything():
    again = Identity.from_text(TEXT)
    assert again.name == "hospital-a/lab"
    assert again.public == IDENTITY.public
    assert again.to_text() == TEXT


def test_signatures_are_told_apart():
    signature = IDENTITY.sign(b"data")
    assert IDENTITY.public.verify(signature, b"data")
    assert not IDENTITY.public.verify(signature, b"Data")
    assert not IDENTITY.public.verify(bytes(64), b"data")
    assert not IDENTITY.public.verify(b"", b"data")
    assert not Identity.new("hospital-a/lab").public.verify(signature, b"data")


def test_identity_never_shows_its_secrets():
    secrets = (IDENTITY.signing.private_bytes_raw().hex(), str(IDENTITY.sealing))
    for shown in (repr(IDENTITY), str(IDENTITY), f"{IDENTITY}", repr([IDENTITY])):
        assert not any(secret in shown for secret in secrets)


@pytest.mark.parametrize("name", ['a"b', "line\nfeed", "back\\slash", "ü", "\x1b"])
def test_any_name_survives_the_text_form(name):
    identity = Identity(name, IDENTITY.signing, IDENTITY.sealing)
    assert Identity.from_text(identity.to_text()).name == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name = 1",
        "sign = 5",
        "a = " + "[" * 3000,
        "a = " + "1" * 5000,
        TEXT[:-10],
        TEXT.upper(),
    ],
    ids=["empty", "a name of numbers", "half", "nested", "long", "cut", "upper case"],
)
def test_damaged_text_is_refused_without_showing_it(text):
    with pytest.raises(StudyError) as caught:
        Identity.from_text(text)
    assert str(caught.value).startswith("the identity file is damaged")
    assert caught.value.__suppress_context__


@settings(max_examples=100)
@given(data=st.data())
def test_mutated_text_is_read_or_refused(data):
    text = TEXT
    for _ in range(data.draw(st.integers(1, 4))):
        place, cut = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 8))
        text = text[:place] + data.draw(st.text(max_size=4)) + text[place + cut :]
    with contextlib.suppress(StudyError):
        Identity.from_text(text)


@pytest.mark.parametrize(
    "keys",
    [
        {"sign": "0" * 63},
        {"sign": "g" * 64},
        {"sign": "0" * 64 + "\n"},
        {"seal": "age1" + "q" * 58},
        {"seal": IDENTITY.public.seal.upper()},
        {"seal": str(IDENTITY.sealing)},
        {"more": 1},
    ],
)
def test_public_keys_are_checked(keys):
    with pytest.raises(ValueError):
        PublicKeys(**{**IDENTITY.public.model_dump(), **keys})
