"""Reaching a letter box: certificates, clocks, servers that come and go."""

import socket
import threading
import time

import pytest

from consilience.carriers.carrier import Carrier
from consilience.carriers.letter_box import client as module
from consilience.carriers.letter_box.listening import make_certificate
from consilience.carriers.parcel import Parcel
from consilience.exceptions import CarrierError
from letter_boxes import run_letter_box

PATH = f"{Parcel('a/lab', 'analyst', 'x', 1, 1, '0' * 64).folder}/00000"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(module, "ATTEMPTS", 3)


def test_a_pinned_certificate_is_trusted_and_no_other(case, tmp_path, quick):
    tls = make_certificate(tmp_path / "one", "127.0.0.1")
    with run_letter_box(case, tmp_path / "box", tls) as box:
        box.open("a/lab").write(PATH, b"x")
        assert box.open("a/lab").find() == {PATH: 1}
        good, box.address = box.address, box.address.replace("#sha256=", "#sha256=0")[:-1]
        with pytest.raises(CarrierError, match="another certificate"):
            box.open("a/lab").find()
        box.address = good.partition("#")[0]
        with pytest.raises(CarrierError, match="does not trust its certificate"):
            box.open("a/lab").find()
        assert box.open("a/lab", ca=tls.certificate).find() == {PATH: 1}
        box.address += "#sha256=12"
        with pytest.raises(CarrierError, match="64 digits"):
            box.open("a/lab")


def test_the_certificate_of_the_study_is_trusted_and_no_other(case, tmp_path, quick):
    tls = make_certificate(tmp_path / "one", "127.0.0.1")
    with run_letter_box(case, tmp_path / "box", tls) as box:
        whole, box.address = box.address, box.address.partition("#")[0]
        assert box.open("a/lab", certificate=tls.fingerprint).find() == {}
        other = "0" * 64
        with pytest.raises(CarrierError, match=f"is {tls.fingerprint}, must be {other}"):
            box.open("a/lab", certificate=other).find()
        # Behind a proxy that opens TLS, and where the certificate was renewed.
        assert box.open("a/lab", certificate=other, ca=tls.certificate).find() == {}
        box.address = whole
        assert box.open("a/lab", certificate=other).find() == {}


def test_a_server_whose_clock_is_off_by_a_day_is_obeyed(letter_box, monkeypatch):
    monkeypatch.setattr(time, "time", lambda real=time.time: real() + 86_400)
    letter_box.open("a/lab").write(PATH, b"x")
    assert letter_box.open("a/lab").find() == {PATH: 1}


def test_a_server_that_started_again_is_asked_anew(case, tmp_path, quick):
    with run_letter_box(case, tmp_path / "box") as first:
        shelf, port = first.open("a/lab"), int(first.address.rpartition(":")[2])
        shelf.write(PATH, b"x")
        first.opened.clear()
    with run_letter_box(case, tmp_path / "box", port=port) as second:
        second.opened.append(shelf)
        assert shelf.find() == {PATH: 1}
        assert shelf.read(PATH) == b"x"


def test_nobody_there_is_said_so(case, tmp_path, quick):
    with run_letter_box(case, tmp_path / "box") as box:
        shelf = box.open("a/lab")
        box.opened.clear()
    with pytest.raises(CarrierError, match="cannot be reached or refuses: ConnectError"):
        shelf.find()
    shelf.close()


def test_who_joins_before_there_is_a_box_waits_for_it(case, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.05)
    tls = make_certificate(tmp_path / "one", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    address = f"https://127.0.0.1:{port}#sha256={tls.fingerprint}"
    early, found = module.LetterBox(address, case.identities["a/lab"]), []
    asking = threading.Thread(target=lambda: found.append(early.find()))
    asking.start()
    with run_letter_box(case, tmp_path / "box", tls, port=port):
        asking.join()
        early.close()
    assert found == [{}]


def test_rest_ends_when_a_letter_comes(letter_box, tmp_path):
    (tmp_path / "x").write_bytes(b"sealed")
    waiting, ended = letter_box.open("analyst"), []
    waiting.find()
    begun = time.monotonic()
    thread = threading.Thread(target=lambda: (waiting.rest(30), ended.append(time.monotonic())))
    thread.start()
    Carrier(letter_box.open("a/lab")).put(tmp_path / "x", sender="a/lab", recipient="analyst")
    thread.join()
    assert ended[0] - begun < 20


def test_what_is_no_letter_box_is_said_so(case, quick):
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer():
            connection, _ = other.accept()
            connection.recv(2**16)
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi")
            connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        address = f"http://127.0.0.1:{other.getsockname()[1]}"
        shelf = module.LetterBox(address, case.identities["a/lab"])
        with pytest.raises(CarrierError, match="no letter box of Consilience"):
            shelf.find()
        shelf.close()
        thread.join()


def test_what_comes_between_two_looks_is_not_slept_over(letter_box, tmp_path):
    waiting = letter_box.open("analyst")
    waiting.find()
    (tmp_path / "x").write_bytes(b"sealed")
    sender = Carrier(letter_box.open("a/lab"))
    sender.put(tmp_path / "x", sender="a/lab", recipient="analyst")
    waiting.find()  # as whoever sends something looks once more
    begun = time.monotonic()
    waiting.rest(60)
    assert time.monotonic() - begun < 30
