import numpy as np
import pytest
from sklearn.datasets import load_wine

from consilience.collaboration.audit.scene import Setting, TooFewError, set_scene
from consilience.collaboration.audit.with_anchor import (
    MAX_DECODED,
    collude,
    collude_with_all,
    collude_with_examples,
    collude_with_prior,
    decode_rows,
    spare_bits_of,
)
from consilience.datasets.patients import patients
from consilience.privacy.audits.scores import column_r2

X = load_wine().data


def scene_of(X, **terms):
    bounds = X.min(axis=0), X.max(axis=0)
    return set_scene(X, bounds, Setting(scaling="bounds", **terms), np.random.default_rng(0))


def median_r2(rebuilt):
    return float(np.median(column_r2(*rebuilt[:2])))


def test_what_others_kept_tells_of_what_the_victim_dropped():
    scene = scene_of(X, n_components=4, n_institutions=3)
    assert median_r2(collude_with_all(scene, True)) > median_r2(collude(scene, True)) + 0.05
    assert median_r2(collude_with_all(scene, False)) < 0.05


def test_a_learner_finds_curves_that_no_affine_guess_follows():
    angle = np.random.default_rng(1).uniform(0, 2 * np.pi, size=600)
    circle = np.stack([np.cos(angle), np.cos(2 * angle), np.cos(3 * angle)], axis=1)
    scene = scene_of(circle * [5.0, 1.0, 1.0], n_components=1)
    scene.representation[:] = scene.rows[:, :1]
    scene.anchor_representations[0] = scene.anchor[:, :1]
    learnt = column_r2(*collude_with_examples(scene, True)[:2])
    affine = column_r2(*collude_with_prior(scene, True)[:2])
    assert learnt[1] > 0.9 > 0.2 > affine[1]


def test_decoding_keeps_the_guess_of_rows_it_does_not_find():
    continuous = np.random.default_rng(0).normal(size=(300, 8))
    scene = scene_of(continuous, n_components=4)
    rows, guess, *_ = decode_rows(scene, True)
    assert len(rows) == MAX_DECODED
    prior = np.clip(collude_with_prior(scene, True)[1], scene.lower, scene.upper)
    np.testing.assert_array_equal(guess, prior[:MAX_DECODED])


def test_few_anchor_rows_do_not_determine_a_map():
    scene = scene_of(X, n_components=4, n_anchor=9)
    for attack in (collude_with_prior, decode_rows, collude_with_examples):
        with pytest.raises(TooFewError, match="no protection"):
            attack(scene, True)


def test_spare_bits_say_what_can_be_decoded():
    table = patients(400, random_state=0).to_numpy(float)
    assert spare_bits_of(scene_of(table, n_components=2)) > 10
    assert spare_bits_of(scene_of(table, n_components=1)) < 10
    assert spare_bits_of(scene_of(np.random.default_rng(0).normal(size=(300, 8)))) < 10
