import os
import socket
from contextlib import ExitStack, closing

import pytest

pytest.importorskip("zmq", reason="needs the extra 'peer'")

from consilience.consensus.mesh import Mesh, curve_keys
from consilience.consensus.terms import Address
from consilience.messages import Farewell


@pytest.fixture
def place():
    """Addresses of two peers, and their secret keys."""
    with ExitStack() as sockets:
        ports = []
        for _ in range(2):
            one = sockets.enter_context(socket.socket())
            one.bind(("127.0.0.1", 0))
            ports.append(one.getsockname()[1])
    keys = {name: curve_keys(os.urandom(32)) for name in "ab"}
    addresses = {
        name: Address(endpoint=f"tcp://127.0.0.1:{port}", curve=keys[name][0])
        for name, port in zip("ab", ports, strict=True)
    }
    return addresses, {name: keys[name][1] for name in "ab"}


def until(holds, *meshes):
    """Look until something holds; a hundred looks of a tenth of a second are enough for all."""
    for _ in range(100):
        for mesh in meshes:
            mesh.receive(0.1)
            mesh.look()
        if holds():
            return True
    return False


def test_who_is_there_is_seen_though_it_says_nothing_and_who_leaves_too(place):
    addresses, secrets = place
    with closing(Mesh("a", addresses, secrets["a"], None)) as a:
        b = Mesh("b", addresses, secrets["b"], None)
        # b does not look at its messages at all, as a peer that computes does not.
        assert until(lambda: a.present == {"b"}, a)
        b.close()
        assert until(lambda: a.present == set(), a)


def test_a_peer_with_another_key_than_the_study_names_is_told_of_on_both_sides(place):
    addresses, secrets = place
    public, secret = curve_keys(os.urandom(32))
    other = {**addresses, "b": Address(endpoint=addresses["b"].endpoint, curve=public)}
    with (
        closing(Mesh("a", addresses, secrets["a"], None)) as a,
        closing(Mesh("b", other, secret, None)) as b,
    ):
        b.send(Farewell(study="s", sender="b", recipient="a", iteration=1, attempt=0))
        assert until(lambda: a.log and b.log, a, b)
        assert "a key that the study does not name" in a.log[0]
        assert "a turned this peer away" in b.log[0]
        assert a.present == set()
        assert a.traffic.received == {}
