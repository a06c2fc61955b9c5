"""The bytes of a model: whatever arrives is a model or is refused, and nothing hangs."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from consilience.collaboration.learning.model import Model, fit_model
from consilience.collaboration.learning.portable import freeze, thaw
from consilience.exceptions import MessageError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.eye(3)[np.r_[0, 1, 2, RNG.integers(3, size=37)]]


def _frozen(learner):
    return freeze(fit_model(learner, X, Y, "classification", 0), X)


FOREST = _frozen(RandomForestClassifier(3, max_depth=3))
NETWORK = _frozen(MLPClassifier((4,), solver="lbfgs", max_iter=10000))
LINEAR = _frozen(LogisticRegression())


def test_one_class_is_a_constant():
    model = Model(None, None, np.array([0.0, 1.0]))
    assert thaw(freeze(model, X)).predict(X).tolist() == [[0.0, 1.0]] * 40


def test_bytes_hold_arrays_and_a_short_header_alone():
    data = LINEAR.tobytes()
    length = int.from_bytes(data[:8], "little")
    head = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["consilience"])
    assert head == {
        "version": 1, "kind": "layers", "link": "softmax", "activation": "identity", "n_layers": 1
    }  # fmt: skip
    assert set(load(data)) == {"constant", "present", "center", "scale", "weights_0", "biases_0"}


@pytest.mark.parametrize("data", [FOREST, NETWORK, LINEAR], ids=["forest", "network", "linear"])
def test_every_cut_is_refused(data):
    for end in [*range(0, 40), *RNG.integers(len(data), size=40), len(data) - 1]:
        with pytest.raises(MessageError, match="that was received"):
            thaw(data[:end])


@settings(max_examples=300)
@given(st.sampled_from([FOREST, NETWORK, LINEAR]), st.data())
def test_changed_bytes_give_a_model_or_a_refusal(data, draw):
    changed = data.copy()
    for _ in range(draw.draw(st.integers(1, 4))):
        changed[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    try:
        model = thaw(changed)
    except MessageError:
        return
    with np.errstate(all="ignore"):
        if getattr(model.estimator, "n_features", 3) == 3:
            assert model.predict(X).shape == (40, len(model.constant))


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(data):
    with pytest.raises(MessageError, match="cut off, or no model"):
        thaw(np.frombuffer(data, dtype=np.uint8))


def _changed(data, head=None, **arrays):
    """Write a model again with other arrays, or with another header; None takes one away."""
    raw = data.tobytes()
    length = int.from_bytes(raw[:8], "little")
    old = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"]["consilience"])
    new = {n: a for n, a in {**load(raw), **arrays}.items() if a is not None}
    text = json.dumps({**old, **(head or {})})
    return np.frombuffer(save(new, metadata={"consilience": text}), dtype=np.uint8)


BAD = {
    "another version": (LINEAR, {"version": 3}, {}),
    "version 2 without its sharpness": (LINEAR, {"version": 2}, {}),
    "sharp without end": (LINEAR, {"version": 2, "sharpness": 1e9}, {}),
    "sharp by a word": (LINEAR, {"version": 2, "sharpness": "very"}, {}),
    "another kind": (LINEAR, {"kind": "kernel"}, {}),
    "kind as a list": (LINEAR, {"kind": ["layers"]}, {}),
    "link as a list": (LINEAR, {"link": ["softmax"]}, {}),
    "no link": (LINEAR, {"link": None}, {}),
    "trees in layers": (LINEAR, {"kind": "trees"}, {}),
    "layers as text": (LINEAR, {"n_layers": "1"}, {}),
    "a million layers": (LINEAR, {"n_layers": 10**6}, {}),
    "one layer too many": (LINEAR, {"n_layers": 2}, {}),
    "one array more": (LINEAR, {}, {"more": np.ones(2)}),
    "one array less": (FOREST, {}, {"threshold": None}),
    "NaN": (NETWORK, {}, {"biases_0": np.full(4, np.nan)}),
    "infinite": (NETWORK, {}, {"weights_0": np.full((3, 4), np.inf)}),
    "float32": (LINEAR, {}, {"biases_0": np.zeros(3, np.float32)}),
    "a vector of weights": (LINEAR, {}, {"weights_0": np.zeros(9)}),
    "other widths": (NETWORK, {}, {"weights_0": np.zeros((3, 5))}),
    "other outputs": (LINEAR, {}, {"present": np.array([0, 1])}),
    "class beyond": (LINEAR, {}, {"present": np.array([0, 1, 3])}),
    "class twice": (LINEAR, {}, {"present": np.array([0, 1, 1])}),
    "a mix of two classes": (LINEAR, {}, {"log_ratio": np.zeros(2)}),
    "a mix that is none": (LINEAR, {}, {"log_ratio": np.full(3, 1e4)}),
    "no outputs": (LINEAR, {}, {"constant": np.zeros(0), "present": None}),
    "features that are none": (FOREST, {"n_features": 2**62}, {}),
    "divisor of nothing": (FOREST, {"divisor": None}, {}),
    "a tree in a circle": (
        FOREST,
        {},
        {"left": np.zeros(len(load(FOREST.tobytes())["left"]), int)},
    ),
}


@pytest.mark.parametrize(("data", "head", "arrays"), BAD.values(), ids=BAD)
def test_what_is_no_model_is_refused(data, head, arrays):
    with pytest.raises(MessageError, match="that was received"):
        thaw(_changed(data, head, **arrays))


def test_a_header_that_claims_more_than_there_is_reserves_no_memory():
    claim = {"a": {"dtype": "F64", "shape": [2**40], "data_offsets": [0, 2**43]}}
    claim["__metadata__"] = {"consilience": json.dumps({"version": 1, "kind": "layers"})}
    text = json.dumps(claim).encode()
    data = len(text).to_bytes(8, "little") + text + bytes(64)
    with pytest.raises(MessageError, match="cut off"):
        thaw(np.frombuffer(data, dtype=np.uint8))
