import multiprocessing
import os
import signal
import socket
import threading
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from consilience.arrays import to_bytes
from consilience.consensus.estimator import ConsensusClustering
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import Address, ConsensusTerms
from consilience.exceptions import PeerError, StudyError
from consilience.messages import Commitment

zmq = pytest.importorskip("zmq", reason="needs the extra 'peer'")

from consilience.consensus.mesh import curve_keys  # noqa: E402
from consilience.consensus.network import run_peer  # noqa: E402
from consilience.transports.wire import encode  # noqa: E402

X = load_digits().data[:200]
COLUMNS = {"bank": range(20), "clinic": range(20, 40), "insurer": range(40, 64)}
TERMS = ConsensusTerms(seed=7, max_iter=4)
FORK = multiprocessing.get_context("fork")


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


@pytest.fixture
def study():
    keys = {name: curve_keys(os.urandom(32)) for name in COLUMNS}
    ports = dict(zip(COLUMNS, free_ports(3), strict=True))
    addresses = {
        n: Address(endpoint=f"tcp://127.0.0.1:{ports[n]}", curve=keys[n][0]) for n in COLUMNS
    }
    return addresses, {n: keys[n][1] for n in COLUMNS}


def make(name, terms=TERMS, kind=Peer):
    own = X[:, COLUMNS[name]]
    return kind(name, tuple(COLUMNS), own, terms, LocalStep(KMeans(5)), study="s")


def expected():
    columns = [list(c) for c in COLUMNS.values()]
    return ConsensusClustering(
        KMeans(5), columns=columns, max_iter=4, profile="paper", random_state=7
    ).fit_predict(X)


class Running(threading.Thread):
    """A peer in a thread of its own, with its own sockets."""

    def __init__(self, role, addresses, secrets, **options):
        super().__init__(daemon=True)
        self.role, self.error, self.traffic = role, None, None
        self.arguments = (role, addresses, secrets[role.name])
        self.options = {"timeout": 20.0, **options}
        self.start()

    def run(self):
        try:
            self.traffic = run_peer(*self.arguments, **self.options)
        except Exception as error:
            self.error = error

    def finish(self):
        self.join(60)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error
        return self.traffic


def push(address, server_key, keys, *, heard=False):
    """Open a socket; one that is ``heard`` sends only when the other side has let it in."""
    context = zmq.Context()
    out = context.socket(zmq.PUSH)
    out.curve_publickey, out.curve_secretkey = (k.encode() for k in keys)
    out.curve_serverkey = server_key.encode()
    out.setsockopt(zmq.LINGER, 500)
    out.setsockopt(zmq.IMMEDIATE, int(heard))
    out.setsockopt(zmq.SNDTIMEO, 30_000)
    out.connect(address)
    return context, out


def test_peers_on_loopback_agree_with_the_estimator(study):
    addresses, secrets = study
    running = [Running(make(name), addresses, secrets) for name in COLUMNS]
    traffic = [r.finish() for r in running]
    labels = expected()
    for r in running:
        np.testing.assert_array_equal(r.role.labels, labels)
    for t in traffic:
        assert t.refused == []
        assert set(t.sent) == {
            "Commitment",
            "LocalLabels",
            "Ranking",
            "StateDigest",
            "Farewell",
        }


def test_fuzz_and_strangers_do_not_stop_the_run(study):
    addresses, secrets = study
    bank = Running(make("bank"), addresses, secrets)
    public = addresses["clinic"].curve
    place = addresses["bank"].endpoint
    # A stranger whose key the study does not name.
    stranger, out = push(place, addresses["bank"].curve, curve_keys(os.urandom(32)))
    out.send(b"let me in")
    # Someone who holds the clinic's key and does not keep to any rule.
    keys = (public, secrets["clinic"])
    rogue, wild = push(place, addresses["bank"].curve, keys, heard=True)
    good = encode(make("clinic").begin()[0])
    forged = encode(replace(make("insurer").begin()[0], recipient="bank"))
    other = encode(replace(make("clinic").begin()[0], study="another study"))
    rng = np.random.default_rng(0)
    for data in (b"", b"\x00" * 100, good[:50], good[:-3], forged, other, rng.bytes(500)):
        wild.send(data)
    rest = [Running(make(name), addresses, secrets) for name in ("clinic", "insurer")]
    traffic = bank.finish()
    for r in rest:
        r.finish()
    out.close(linger=0)
    wild.close()
    stranger.term()
    rogue.term()
    for role in (bank.role, *(r.role for r in rest)):
        np.testing.assert_array_equal(role.labels, expected())
    # Five that are no messages make one line: nobody can fill the log.
    assert len(traffic.refused) == 3
    assert sum("not a message" in line for line in traffic.refused) == 1
    assert sum("in the name of someone else" in line for line in traffic.refused) == 1
    assert sum("another study" in line for line in traffic.refused) == 1


class Mortal(Peer):
    """Kills its own process, as kill -9 does, when it has received so many messages."""

    lives = 10**9

    def receive(self, message):
        self.lives -= 1
        if self.lives <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().receive(message)


class Hourglass:
    """A clock that stands still until a role has waited for one peer alone, and then runs out."""

    def __init__(self, role, awaited):
        self.role, self.awaited, self.looks = role, awaited, 0

    def __call__(self):
        self.looks += self.role.waiting_for == (self.awaited,)
        return 0.0 if self.looks < 2 else 1000.0


def live(name, addresses, secrets, folder, lives, terms, awaited, results):
    role = make(name, terms, Mortal)
    role.lives = lives
    options = {} if awaited is None else {"clock": Hourglass(role, awaited)}
    try:
        run_peer(role, addresses, secrets[name], timeout=30.0, folder=folder, **options)
    except PeerError as error:
        results.put((name, "error", str(error)))
    else:
        results.put((name, role.labels.tolist(), role.log))


def begin(name, study, folder, results, lives=10**9, terms=TERMS, awaited=None):
    process = FORK.Process(
        target=live, args=(name, *study, folder, lives, terms, awaited, results), daemon=True
    )
    process.start()
    return process


def gather(processes, results):
    found = {}
    for _ in processes:
        name, *rest = results.get(timeout=60)
        found[name] = rest
    for p in processes:
        p.join(30)
    return found


@pytest.mark.parametrize("lives", [1, 4, 12, 19, 26])
def test_a_peer_killed_in_mid_round_rejoins_and_the_run_goes_on(study, tmp_path, lives):
    results = FORK.Queue()
    others = [begin(name, study, tmp_path, results) for name in ("bank", "clinic")]
    victim = begin("insurer", study, tmp_path, results, lives=lives)
    victim.join(60)
    assert victim.exitcode == -signal.SIGKILL
    again = begin("insurer", study, tmp_path, results)
    found = gather([*others, again], results)
    labels = expected().tolist()
    for name in COLUMNS:
        assert found[name][0] == labels


@pytest.mark.parametrize(("victim", "lives"), [("bank", 3), ("clinic", 9), ("insurer", 17)])
def test_all_are_killed_and_started_again_and_nothing_is_lost(study, tmp_path, victim, lives):
    """One kills itself, in mid-step; the others are killed wherever they are."""
    results = FORK.Queue()
    first = {
        name: begin(name, study, tmp_path, results, lives=lives if name == victim else 10**9)
        for name in COLUMNS
    }
    first[victim].join(60)
    for process in first.values():
        process.kill()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
    again = [begin(name, study, tmp_path, results) for name in COLUMNS]
    found = gather(again, results)
    assert [found[name][0] for name in COLUMNS] == [expected().tolist()] * 3


class Sleeper(ClusterMixin, BaseEstimator):
    """Clusters when it is told to wake up."""

    def __init__(self, wake):
        self.wake = wake

    def __sklearn_clone__(self):
        return self

    def fit_predict(self, X, y=None):
        assert self.wake.wait(60)
        return KMeans(5, random_state=0).fit_predict(X)


def test_a_slow_peer_is_not_absent(study):
    """When all have met, the others' clock runs an hour at every look, and the insurer sleeps."""
    addresses, secrets = study
    wake, looks = threading.Event(), []

    def clock():
        looks.append(3600.0 if len(looks) > 60 else 0.0)
        if len(looks) > 90:
            wake.set()
        return sum(looks)

    own = X[:, COLUMNS["insurer"]]
    slow = Peer("insurer", tuple(COLUMNS), own, TERMS, LocalStep(Sleeper(wake)), study="s")
    running = [Running(slow, addresses, secrets)]
    for name in ("bank", "clinic"):
        options = {"timeout": 3000.0, "deadline": 1e9, "clock": clock}
        running.append(Running(make(name), addresses, secrets, **options))
    for r in running:
        r.finish()
    assert len({r.role.labels.tobytes() for r in running}) == 1


class Claimant(Peer):
    """Claims to have heard other labels than the others, and does not show them."""

    def receive(self, message):
        said = super().receive(message)
        return [self.claim(m) for m in said if not getattr(m, "in_full", False)]

    def claim(self, message):
        if isinstance(message, Commitment) and message.phase == "ranking":
            return replace(message, heard=np.full((3, 32), 7, dtype=np.uint8))
        return message


def test_who_claims_a_difference_and_shows_nothing_counts_as_absent(study):
    """It is there and gives signs of life; that is not enough."""
    addresses, secrets = study
    others = [
        FORK.Process(target=run_peer, args=(make(n, kind=kind), addresses, secrets[n]), daemon=True)
        for n, kind in (("clinic", Claimant), ("insurer", Peer))
    ]
    for process in others:
        process.start()
    bank, looks = make("bank"), []

    def clock():
        looks.extend([100.0] if bank.hearsay.doubted else [])
        return sum(looks)

    with pytest.raises(PeerError, match="clinic did not answer in iteration 1") as caught:
        run_peer(bank, addresses, secrets["bank"], timeout=30.0, clock=clock)
    assert caught.value.peers == ("clinic",)
    assert any("clinic says that it has heard something else" in line for line in bank.log)
    for process in others:
        process.kill()
        process.join(30)


def test_a_run_that_takes_too_long_ends_with_who_is_awaited(study):
    addresses, secrets = study
    times = iter([0.0, *[100.0] * 1000])
    with pytest.raises(PeerError, match=r"longer than its deadline.*clinic, insurer") as caught:
        run_peer(
            *(make("bank"), addresses, secrets["bank"]),
            **{"timeout": 1e6, "deadline": 50.0, "clock": lambda: next(times)},
        )
    assert caught.value.peers == ("clinic", "insurer")


def test_a_peer_of_another_study_is_named_at_once(study):
    addresses, secrets = study
    own, said = X[:, COLUMNS["clinic"]], []
    other = Peer("clinic", tuple(COLUMNS), own, TERMS, LocalStep(KMeans(5)), study="t")
    running = Running(other, addresses, secrets, timeout=5.0)

    def tell(line):
        said.append(line)
        if "another study" in line:
            raise RuntimeError("told")

    with pytest.raises(RuntimeError, match="told"):
        run_peer(make("bank"), addresses, secrets["bank"], timeout=1e6, tell=tell)
    assert "'clinic' takes part in another study, 't'; yours is 's'" in said[-1]
    with pytest.raises(PeerError):
        running.finish()


def test_a_peer_that_never_comes_is_left_out_if_the_terms_say_so(study, tmp_path):
    terms = TERMS.model_copy(update={"when_absent": "go on without"})
    results = FORK.Queue()
    two = [
        begin(name, study, tmp_path, results, terms=terms, awaited="insurer")
        for name in ("bank", "clinic")
    ]
    found = gather(two, results)
    assert found["bank"][0] == found["clinic"][0]
    assert any("going on without insurer, whose veto is lost" in x for x in found["bank"][1])


def test_a_peer_that_never_comes_ends_the_run_by_default(study, tmp_path):
    results = FORK.Queue()
    two = [begin(name, study, tmp_path, results, awaited="insurer") for name in ("bank", "clinic")]
    found = gather(two, results)
    for name in ("bank", "clinic"):
        assert found[name][0] == "error"
        assert "insurer did not answer in iteration 1" in found[name][1]


def test_an_address_in_use_is_named(study):
    addresses, secrets = study
    place = addresses["bank"].endpoint
    taken = socket.socket()
    taken.bind(("127.0.0.1", int(place.rsplit(":", 1)[1])))
    taken.listen()
    with pytest.raises(StudyError, match="bank cannot listen at"):
        run_peer(make("bank"), addresses, secrets["bank"])
    taken.close()


def test_a_spoilt_checkpoint_is_named(study, tmp_path):
    addresses, secrets = study
    (tmp_path / "bank.checkpoint").write_bytes(b"nothing of use")
    with pytest.raises(StudyError, match="delete it to start over"):
        run_peer(make("bank"), addresses, secrets["bank"], folder=tmp_path)


def test_a_checkpoint_of_another_version_is_not_read(study, tmp_path):
    addresses, secrets = study
    (tmp_path / "bank.checkpoint").write_bytes(to_bytes({"attempt": np.zeros(1)}))
    said = []
    with pytest.raises(PeerError, match="did not answer"):
        run_peer(
            *(make("bank"), addresses, secrets["bank"]),
            **{"folder": tmp_path, "timeout": 0.0, "tell": said.append},
        )
    assert said[0] == "the checkpoint is of another version: starting anew"
