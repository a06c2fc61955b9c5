from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.by_files import Letter
from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.commitments import commit
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.rounds import play_round
from consilience.consensus.terms import ConsensusTerms
from consilience.exceptions import PeerError
from consilience.messages import Commitment, LocalLabels
from consilience.transports import deliver

NAMES = ("people/bank", "people/insurer")
X = np.random.default_rng(0).normal(size=(40, 6))
VIEWS = {NAMES[0]: X[:, :3], NAMES[1]: X[:, 3:]}


class Folder(dict):
    """Letters by the names of their files, as they lie in a folder that travels."""

    def play(self, role, **options):
        """Let a role hear what is for it, and put in what it says that is not there yet."""
        plain = role.name.replace("/", ".")
        arrived = [Letter(m, "", file) for file, m in self.items() if f"--{plain}--" in file]
        said, refused = play_round(role, arrived, self.keys(), **options)
        self.update({letter.file: letter.message for letter in said})
        return [letter.file for letter in said], refused


def make(name):
    terms, step = ConsensusTerms(seed=7, max_iter=2), LocalStep(KMeans(3))
    return Peer(name, NAMES, VIEWS[name], terms, step, secret=name.encode())


def test_rounds_by_files_end_like_messages_in_one_process():
    roles = {name: make(name) for name in NAMES}
    deliver([m for role in roles.values() for m in role.begin()], roles)
    folder, done = Folder(), {}
    for _ in range(12):
        for name in NAMES:
            role = make(name)
            _, refused = folder.play(role)
            assert refused == []
            if role.done:
                done[name] = role.labels
    for name in NAMES:
        np.testing.assert_array_equal(done[name], roles[name].labels)


def test_a_round_without_news_says_nothing_new():
    folder = Folder()
    assert len(folder.play(make(NAMES[0]))[0]) == 1
    assert folder.play(make(NAMES[0])) == ([], [])


def test_a_letter_under_another_name_is_refused():
    folder = Folder()
    [name], _ = folder.play(make(NAMES[0]))
    folder[name.replace("001", "002")] = folder.pop(name)
    role = make(NAMES[1])
    _, refused = folder.play(role)
    assert "does not hold what its name says" in refused[0]
    assert role.waiting_for == (NAMES[0],)


THREE = ("people/bank", "people/clinic", "people/insurer")


@pytest.fixture
def three():
    """Three peers that exchange letters, with the rule to go on without an absent one."""
    folder = Folder()

    def play(name, *, give_up=False, rule="go on without"):
        columns = [2 * THREE.index(name), 2 * THREE.index(name) + 1]
        terms, step = ConsensusTerms(seed=7, max_iter=2, when_absent=rule), LocalStep(KMeans(3))
        role = Peer(name, THREE, X[:, columns], terms, step, secret=name.encode())
        return role, *folder.play(role, give_up=give_up)

    return play


def until_done(play, names, rounds=15):
    for _ in range(rounds):
        roles = {name: play(name)[0] for name in names}
        if all(role.done for role in roles.values()):
            return roles
    raise AssertionError(f"not done after {rounds} rounds")


def test_by_files_the_others_go_on_without_a_peer_that_never_comes(three):
    bank, clinic, insurer = THREE
    for name in (bank, clinic):
        three(name)
    role, written, _ = three(bank, give_up=True)
    assert sorted(file.partition("--")[2] for file in written) == [
        "people.bank--00-001-6-absence-1.peer",
        "people.clinic--00-001-6-absence-1.peer",
    ]
    assert role.members == THREE, "one peer alone drops nobody"
    three(clinic, give_up=True)
    roles = until_done(three, (bank, clinic))
    np.testing.assert_array_equal(roles[bank].labels, roles[clinic].labels)
    assert roles[bank].members == (bank, clinic)
    assert any("whose veto is lost" in line for line in roles[bank].log)
    # The absent one comes after all: nothing changes, and it is told.
    three(insurer)
    again = until_done(three, (bank, clinic), rounds=1)
    np.testing.assert_array_equal(again[bank].labels, roles[bank].labels)
    _, _, refused = three(insurer)
    assert "people/bank says: the others have gone on without you" in refused


def test_by_files_a_peer_that_stops_halfway_is_dropped_from_there(three):
    bank, clinic, insurer = THREE
    for _ in range(2):
        for name in THREE:
            three(name)
    assert three(bank)[0].iteration == 1
    for name in (bank, clinic):
        three(name)
    for name in (bank, clinic):
        three(name, give_up=True)
    roles = until_done(three, (bank, clinic))
    assert {role.members for role in roles.values()} == {(bank, clinic)}
    three(insurer)
    again = until_done(three, (bank, clinic), rounds=1)
    np.testing.assert_array_equal(again[clinic].labels, roles[clinic].labels)


def test_by_files_a_declaration_nobody_shares_does_not_keep_a_late_peer_out(three):
    bank, *_ = THREE
    three(bank)
    three(bank, give_up=True)
    roles = until_done(three, THREE)
    assert roles[bank].members == THREE


def test_by_files_the_rule_of_the_study_holds(three):
    with pytest.raises(PeerError, match="the terms say abort"):
        three(THREE[0], give_up=True, rule="abort")


class TwoFaced(Peer):
    """Tells the bank one label for all rows, with a fitting commitment, and the clinic its own."""

    def receive(self, message):
        try:
            said = super().receive(message)
        except PeerError:
            said = []
        return [self.twist(m) for m in said]

    def begin(self):
        return [self.twist(m) for m in super().begin()]

    def twist(self, m):
        if m.recipient != THREE[0] or m.iteration != 1:
            return m
        nothing = {"n_labels": 1, "packed": np.zeros(0, np.uint8), "nonce": np.zeros(16, np.uint8)}
        header = {"study": "", "sender": THREE[2], "recipient": THREE[0]}
        lie = LocalLabels(**header, iteration=1, attempt=0, **nothing)
        if isinstance(m, Commitment) and m.phase == "labels":
            return replace(m, digest=commit(lie))
        return lie if isinstance(m, LocalLabels) else m


def test_two_stories_by_files_are_told_by_lists_in_files_of_their_own():
    folder, found = Folder(), {}
    for _ in range(8):
        for k, name in enumerate(THREE):
            terms, step = ConsensusTerms(seed=7, max_iter=2), LocalStep(KMeans(3))
            kind, columns = (Peer, Peer, TwoFaced)[k], [2 * k, 2 * k + 1]
            role = kind(name, THREE, X[:, columns], terms, step, secret=name.encode())
            try:
                folder.play(role)
            except PeerError as error:
                found[name] = error.peers
    assert found == {THREE[0]: (THREE[2],), THREE[1]: (THREE[2],)}
    shown = [file for file in folder if "in-full" in file]
    assert "people.bank--people.clinic--00-001-3-commitment-in-full.peer" in shown
    assert not any("ranking" in file for file in folder if not file.startswith("people.insurer"))
