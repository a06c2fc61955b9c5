import numpy as np
import pytest
from sklearn.cluster import KMeans

from consilience.consensus import LocalStep, Peer, Terms
from consilience.study.identity import Identity
from consilience.study.study import Study
from consilience.transports import deliver
from consilience.transports.rounds import play_round

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
