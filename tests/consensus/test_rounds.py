import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.consensus.local_step import LocalStep
from consilience.consensus.protocol.peer import Peer
from consilience.consensus.protocol.terms import Terms
from consilience.consensus.rounds import play_round
from consilience.exceptions import PeerError
from consilience.study.identity import Identity
from consilience.study.study import Study
from consilience.transports import deliver

TEXT = """
name = "example"
grid = {rows = ["people"], columns = ["bank", "insurer"]}
[schema.bank]
income = {kind = "numeric", bounds = [0, 100]}
[schema.insurer]
claims = {kind = "numeric", bounds = [0, 10]}
[consensus]
seed = 7
"""
NAMES = ("people/bank", "people/insurer")
X = np.random.default_rng(0).normal(size=(40, 6))
VIEWS = {NAMES[0]: X[:, :3], NAMES[1]: X[:, 3:]}


@pytest.fixture
def study():
    identities = {name: Identity.new(name) for name in NAMES}
    text = TEXT
    for name, identity in identities.items():
        public = identity.public
        text += f'[keys."{name}"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    return Study.from_text(text), identities


def make(name, study):
    terms = Terms(NAMES, seed=7, max_iter=2)
    secret = name.encode()
    return Peer(name, VIEWS[name], terms, LocalStep(KMeans(3)), study=study.digest, secret=secret)


def test_rounds_by_files_end_like_messages_in_one_process(study, tmp_path):
    agreed, identities = study
    roles = {name: make(name, agreed) for name in NAMES}
    deliver([m for role in roles.values() for m in role.begin()], roles)
    done = {}
    for _ in range(12):
        for name in NAMES:
            role = make(name, agreed)
            _, refused = play_round(role, tmp_path, study=agreed, identity=identities[name])
            assert refused == []
            if role.done:
                done[name] = role.labels
    for name in NAMES:
        np.testing.assert_array_equal(done[name], roles[name].labels)


def test_a_round_without_news_writes_nothing(study, tmp_path):
    agreed, identities = study
    first, _ = play_round(
        make(NAMES[0], agreed), tmp_path, study=agreed, identity=identities[NAMES[0]]
    )
    again, _ = play_round(
        make(NAMES[0], agreed), tmp_path, study=agreed, identity=identities[NAMES[0]]
    )
    assert len(first) == 1
    assert again == []


def test_a_bundle_under_another_name_is_refused(study, tmp_path):
    agreed, identities = study
    (path,), _ = play_round(
        make(NAMES[0], agreed), tmp_path, study=agreed, identity=identities[NAMES[0]]
    )
    path.rename(path.with_name(path.name.replace("001", "002")))
    role = make(NAMES[1], agreed)
    _, refused = play_round(role, tmp_path, study=agreed, identity=identities[NAMES[1]])
    assert "does not hold what its name says" in refused[0]
    assert role.waiting_for == (NAMES[0],)


THREE = ("people/bank", "people/clinic", "people/insurer")


@pytest.fixture
def three(tmp_path):
    """Three peers that exchange bundles, with the rule to go on without an absent one."""
    identities = {name: Identity.new(name) for name in THREE}
    text = TEXT.replace('"bank", "insurer"', '"bank", "clinic", "insurer"')
    text += '[schema.clinic]\nage = {kind = "numeric", bounds = [0, 100]}\n'
    for name, identity in identities.items():
        public = identity.public
        text += f'[keys."{name}"]\nsign = "{public.sign}"\nseal = "{public.seal}"\n'
    study = Study.from_text(text)

    def play(name, *, give_up=False, rule="go on without"):
        columns = [2 * THREE.index(name), 2 * THREE.index(name) + 1]
        terms = Terms(THREE, seed=7, max_iter=2, when_absent=rule)
        role = Peer(
            name,
            X[:, columns],
            terms,
            LocalStep(KMeans(3)),
            study=study.digest,
            secret=name.encode(),
        )
        written, refused = play_round(
            role, tmp_path, study=study, identity=identities[name], give_up=give_up
        )
        return role, written, refused

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
    assert sorted(p.name.partition("--")[2] for p in written) == [
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
