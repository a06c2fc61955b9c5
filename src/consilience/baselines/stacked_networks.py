r"""Many small networks of one shape, trained side by side.

The weights of a network are one line of an array, so that a hundred institutions train with one
matrix product a layer, and averaging, momentum and a pull towards other weights are sums of arrays.
Layers are :math:`a_{l+1} = \max(0, a_l W_l + b_l)`, the last one is a softmax; the loss is the mean
cross-entropy over a batch, and

.. math:: v \leftarrow \beta v - \eta \left(\nabla F(w) + \mu (w - w_0)\right), \qquad
          w \leftarrow w + v

is one step of stochastic gradient descent with momentum and a pull towards :math:`w_0`.

Institutions differ in size: in each step only those that still have a batch in this epoch take
part, and a last, shorter batch is weighted by its own length. What one network learns does not
depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

__all__ = ["Descent", "LayerSizes", "gradient", "train"]

Floats = npt.NDArray[np.floating]
Rows = npt.NDArray[np.integer]
Layers = list[tuple[Floats, Floats]]


@dataclass(frozen=True)
class LayerSizes:
    """The widths of a network's layers, from the features to the classes.

    Examples
    --------
    >>> shape = LayerSizes((4, 3, 2))
    >>> shape.n_parameters
    23
    >>> networks = np.stack([shape.draw(np.random.default_rng(k)) for k in range(5)])
    >>> shape.scores(networks, np.zeros((5, 7, 4), dtype=np.float32)).shape
    (5, 7, 2)
    """

    widths: tuple[int, ...]

    @property
    def n_parameters(self) -> int:
        """Weights and offsets of all layers."""
        return sum((a + 1) * b for a, b in pairwise(self.widths))

    @property
    def n_last(self) -> int:
        """Weights and offsets of the last layer, which stand at the end of a line."""
        a, b = self.widths[-2:]
        return (a + 1) * b

    def draw(self, rng: np.random.Generator, dtype: npt.DTypeLike = np.float32) -> Floats:
        """Draw one network as scikit-learn's do: uniform, by the widths around a layer."""
        parts = []
        for a, b in pairwise(self.widths):
            bound = np.sqrt(6 / (a + b))
            parts += [rng.uniform(-bound, bound, a * b), rng.uniform(-bound, bound, b)]
        return np.concatenate(parts).astype(dtype)

    def layers(self, networks: Floats) -> Layers:
        """Return views of the weights (n, a, b) and offsets (n, 1, b) of each layer."""
        n, start, layers = len(networks), 0, []
        for a, b in pairwise(self.widths):
            middle, end = start + a * b, start + (a + 1) * b
            W = networks[:, start:middle].reshape(n, a, b)
            layers.append((W, networks[:, middle:end].reshape(n, 1, b)))
            start = end
        return layers

    def scores(self, networks: Floats, X: Floats) -> Floats:
        """Return what the last layer says before the softmax, (n, n_rows, n_classes)."""
        return _forward(self.layers(networks), X)[-1]


@dataclass(frozen=True)
class Descent:
    """How networks walk downhill."""

    learning_rate: float = 0.01
    momentum: float = 0.5
    batch_size: int = 32
    n_epochs: int = 10


def train(
    networks: Floats,
    shape: LayerSizes,
    X: Floats,
    y: Rows,
    members: Sequence[Rows],
    rngs: Sequence[np.random.Generator],
    descent: Descent,
    *,
    towards: Floats | None = None,
    pull: float = 0.0,
) -> Floats:
    r"""Train each network on its own rows; return the new networks.

    Parameters
    ----------
    networks : ndarray of shape (n, n_parameters)
        Where each begins; it is not changed. Momentum begins at zero.
    shape : LayerSizes
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of int of shape (n_rows,)
        Classes, from 0.
    members : sequence of n arrays of int
        The rows each network learns from; none leaves it as it is.
    rngs : sequence of n generators
        For the order of the rows, drawn anew in each epoch.
    descent : Descent
    towards : ndarray of shape (n, n_parameters) or (n_parameters,), optional
        :math:`w_0`.
    pull : float
        :math:`\mu`.
    """
    sizes = np.array([len(rows) for rows in members])
    n_batches = -(-sizes // descent.batch_size)
    order = np.argsort(-n_batches, kind="stable")  # those with a batch left are always in front
    active = [int((n_batches > s).sum()) for s in range(n_batches.max(initial=0))]
    weight = _weights(sizes[order], len(active), descent.batch_size, networks.dtype)
    Y = np.eye(shape.widths[-1], dtype=networks.dtype)[y]
    w = networks[order]
    v, slope = np.zeros_like(w), np.empty_like(w)
    views = {n: (shape.layers(w[:n]), shape.layers(slope[:n])) for n in set(active)}
    w0 = np.broadcast_to(w if towards is None else towards, w.shape)
    w0 = w0[order] if towards is not None and towards.ndim == 2 else w0
    # A rate that is too high ends in infinities, which the caller can see.
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(descent.n_epochs):
            rows = np.zeros((len(order), len(active) * descent.batch_size), dtype=np.intp)
            for place, k in enumerate(order):
                rows[place, : sizes[k]] = rngs[k].permutation(members[k])
            batches = rows.reshape(len(order), -1, descent.batch_size)
            for s, n in enumerate(active):
                batch, g = batches[:n, s], slope[:n]
                layers, slopes = views[n]
                gradient(
                    layers, X.take(batch, axis=0), Y.take(batch, axis=0), weight[s, :n], slopes
                )
                if pull:
                    g += pull * (w[:n] - w0[:n])
                v[:n] *= descent.momentum
                g *= descent.learning_rate
                v[:n] -= g
                w[:n] += v[:n]
    result = np.empty_like(networks)
    result[order] = w
    return result


def gradient(layers: Layers, X: Floats, Y: Floats, weight: Floats, out: Layers) -> None:
    """Write the gradient of the weighted cross-entropy of each network on its own rows.

    Parameters
    ----------
    layers : list of (weights, offsets)
        As of `LayerSizes.layers`.
    X : ndarray of shape (n, n_rows, n_features)
    Y : ndarray of shape (n, n_rows, n_classes)
        1 in the class of a row, 0 elsewhere.
    weight : ndarray of shape (n, n_rows, 1)
    out : list of (weights, offsets)
        Where the slopes go.
    """
    outputs = _forward(layers, X)
    error = outputs.pop()
    error -= error.max(axis=-1, keepdims=True)
    np.exp(error, out=error)
    error /= error.sum(axis=-1, keepdims=True)
    error -= Y
    error *= weight
    for (W, _), (dW, db) in zip(reversed(layers), reversed(out), strict=True):
        inputs = outputs.pop()
        np.matmul(inputs.transpose(0, 2, 1), error, out=dW)
        np.add.reduce(error, axis=1, keepdims=True, out=db)
        if outputs:
            error = error @ W.transpose(0, 2, 1)
            error *= inputs > 0


def _forward(layers: Layers, X: Floats) -> list[Floats]:
    """Return the inputs of each layer, and the scores."""
    outputs = [X]
    for k, (W, b) in enumerate(layers):
        outputs.append(outputs[-1] @ W)
        outputs[-1] += b
        if k < len(layers) - 1:
            np.maximum(outputs[-1], 0, out=outputs[-1])
    return outputs


def _weights(sizes: Rows, n_steps: int, batch_size: int, dtype: npt.DTypeLike) -> Floats:
    """Return the weight of each place of each batch: one over its rows, 0 where there is none."""
    left = sizes - batch_size * np.arange(n_steps)[:, None]
    filled = np.clip(left, 0, batch_size)[:, :, None]
    weight = np.where(np.arange(batch_size) < filled, 1 / np.maximum(filled, 1), 0)
    return np.asarray(weight[..., None], dtype=dtype)
