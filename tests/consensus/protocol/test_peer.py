from collections import deque
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from consilience.consensus.checkpoint import restore_peer, write_checkpoint
from consilience.consensus.estimator import ConsensusClustering
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.commitments import commit
from consilience.consensus.protocol.payloads import bit_width, pack
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import MessageError, PeerError, StudyError
from consilience.messages import (
    Commitment,
    Failure,
    LocalLabels,
    Ranking,
    Rejoin,
    StateDigest,
    Witness,
)
from consilience.transports.wire import encode

NAMES = ("bank", "clinic", "insurer")
X = load_digits().data[:120]
VIEWS = {"bank": X[:, :20], "clinic": X[:, 20:40], "insurer": X[:, 40:]}


def peer(name, X=None, names=NAMES, kind=Peer, pseudonyms=None, **changes):
    terms = ConsensusTerms(**{"seed": 7, "max_iter": 4, **changes})
    given = {"pseudonyms": pseudonyms, "study": "s", "secret": name.encode()}
    X = VIEWS[name] if X is None else X
    return kind(name, names, X, terms, LocalStep(KMeans(5)), **given)


def make(names=NAMES, **changes):
    return {name: peer(name, names=names, **changes) for name in names}


def start(roles):
    return deque(m for role in roles.values() for m in role.begin())


def run(roles, queue=None, change=lambda m: m, until=lambda roles: False):
    """Deliver until nothing is left; `change` may alter, drop (None) or multiply messages."""
    queue = start(roles) if queue is None else queue
    sent = []
    while queue and not until(roles):
        message = queue.popleft()
        changed = change(message)
        for copy in changed if isinstance(changed, list) else [changed]:
            if copy is not None and copy.recipient in roles:
                sent.append(copy)
                queue.extend(roles[copy.recipient].receive(copy))
    return sent


@cache
def expected():
    columns = [list(range(20)), list(range(20, 40)), list(range(40, 64))]
    return ConsensusClustering(
        KMeans(5), columns=columns, max_iter=4, profile="paper", random_state=7
    ).fit(X)


def test_peers_end_with_the_labels_of_the_estimator():
    roles = make()
    run(roles)
    model = expected()
    for role in roles.values():
        assert role.done
        np.testing.assert_array_equal(role.labels, model.labels_)
        np.testing.assert_array_equal(role.hierarchy.fusions(), model.hierarchy_.fusions())


@pytest.mark.parametrize("seed", range(5))
def test_order_and_copies_of_messages_do_not_change_the_result(seed):
    """Each pair keeps its order, as a connection does; pairs interleave and repeat at random."""
    roles, rng = make(), np.random.default_rng(seed)
    lanes, used = {}, []

    def put(messages):
        for m in messages:
            lanes.setdefault((m.sender, m.recipient), deque()).append(m)

    put(start(roles))
    while any(lanes.values()):
        lane = rng.choice([k for k, (key, q) in enumerate(lanes.items()) if q])
        message = list(lanes.values())[lane].popleft()
        used.append(message)
        put(roles[message.recipient].receive(message))
        old = used[rng.integers(len(used))]
        put(roles[old.recipient].receive(old))
    model = expected()
    for role in roles.values():
        np.testing.assert_array_equal(role.labels, model.labels_)
        assert role.log == []


def test_nothing_but_labels_and_ranks_leaves_a_peer():
    """A planted value is not in any byte sent, in any of its usual spellings."""
    roles = make()
    planted = VIEWS["bank"].copy()
    planted[:, 0] = 1234.5678
    roles["bank"] = peer("bank", planted)
    for message in run(roles):
        content = b"".join(
            v.tobytes() if isinstance(v, np.ndarray) else str(v).encode()
            for v in vars(message).values()
        )
        for spelt in (np.float64(1234.5678).tobytes(), np.float32(1234.5678).tobytes(), b"1234.5"):
            assert spelt not in content


def test_bytes_stay_within_proposition_3_1():
    roles = make()
    sent = run(roles)
    n_iterations = max(m.iteration for m in sent)
    for iteration in range(1, n_iterations + 1):
        now = [m for m in sent if m.iteration == iteration]
        labels = [m for m in now if isinstance(m, LocalLabels)]
        state = roles["bank"].hierarchy
        n_before = len(np.unique(state.medoids(iteration - 1)))
        n_after = len(np.unique(state.medoids(min(iteration, state.n_levels))))
        most = int(
            np.unique(state.medoids(min(iteration, state.n_levels)), return_counts=True)[1].max()
        )
        bound = 6 * (
            n_before * bit_width(max(m.n_labels for m in labels))
            + n_after * most * bit_width(len(X))
        )
        bits = sum(8 * m.packed.size for m in now if isinstance(m, (LocalLabels, Ranking)))
        assert bits <= bound + 8 * 12


def spoil_labels(message):
    if not isinstance(message, LocalLabels) or message.sender != "clinic":
        return message
    return replace(message, packed=message.packed[::-1].copy())


def test_labels_that_differ_from_the_commitment_are_refused():
    roles = make()
    sent = run(roles, change=spoil_labels)
    refusals = [m for m in sent if isinstance(m, Failure)]
    assert {m.recipient for m in refusals} == {"clinic"}
    assert "committed" in refusals[0].reason
    assert not any(role.done for role in roles.values())
    assert roles["bank"].waiting_for == ("clinic",)


def labels_message(**changes):
    header = {"study": "s", "sender": "clinic", "recipient": "bank", "iteration": 1, "attempt": 0}
    content = {"n_labels": 1, "packed": np.zeros(0, np.uint8), "nonce": np.zeros(16, np.uint8)}
    return LocalLabels(**{**header, **content, **changes})


def test_a_second_different_message_is_refused_and_the_first_stays():
    roles = make()

    def twice(message):
        if (
            isinstance(message, Commitment)
            and message.sender == "clinic"
            and message.iteration == 1
        ):
            return [message, replace(message, digest=np.ones(32, dtype=np.uint8))]
        return message

    sent = run(roles, change=twice)
    assert any("second, different" in m.reason for m in sent if isinstance(m, Failure))
    np.testing.assert_array_equal(roles["bank"].labels, expected().labels_)


class TwoFaced(Peer):
    """Tells the bank one thing and the insurer another, each with a fitting commitment."""

    def receive(self, message):
        try:
            return self.twist(super().receive(message))
        except PeerError:
            # It knows better than to say who lied.
            return []

    def begin(self):
        return self.twist(super().begin())

    def twist(self, messages):
        out = []
        for m in messages:
            if m.recipient == "insurer" and getattr(m, "iteration", 0) == 1:
                if isinstance(m, Commitment) and m.phase == "labels":
                    self.lie = labels_message(recipient="insurer")
                    m = replace(m, digest=commit(self.lie))
                elif isinstance(m, LocalLabels):
                    m = self.lie
            out.append(m)
        return out


def test_a_peer_that_tells_two_stories_is_named():
    roles = two_faced()
    with pytest.raises(PeerError, match=r"clinic told \w+ and \w+ different stories") as caught:
        run(roles)
    assert caught.value.peers == ("clinic",)


def two_faced():
    roles = make()
    roles["clinic"] = peer("clinic", kind=TwoFaced)
    return roles


def test_nobody_reveals_a_ranking_to_who_heard_other_labels():
    roles, sent = two_faced(), []
    with pytest.raises(PeerError):
        run(roles, change=lambda m: [sent.append(m), m][1:])
    assert not any(isinstance(m, Ranking) and m.sender != "clinic" for m in sent)


class Shattering(TwoFaced):
    """Tells the insurer that all rows are different, who then has nothing to rank."""

    def twist(self, messages):
        n = len(X)
        apart = {"n_labels": n, "packed": pack(np.arange(n), n)}
        said = super().twist(messages)
        for k, m in enumerate(said):
            if m.recipient == "insurer" and getattr(m, "iteration", 0) == 1:
                if isinstance(m, Commitment) and m.phase == "labels":
                    self.lie = labels_message(recipient="insurer", **apart)
                    said[k] = replace(m, digest=commit(self.lie))
                elif isinstance(m, LocalLabels):
                    said[k] = self.lie
        return said


def test_two_stories_are_found_by_peers_that_are_led_to_different_steps():
    """The bank commits to a ranking while the insurer has none: neither waits for ever."""
    roles = make(max_singletons=1.0)
    roles["clinic"] = peer("clinic", kind=Shattering, max_singletons=1.0)
    with pytest.raises(PeerError, match=r"clinic told \w+ and \w+ different stories") as caught:
        run(roles)
    assert caught.value.peers == ("clinic",)


def test_lists_of_what_was_heard_are_told_only_where_digests_differ():
    assert not any(m.in_full for m in run(make()) if isinstance(m, Witness))
    roles, sent = two_faced(), []
    with pytest.raises(PeerError):
        run(roles, change=lambda m: [sent.append(m), m][1:])
    shown = [m for m in sent if isinstance(m, Witness) and m.in_full]
    assert shown
    assert all(m.commitments.shape == (3, 2, 32) for m in shown)


def test_who_claims_to_have_heard_something_else_and_shows_nothing_is_waited_for():
    """The bank tells its list once, however often the clinic repeats itself, and says who it is."""
    roles = make()

    def claim(message):
        if isinstance(message, Commitment) and message.phase == "ranking":
            if message.sender == "clinic" and message.recipient == "bank":
                heard = message.heard.copy()
                heard[1] = 7
                return [replace(message, heard=heard, commitments=None, rosters=None)] * 50
            if message.sender == "bank" and message.recipient == "clinic" and message.in_full:
                shown.append(message)
                return None
        return message

    shown = []
    run(roles, change=claim)
    assert len(shown) == 1
    bank = roles["bank"]
    assert (bank.waiting_for, bank.hearsay.doubted) == (("clinic",), {"clinic"})
    assert any("clinic says that it has heard something else" in line for line in bank.log)
    assert not roles["insurer"].done
    with pytest.raises(PeerError, match="clinic did not answer"):
        bank.give_up({"clinic"})


def test_a_witness_before_the_rows_are_known_has_no_effect():
    """In iteration 0 nothing has been committed to, and there is no list to show."""
    codes = np.random.default_rng(0).integers(256, size=(120, 16), dtype=np.uint8)
    roles = {name: peer(name, pseudonyms=codes[: 120 - k], X=VIEWS[name][: 120 - k])
             for k, name in enumerate(NAMES)}  # fmt: skip
    outlines = [m for role in roles.values() for m in role.begin()]
    bank = roles["bank"]
    for m in outlines:
        if m.recipient == "bank":
            bank.receive(m)
    heard = np.full((3, 32), 9, dtype=np.uint8)
    header = {"study": "s", "sender": "clinic", "recipient": "bank", "iteration": 0, "attempt": 0}
    digest = np.zeros(32, dtype=np.uint8)
    assert bank.receive(StateDigest(**header, digest=digest, heard=heard)) == []
    assert bank.waiting_for == ("clinic", "insurer")


@pytest.mark.parametrize("n_peers", [2, 6])
def test_what_keeps_peers_honest_is_as_long_for_many_as_for_few(n_peers):
    names = tuple(f"p{k}" for k in range(n_peers))
    roles = {name: peer(name, X[:, k : k + 9], names) for k, name in enumerate(names)}
    lengths = {len(encode(m)) for m in run(roles) if isinstance(m, (Commitment, StateDigest))}
    assert all(role.done for role in roles.values())
    assert max(lengths) < 700


def test_another_state_from_the_same_messages_names_its_sender():
    roles = make()

    def lie(message):
        if isinstance(message, StateDigest) and message.sender == "clinic":
            return replace(message, digest=np.ones(32, dtype=np.uint8))
        return message

    with pytest.raises(PeerError, match="clinic made another state of the same messages"):
        run(roles, change=lie)


@pytest.mark.parametrize(
    "change",
    [
        {"study": "another"},
        {"recipient": "clinic"},
        {"sender": "stranger"},
        {"sender": "bank"},
    ],
)
def test_messages_of_strangers_and_other_studies_raise(change):
    bank = make()["bank"]
    bank.begin()
    with pytest.raises(MessageError):
        bank.receive(labels_message(**change))
    assert bank.waiting_for == ("clinic", "insurer")


def test_a_message_far_ahead_is_refused():
    bank = make()["bank"]
    bank.begin()
    (refusal,) = bank.receive(labels_message(iteration=9))
    assert "far ahead" in refusal.reason


def without_insurer():
    roles = make(names=("bank", "clinic"))
    run(roles)
    return roles["bank"].labels


def test_abort_names_the_absent_peer():
    roles = make()
    del roles["insurer"]
    run(roles)
    with pytest.raises(PeerError, match="insurer did not answer in iteration 1") as caught:
        roles["bank"].give_up()
    assert caught.value.peers == ("insurer",)


@pytest.mark.parametrize("steps", range(0, 40, 3))
def test_the_others_go_on_without_an_absent_peer(steps):
    """The insurer dies after `steps` of its messages were sent; the last broadcast may be cut."""
    roles = make(when_absent="go on without")
    left = [steps]

    def die(message):
        if "insurer" in (message.sender, message.recipient):
            if message.sender == "insurer":
                left[0] -= 1
            if left[0] < 0:
                return None
        return message

    run(roles, change=die)
    assert not (roles["bank"].done and roles["clinic"].done)
    alive = {n: roles[n] for n in ("bank", "clinic")}
    for _ in range(2):
        run(alive, deque(m for role in alive.values() if not role.done for m in role.give_up()))
    assert alive["bank"].done
    assert alive["clinic"].done
    lines = [*alive["bank"].log, *alive["clinic"].log]
    assert any(
        "without insurer, whose veto is lost" in line or "not confirmed by insurer" in line
        for line in lines
    )
    np.testing.assert_array_equal(alive["bank"].labels, alive["clinic"].labels)
    if steps == 0:
        np.testing.assert_array_equal(alive["bank"].labels, without_insurer())


def test_one_peer_cannot_drop_another_alone():
    roles = make(when_absent="go on without")
    late = []

    def hold(message):
        if (message.sender, message.recipient) == ("insurer", "bank"):
            late.append(message)
            return None
        return message

    run(roles, change=hold)
    assert roles["bank"].waiting_for == ("insurer",)
    run(roles, deque(roles["bank"].give_up()), change=hold)
    assert roles["clinic"].members == NAMES
    assert roles["bank"].members == NAMES
    run(roles, deque(late))
    for role in roles.values():
        np.testing.assert_array_equal(role.labels, expected().labels_)


def test_giving_up_twice_without_agreement_ends_the_run():
    roles = make(when_absent="go on without")
    bank = roles["bank"]
    bank.begin()
    bank.give_up()
    with pytest.raises(PeerError, match="fewer than two peers agree"):
        bank.give_up()


@pytest.mark.parametrize("steps", [1, 3, 7, 12, 18, 25, 31, 38, 45, 60, 75])
def test_a_killed_peer_rejoins_from_its_checkpoint(steps):
    assert steps < len(run(make()))
    roles = make()
    kept = {}
    left = [steps]

    def watch(message):
        role = roles["insurer"]
        kept["bytes"] = write_checkpoint(role)
        left[0] -= 1
        return message

    flight = start(roles)
    run(roles, flight, change=watch, until=lambda roles: left[0] <= 0)
    again = peer("insurer")
    assert restore_peer(again, kept["bytes"])
    roles["insurer"] = again
    between = [m for m in flight if "insurer" not in (m.sender, m.recipient)]
    run(roles, deque(between + again.begin() + again.rejoin()))
    model = expected()
    for role in roles.values():
        assert role.done
        np.testing.assert_array_equal(role.labels, model.labels_)


def test_a_checkpoint_of_another_table_is_refused():
    roles = make()
    run(roles)
    with pytest.raises(StudyError, match="made with another table"):
        peer("bank", VIEWS["bank"] + 1).restore(roles["bank"].remember())


def pseudonyms(ids):
    out = np.zeros((len(ids), 16), dtype=np.uint8)
    out[:, 14], out[:, 15] = np.asarray(ids) // 256, np.asarray(ids) % 256
    return out


def test_rows_meet_by_pseudonym_whatever_their_order():
    rng = np.random.default_rng(0)
    held = {
        "bank": rng.permutation(100),
        "clinic": rng.permutation(np.arange(10, 120)),
        "insurer": rng.permutation(np.arange(0, 95)),
    }
    roles = {
        name: peer(name, VIEWS[name][ids], pseudonyms=pseudonyms(ids)) for name, ids in held.items()
    }
    run(roles)
    common = np.arange(10, 95)
    columns = [list(range(20)), list(range(20, 40)), list(range(40, 64))]
    model = ConsensusClustering(
        KMeans(5), columns=columns, max_iter=4, profile="paper", random_state=7
    ).fit(X[common])
    for name, ids in held.items():
        labels = dict(zip(ids, roles[name].labels, strict=True))
        assert [labels[i] for i in common] == model.labels_.tolist()
        assert all(labels[i] == -1 for i in ids if i not in common)


def test_rejoin_repeats_only_what_the_peer_itself_was_sent():
    roles = make()
    run(roles)
    request = Rejoin(study="s", sender="clinic", recipient="bank", iteration=1, attempt=0)
    again = roles["bank"].receive(request)
    assert again
    assert {m.recipient for m in again} == {"clinic"}
