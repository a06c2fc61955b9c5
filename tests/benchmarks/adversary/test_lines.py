"""Lines that are carried, cut and opened."""

import random
import socket
import ssl
import threading
from contextlib import suppress

import pytest

from benchmarks.adversary import lines


@pytest.fixture
def port():
    """Run a server that says back what it hears."""
    with socket.create_server(("127.0.0.1", 0)) as bound:

        def serve():
            with suppress(OSError):
                while True:
                    line, _ = bound.accept()
                    with line:
                        while data := line.recv(100):
                            line.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        yield bound.getsockname()[1]


class Whole(random.Random):
    """Draws lines that are neither cut nor slow."""

    def choice(self, seq):
        return seq[0]

    def random(self):
        return 0.9


class Cut(Whole):
    def choice(self, seq):
        return 5


def carried(carry, port, rng, said):
    """Say something through a line, and return what comes back."""
    bound = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=carry, args=(bound, port, rng), daemon=True).start()
    with socket.create_connection(bound.getsockname(), 20) as line:
        line.sendall(said)
        back = line.recv(100)
        if back == lines.ESTABLISHED:
            line.sendall(b"hello")
            back = line.recv(100)
        return back


def test_a_line_carries_or_is_cut(port):
    assert carried(lines.relay, port, Whole(0), b"hello") == b"hello"
    assert carried(lines.relay, port, Cut(0), b"hello") == b""


def test_a_proxy_connects_to_one_place_only(port):
    ask = "CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n"
    assert carried(lines.connect_for, port, Whole(0), ask.format(port).encode()) == b"hello"
    assert carried(lines.connect_for, port, Whole(0), ask.format(1).encode()) == b""
    assert carried(lines.connect_for, port, Whole(0), b"GET / HTTP/1.1\r\n\r\n") == b""


def test_a_house_is_trusted_by_who_knows_its_authority(tmp_path):
    house = lines.House(tmp_path)
    trusting = ssl.create_default_context(cafile=house.authority)
    with socket.create_server(("127.0.0.1", 0)) as bound:

        def shake():
            line, _ = bound.accept()
            with line, house.context.wrap_socket(line, server_side=True) as inner:
                inner.sendall(b"in")

        thread = threading.Thread(target=shake)
        thread.start()
        with (
            socket.create_connection(bound.getsockname(), 20) as plain,
            trusting.wrap_socket(plain, server_hostname="127.0.0.1") as line,
        ):
            assert line.recv(10) == b"in"
        thread.join()
