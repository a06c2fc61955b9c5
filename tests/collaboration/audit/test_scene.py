import json

import numpy as np

from consilience.collaboration.audit.scene import Setting, set_scene


def scene_of(**terms):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(100, 5))
    return X, set_scene(X, (np.zeros(5), np.ones(5)), Setting(**terms), rng, max_rows=30)


def test_victim_and_colluder_share_no_row():
    X, scene = scene_of()
    assert scene.rows.shape == (30, 5)
    assert scene.like.shape == (50, 5)
    assert not set(map(tuple, scene.rows)) & set(map(tuple, scene.like))
    assert set(map(tuple, scene.rows)) <= set(map(tuple, X))


def test_institutions_send_different_views_of_one_anchor():
    _, scene = scene_of(n_institutions=4, n_components=2)
    assert [r.shape for r in scene.anchor_representations] == [(400, 2)] * 4
    assert not np.allclose(scene.anchor_representations[0], scene.anchor_representations[1])
    assert not np.allclose(scene.anchor, scene.another_anchor())
    assert not np.allclose(scene.another_anchor(), scene.another_anchor())


def test_noise_reaches_what_is_sent_and_not_the_truth():
    _, scene = scene_of(noise=lambda rows: rows * 0)
    assert not scene.representation.any()
    assert scene.rows.std() > 0


def test_terms_are_plain_values():
    assert json.loads(json.dumps(Setting(reducer=object()).to_dict()))["anchor"] == "gaussian"
