"""A model as bytes: one safetensors file, described in ``docs/wire-format.md``, and no pickle."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from consilience.arrays import Arrays, from_bytes, to_bytes
from consilience.collaboration.learning.carried import Carried, Layers, Trees
from consilience.collaboration.learning.label_mix import SHARPNESS
from consilience.collaboration.learning.learners import carry, check_portable
from consilience.collaboration.learning.model import Model
from consilience.exceptions import ArraysError, MessageError

__all__ = ["freeze", "thaw"]

Array = npt.NDArray[np.float64]
Frozen = npt.NDArray[np.uint8]

VERSIONS = (1, 2)
"""The second states how sharp the scores are, where they follow an institution's own mix."""
MAX_LAYERS = 64
MAX_LOG_RATIO = 100.0
"""Mixes of 10^40 rows differ by less."""
PROOF_ROWS = 1000
"""Rows on which the carried form of a model must say what the model says."""


def freeze(model: Model, rows: Array) -> Frozen:
    """Write a fitted model as bytes.

    Parameters
    ----------
    model : Model
    rows : ndarray of shape (n_rows, n_features)
        Rows by which the carried form is proven, the first 1000 of them.

    Returns
    -------
    ndarray of uint8

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from consilience.collaboration.learning.model import fit_model
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.eye(2)[[0, 0, 1]]
    >>> model = fit_model(LogisticRegression(), X, Y, "classification", 0)
    >>> bool(np.allclose(thaw(freeze(model, X)).predict(X), model.predict(X)))
    True
    """
    head: dict[str, Any] = {"version": VERSIONS[0], "kind": "constant"}
    arrays: Arrays = {"constant": np.asarray(model.constant, np.float64)}
    if model.present is not None:
        arrays["present"] = np.asarray(model.present, np.int64)
    if model.log_ratio is not None:
        arrays["log_ratio"] = np.asarray(model.log_ratio, np.float64)
        head |= {"version": VERSIONS[1], "sharpness": model.sharpness}
    if model.estimator is not None:
        check_portable(model.estimator)
        carried = carry(model.estimator)
        head |= {"link": carried.link}
        arrays |= {"center": carried.center, "scale": carried.scale}
        more, numbers = _take_apart(carried.body)
        head |= more
        arrays |= numbers
    data = np.frombuffer(to_bytes(arrays, head), dtype=np.uint8)
    some = rows[:PROOF_ROWS]
    if not np.allclose(thaw(data).predict(some), model.predict(some), rtol=1e-6, atol=1e-9):
        name = type(model.estimator).__name__
        raise ValueError(
            f"the model of this {name} does not predict the same when carried: one of its settings "
            f"is not known here. Use its defaults, or an answer without the model."
        )
    return data


def thaw(data: Frozen) -> Model:
    """Read a model; refuse whatever is not one that could be evaluated.

    Raises
    ------
    MessageError
        If the bytes are cut off, of another version or kind, have arrays of the wrong name, kind or
        shape, numbers that are not finite, or trees that are none.
    """
    head, arrays = _read(data)
    try:
        constant = _take(arrays, "constant", np.float64, 1)
        present = _take(arrays, "present", np.int64, 1) if "present" in arrays else None
        log_ratio = _take(arrays, "log_ratio", np.float64, 1) if "log_ratio" in arrays else None
        carried = None if head["kind"] == "constant" else _put_together(head, arrays)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, MessageError):
            raise
        raise MessageError(
            "the model that was received lacks a part, or has a wrong one."
        ) from None
    if arrays:
        raise MessageError("the model that was received has arrays that no such model has.")
    n_outputs = len(constant)
    if present is not None:
        inside = (present >= 0) & (present < n_outputs)
        if not inside.all() or len(np.unique(present)) < len(present):
            raise MessageError("the model that was received names classes there are not.")
    if log_ratio is not None and not (
        len(log_ratio) == n_outputs and np.abs(log_ratio).max(initial=0) <= MAX_LOG_RATIO
    ):
        raise MessageError("the model that was received expects a mix of classes there is not.")
    expected = n_outputs if present is None else len(present)
    if not n_outputs or (carried is not None and carried.n_outputs != expected):
        raise MessageError("the model that was received has another number of outputs than stated.")
    estimator = (
        None if carried is None else _Classifier(carried) if present is not None else carried
    )
    codes = None if present is None else present.astype(np.intp)
    return Model(estimator, codes, constant, log_ratio, _sharpness(head))


def _sharpness(head: dict[str, Any]) -> float:
    """Return the power of the scores; models of the first version state none."""
    value = head.get("sharpness") if head["version"] == VERSIONS[1] else 1.0
    low, high = SHARPNESS
    if type(value) is not float or not low <= value <= high:
        raise MessageError(
            f"the model that was received is sharpened by a number that is not one of {low:g} to "
            f"{high:g}."
        )
    return value


class _Classifier:
    """Lets a carried model answer as a scikit-learn classifier does."""

    def __init__(self, carried: Carried) -> None:
        self.carried = carried
        self.n_features = carried.n_features

    def predict_proba(self, X: Array) -> Array:
        return self.carried.predict(X)


def _take_apart(body: Layers | Trees) -> tuple[dict[str, Any], Arrays]:
    """Part a body into what stands in the header, and arrays."""
    if isinstance(body, Trees):
        head = {"kind": "trees", "divisor": body.divisor, "n_features": body.n_features}
        names = ("roots", "left", "right", "feature", "threshold", "value", "start")
        return head, {name: getattr(body, name) for name in names}
    numbers = {f"weights_{k}": np.asarray(w, np.float64) for k, w in enumerate(body.weights)}
    numbers |= {f"biases_{k}": np.asarray(b, np.float64) for k, b in enumerate(body.biases)}
    return {"kind": "layers", "activation": body.activation, "n_layers": len(body.weights)}, numbers


def _put_together(head: dict[str, Any], arrays: Arrays) -> Carried:
    """Make the model of a header and arrays, taking the arrays away."""
    body: Layers | Trees
    if head["kind"] == "trees":
        indices = {n: _take(arrays, n, np.int64, 1) for n in ("roots", "left", "right", "feature")}
        body = Trees(
            **indices,
            threshold=_take(arrays, "threshold", np.float64, 1),
            value=_take(arrays, "value", np.float64, 2),
            start=_take(arrays, "start", np.float64, 1),
            divisor=head["divisor"],
            n_features=head["n_features"],
        )
    elif head["kind"] == "layers":
        n = head["n_layers"]
        if type(n) is not int or not 1 <= n <= MAX_LAYERS:
            raise ValueError
        weights = [_take(arrays, f"weights_{k}", np.float64, 2) for k in range(n)]
        biases = [_take(arrays, f"biases_{k}", np.float64, 1) for k in range(n)]
        body = Layers(weights, biases, head["activation"])
    else:
        raise MessageError("the model that was received is of an unknown kind.")
    center, scale = (_take(arrays, name, np.float64, 1) for name in ("center", "scale"))
    return Carried(body, head["link"], center, scale)


def _take(arrays: Arrays, name: str, dtype: Any, ndim: int) -> npt.NDArray[Any]:
    array = arrays.pop(name)
    if array.dtype != dtype or array.ndim != ndim or not np.isfinite(array).all():
        raise MessageError(
            f"{name} of the model that was received must be finite numbers of {np.dtype(dtype)} in "
            f"{ndim} dimensions."
        )
    return array


def _read(data: Frozen) -> tuple[dict[str, Any], Arrays]:
    try:
        head, arrays = from_bytes(data.data)
    except ArraysError:
        head, arrays = {}, {}
    if head.get("version") not in VERSIONS or not isinstance(head.get("kind"), str):
        raise MessageError(
            f"the model that was received is cut off, or no model of version {VERSIONS[0]} or "
            f"{VERSIONS[1]}."
        )
    return head, arrays
