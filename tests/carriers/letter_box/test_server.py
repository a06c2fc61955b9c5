"""The server of a letter box, asked by friends and others."""

import re
import time

import httpx
import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.letter_box import server as module
from consilience.carriers.letter_box.signatures import Challenge, sign_request
from consilience.carriers.parcel import PIECE_BYTES, SLIP, Parcel
from consilience.exceptions import CarrierError

CONTENT = b"sealed bytes"


@pytest.fixture
def ask(letter_box):
    """Ask as a role, by hand: ``ask("a/lab", "GET", "/v1/files")`` returns the answer."""
    with httpx.Client(base_url=letter_box.address) as client:

        def asked(role, method, path, query="", body=b"", headers=None, content=None):
            said = client.get("/v1/challenge").json()
            challenge = Challenge(said["box"], said["now"])
            signer = letter_box.case.identities[role]
            signed = sign_request(signer, method, path, query, body, challenge) | (headers or {})
            address = f"{path}?{query}" if query else path
            return client.request(method, address, headers=signed, content=content or body or None)

        yield asked


def put(letter_box, tmp_path, sender="a/lab", recipient="analyst"):
    (tmp_path / "x").write_bytes(CONTENT)
    carrier = Carrier(letter_box.open(sender))
    return carrier.put(tmp_path / "x", sender=sender, recipient=recipient)


def test_a_letter_is_read_by_its_sender_and_its_recipient_only(letter_box, ask, tmp_path):
    parcel = put(letter_box, tmp_path)
    path = f"/v1/files/{parcel.folder}/00000"
    for role in ("a/lab", "analyst"):
        assert ask(role, "GET", path).content == CONTENT
        assert len(ask(role, "GET", "/v1/files").json()["files"]) == 2
    other = ask("b/lab", "GET", path)
    nowhere = ask("b/lab", "GET", path.replace("00000", "00007"))
    assert (other.status_code, other.content) == (nowhere.status_code, nowhere.content)
    assert other.status_code == 404
    assert ask("b/lab", "GET", "/v1/files").json()["files"] == {}


def test_a_range_is_honoured(letter_box, ask, tmp_path):
    parcel = put(letter_box, tmp_path)
    path = f"/v1/files/{parcel.folder}/00000"
    part = ask("analyst", "GET", path, headers={"range": "bytes=7-"})
    assert (part.status_code, part.content) == (206, CONTENT[7:])


def test_nobody_writes_in_the_name_of_another_or_the_study(letter_box, ask):
    for sender, recipient in (("b/lab", "analyst"), ("a/lab", "everyone")):
        folder = Parcel(sender, recipient, "x", 1, 1, "0" * 64).folder
        assert ask("a/lab", "PUT", f"/v1/files/{folder}/00000", body=b"x").status_code == 403
    assert not any(path.is_file() for path in letter_box.root.rglob("*"))


def test_a_body_that_is_not_what_was_signed_is_not_kept(letter_box, ask):
    folder = Parcel("a/lab", "analyst", "x", 1, 1, "0" * 64).folder
    path = f"/v1/files/{folder}/00000"
    changed = ask("a/lab", "PUT", path, body=b"mine", content=b"evil")
    assert (changed.status_code, "digest" in changed.json()["why"]) == (400, True)
    unstated = ask("a/lab", "PUT", path, body=b"mine", content=iter([b"mine"]))
    assert unstated.status_code == 411
    assert not any(path.is_file() for path in letter_box.root.rglob("*"))


def test_a_parcel_that_is_whole_is_not_changed(letter_box, ask, tmp_path):
    parcel = put(letter_box, tmp_path)
    path = f"/v1/files/{parcel.folder}/00000"
    assert ask("a/lab", "PUT", path, body=b"other").status_code == 204
    assert ask("analyst", "GET", path).content == CONTENT


def test_a_slip_without_its_pieces_is_refused(ask):
    parcel = Parcel("a/lab", "analyst", "x", 1, PIECE_BYTES, "0" * 64)
    path = f"/v1/files/{parcel.folder}/{SLIP}"
    assert ask("a/lab", "PUT", path, body=parcel.slip).status_code == 409
    assert ask("a/lab", "PUT", path, body=parcel.slip[:-1]).status_code == 422
    assert ask("a/lab", "PUT", path, body=b"x" * 5000).status_code == 413


def test_the_unsigned_learn_whether_it_lives_and_counts_without_names(letter_box, tmp_path):
    put(letter_box, tmp_path)
    with httpx.Client(base_url=letter_box.address) as client:
        assert client.get("/health").text == "ok\n"
        metrics = client.get("/metrics").text
        assert "consilience_letter_box_parcels 1\n" in metrics
        assert "lab" not in metrics
        assert re.search(r"consilience_letter_box_free_gigabytes \d+\n", metrics)
        for path in ("/v1/files", "/v1/files/a/b/c/00000", "/v1/wait?seen=0&seconds=0"):
            assert client.get(path).status_code == 401
        assert client.put("/v1/files/a/b/c/00000", content=b"x").status_code == 401
        assert client.get("/etc/passwd").status_code == 404


def test_the_size_of_a_letter_cannot_be_told_from_the_counts(letter_box, tmp_path):
    def counts():
        text = httpx.get(letter_box.address + "/metrics").text
        return [line for line in text.splitlines() if "free" not in line]

    sender = Carrier(letter_box.open("a/lab"))
    for n_bytes in (10, 2 * PIECE_BYTES):
        (tmp_path / str(n_bytes)).write_bytes(bytes(n_bytes))
        before = counts()
        sender.put(tmp_path / str(n_bytes), sender="a/lab", recipient="analyst")
        changed = set(counts()) - set(before)
        assert [line.split()[0] for line in changed] == ["consilience_letter_box_parcels"]


def test_who_waits_hears_of_a_letter_at_once(letter_box, ask, tmp_path):
    seen = ask("analyst", "GET", "/v1/files").json()["seen"]
    put(letter_box, tmp_path)
    begun = time.monotonic()
    answer = ask("analyst", "GET", "/v1/wait", f"seen={seen}&seconds=30").json()
    assert (answer["seen"] > seen, time.monotonic() - begun < 20) == (True, True)
    assert ask("analyst", "GET", "/v1/wait", "seen=x&seconds=1").status_code == 422


def test_a_body_that_does_not_come_is_not_waited_for(letter_box, ask, monkeypatch):
    monkeypatch.setattr(module, "MAX_SILENCE", 0.1)
    folder = Parcel("a/lab", "analyst", "x", 1, 1, "0" * 64).folder

    def slowly():
        yield b"a"
        time.sleep(1)
        yield b"b"

    headers = {"content-length": "2"}
    path = f"/v1/files/{folder}/00000"
    try:
        status = ask(
            "a/lab", "PUT", path, body=b"ab", headers=headers, content=slowly()
        ).status_code
    except httpx.TransportError:
        status = 408  # it was cut off before it had said all
    assert status == 408
    assert not any(path.is_file() for path in letter_box.root.rglob("*"))


def test_a_full_disk_is_said_without_names_and_got_over(letter_box, monkeypatch, tmp_path, caplog):
    real, full = module.write_whole, iter([True] * 3)

    def failing(path, *more):
        if next(full, False):
            raise OSError(28, "No space left on device", str(path))
        return real(path, *more)

    monkeypatch.setattr(module, "write_whole", failing)
    monkeypatch.setattr("consilience.carriers.letter_box.client.FIRST_PAUSE", 0.001)
    parcel = put(letter_box, tmp_path)
    assert Carrier(letter_box.open("analyst")).list("analyst") == [parcel]
    assert "OSError" in caplog.text
    assert "lab" not in caplog.text


def test_a_role_may_leave_so_much_and_no_more(case, tmp_path):
    from consilience.carriers.letter_box.box import Limits
    from letter_boxes import run_letter_box

    with (
        run_letter_box(case, tmp_path / "small", limits=Limits(n_bytes=5)) as box,
        pytest.raises(CarrierError, match="507, the letter box holds as much"),
    ):
        put(box, tmp_path)
