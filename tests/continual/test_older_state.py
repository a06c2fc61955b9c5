from pathlib import Path

import numpy as np

from consilience.continual.analyst import Analyst
from consilience.continual.estimator import ContinualClustering
from consilience.continual.party import Party
from consilience.continual.state import load_state
from consilience.study.study import Study

BEFORE = Path(__file__).parents[1] / "data" / "before"
STREAM = BEFORE / "stream"


def test_a_model_of_an_earlier_version_goes_on_as_it_would_have():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) + np.array([[0, 0], [30, 0], [0, 30]])[np.arange(120) % 3]
    parties = rng.integers(2, size=120)
    model = ContinualClustering.load(BEFORE / "continual.model")
    assert (model.random_state, model.n_rounds_, len(model.labels_)) == (0, 1, 60)
    model.partial_fit(X[60:].round(1), parties=parties[60:])
    np.testing.assert_array_equal(model.labels_, np.loadtxt(BEFORE / "continual.labels"))


def test_roles_of_an_earlier_version_know_what_they_knew():
    digest = Study.load(STREAM / "study.toml").digest
    state = load_state(STREAM / "private/analyst/stream.state", "continual analyst", digest)
    analyst = Analyst([], 2)
    analyst.restore(state)
    assert analyst.rounds == 1
    assert analyst.history.snapshots[0].number == analyst.history.rounds[0].number == 1
    for name, received in analyst.received.items():
        path = STREAM / "private" / name.replace("/", ".") / "stream.state"
        party = Party(name, 2, study=digest)
        party.restore(load_state(path, "continual party", digest))
        assert party.window == received.windows == 1
        np.testing.assert_array_equal(party.network.positions, received.nodes)
