"""Who may do what."""

import pytest

from consilience.carriers.letter_box.guard import BURST, RATE, Guard, RefusedError
from consilience.carriers.letter_box.signatures import MAX_AGE, Challenge, sign_request
from consilience.carriers.parcel import EVERYONE, Parcel, folder_of
from consilience.study.identity import Identity

REQUEST = ("GET", "/v1/files", "")


class Clock:
    """A clock that is set."""

    now = 1_700_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guard(case, clock):
    return Guard(case.study.heirs.now, clock)


def refusal(guard, headers, request=REQUEST):
    with pytest.raises(RefusedError) as refused:
        guard.identify(headers, *request)
    return refused.value.status


def test_a_role_is_known_by_its_key_once(case, guard):
    headers = sign_request(case.identities["a/lab"], *REQUEST, b"", guard.challenge)
    assert guard.identify(headers, *REQUEST) == "a/lab"
    assert refusal(guard, headers) == 409


def test_strangers_forgers_and_the_unsigned_are_refused(case, guard):
    assert refusal(guard, {}) == 401
    stranger = sign_request(Identity.new("a/lab"), *REQUEST, b"", guard.challenge)
    assert refusal(guard, stranger) == 403
    mine = sign_request(case.identities["a/lab"], *REQUEST, b"", guard.challenge)
    other = case.identities["b/lab"].public.sign
    forged = mine["signature-input"].replace(case.identities["a/lab"].public.sign, other)
    assert refusal(guard, {**mine, "signature-input": forged}) == 403
    assert refusal(guard, mine, ("PUT", "/v1/files", "")) == 403


def test_a_signature_is_good_for_a_minute_at_one_server(case, guard, clock):
    challenge = guard.challenge
    headers = sign_request(case.identities["a/lab"], *REQUEST, b"", challenge)
    clock.now += MAX_AGE + 1
    assert refusal(guard, headers) == 401
    other = sign_request(
        case.identities["a/lab"], *REQUEST, b"", Guard(case.study.heirs.now).challenge
    )
    assert refusal(guard, other) == 401
    early = Challenge(challenge.box, challenge.now + 3 * MAX_AGE)
    assert refusal(guard, sign_request(case.identities["a/lab"], *REQUEST, b"", early)) == 401


def test_one_key_cannot_ask_without_end_and_keeps_nobody_else_from_it(case, guard, clock):
    def ask(role):
        headers = sign_request(case.identities[role], *REQUEST, b"", guard.challenge)
        return guard.identify(headers, *REQUEST)

    for _ in range(int(BURST)):
        ask("a/lab")
    with pytest.raises(RefusedError) as refused:
        ask("a/lab")
    assert refused.value.status == 429
    assert ask("b/lab") == "b/lab"
    clock.now += 2 / RATE
    assert ask("a/lab") == "a/lab"


def test_nonces_are_forgotten_when_they_cannot_be_used_again(case, guard, clock):
    for _ in range(5):
        headers = sign_request(case.identities["a/lab"], *REQUEST, b"", guard.challenge)
        guard.identify(headers, *REQUEST)
        clock.now += 3 * MAX_AGE
    assert len(guard._paces["a/lab"].nonces) == 1


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a/b/c",
        "a/b/c/d/00000",
        "../../etc/00000",
        "a/../c/00000",
        ".a/b/c/00000",
        "a/b/c/complete.json.x",
        "a/b/c/000000",
        "a/b/C/00000",
        "a/b/c/00000\n",
        "a//c/00000",
        "a/b/c\\d/00000",
        "a/b/" + "c" * 121 + "/00000",
    ],
)
def test_what_is_no_path_is_nowhere(path):
    with pytest.raises(RefusedError) as refused:
        Guard.read_path(path)
    assert refused.value.status == 404


def test_each_reads_and_writes_its_own(guard):
    def path(sender, recipient):
        return f"{Parcel(sender, recipient, 'x', 1, 0, '0' * 64).folder}/00000"

    assert guard.may_read("a/lab", path("a/lab", "analyst"))
    assert guard.may_read("analyst", path("a/lab", "analyst"))
    assert guard.may_read("b/lab", path("analyst", EVERYONE))
    assert not guard.may_read("b/lab", path("a/lab", "analyst"))
    guard.check_write("a/lab", Guard.read_path(path("a/lab", "analyst")))
    for sender, recipient in (("b/lab", "analyst"), ("a/lab", EVERYONE), ("a/lab", "nobody")):
        with pytest.raises(RefusedError):
            guard.check_write("a/lab", Guard.read_path(path(sender, recipient)))
    assert folder_of("a/lab") != folder_of("a.lab")
