"""Where a letter box listens, and to whom no longer."""

import socket
import stat
import time

import pytest

from consilience.carriers.letter_box import listening as module
from consilience.carriers.letter_box.listening import Tls, check_listen, make_certificate
from consilience.exceptions import StudyError
from letter_boxes import run_letter_box


@pytest.mark.parametrize("text", ["8443", "host:", ":8443", "host:x", "host:65536"])
def test_what_is_no_place_to_listen_is_refused(text):
    with pytest.raises(StudyError, match="must be HOST:PORT"):
        check_listen(text, True)


def test_beyond_this_machine_there_is_tls_or_nothing():
    for host in ("0.0.0.0", "192.0.2.1", "box.example"):
        with pytest.raises(StudyError, match="speaks TLS only"):
            check_listen(f"{host}:8443", False)
        assert check_listen(f"{host}:8443", True) == (host, 8443)
    assert check_listen("127.0.0.1:0", False) == ("127.0.0.1", 0)


def test_a_certificate_is_made_once_and_its_key_is_private(tmp_path):
    first = make_certificate(tmp_path, "box.example")
    assert make_certificate(tmp_path, "other.example").fingerprint == first.fingerprint
    assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
    assert first.ends > time.time() + 2 * 365 * 86400
    (tmp_path / "none.pem").write_text("no certificate")
    with pytest.raises(StudyError, match="no certificate in PEM"):
        assert Tls(tmp_path / "none.pem", first.key).fingerprint


@pytest.mark.parametrize("said", [b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nx: "])
def test_who_does_not_ask_is_cut_off(case, tmp_path, monkeypatch, said):
    monkeypatch.setattr(module, "HEAD_SECONDS", 0.2)
    with (
        run_letter_box(case, tmp_path / "box") as box,
        socket.create_connection(("127.0.0.1", int(box.address.rpartition(":")[2]))) as slow,
    ):
        slow.settimeout(20)
        slow.sendall(said)
        begun = time.monotonic()
        try:
            ended = slow.recv(100) == b""
        except ConnectionResetError:
            ended = True
        assert ended
        assert time.monotonic() - begun < 15


def test_who_asks_and_asks_again_is_not_cut_off(case, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "HEAD_SECONDS", 0.2)
    with (
        run_letter_box(case, tmp_path / "box") as box,
        socket.create_connection(("127.0.0.1", int(box.address.rpartition(":")[2]))) as patient,
    ):
        patient.settimeout(20)
        for _ in range(3):
            patient.sendall(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")
            said = b""
            while not said.endswith(b"ok\n"):
                said += patient.recv(1000) or b"ok\n"
            assert b"200 OK" in said
            time.sleep(0.4)
