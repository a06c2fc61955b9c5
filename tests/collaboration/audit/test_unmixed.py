import numpy as np

from consilience.collaboration.audit.scene import Setting, set_scene
from consilience.collaboration.audit.unmixed import unmix_by_marginals, unmix_by_oracle
from consilience.privacy.audits.scores import column_r2


def test_a_uniform_anchor_is_unmixed_and_a_gaussian_one_is_not():
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(400, 4)) * [1.0, 2.0, 5.0, 9.0]
    bounds = np.zeros(4), X.max(axis=0)
    found = {}
    for anchor in ("uniform", "gaussian"):
        setting = Setting(n_components=4, anchor=anchor, n_anchor=2_000)
        scene = set_scene(X, bounds, setting, np.random.default_rng(1))
        found[anchor] = np.median(column_r2(*unmix_by_oracle(scene, True)[:2]))
        assert np.median(column_r2(*unmix_by_marginals(scene, False)[:2])) < 0.1
    assert found["gaussian"] < 0.6 < 0.9 < found["uniform"]
