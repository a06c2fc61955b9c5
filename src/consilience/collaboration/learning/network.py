"""The network of the DC-CFL experiments."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

__all__ = ["fixed_epochs", "paper_network"]


def paper_network(random_state: int | None = None) -> MLPClassifier:
    """Return the network of [Sugawara2026]_: two layers, plain SGD, 50 epochs."""
    return MLPClassifier(
        (64, 32),
        solver="sgd",
        learning_rate_init=0.01,
        momentum=0.5,
        nesterovs_momentum=False,
        batch_size=32,
        max_iter=50,
        random_state=random_state,
    )


@contextmanager
def fixed_epochs() -> Iterator[None]:
    """Fit the network without its warnings: 50 epochs in batches of 32 are what was asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Got `batch_size`")
        yield
