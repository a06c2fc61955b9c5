"""A readable model fitted to a party's own rows, and how far it may be trusted.

An anchor is not like rows: a model that imitates the analyst's on it may say something else of the
rows. Where a party holds every column its readable model speaks of, the model is fitted to the
party's own rows and what the analyst predicted for them, and judged on rows it has not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from consilience.collaboration.learning.model import fit_model
from consilience.collaboration.learning.surrogate import Surrogate, fit_surrogate, readable_tree

__all__ = ["TRUSTED", "doubts", "imitate_rows"]

Array = npt.NDArray[np.float64]

TRUSTED = 0.85
"""Agreement with the analyst, on rows not seen, below which a readable model is not used."""
MIN_ROWS = 20
"""With fewer rows the anchor stays what is imitated."""
N_FOLDS = 5


def imitate_rows(
    by_anchor: Surrogate,
    X: Array,
    values: Array,
    classes: npt.NDArray[Any],
    *,
    readable: Any = None,
    seed: int = 0,
) -> Surrogate:
    """Fit a readable model to the analyst's predictions for a party's own rows.

    Parameters
    ----------
    by_anchor : Surrogate
        The model that imitates the analyst's on the anchor.
    X : ndarray of shape (n_rows, n_features)
        The rows, in the features of that model.
    values : ndarray of shape (n_rows, n_classes)
        The analyst's predictions for them.
    classes : ndarray of shape (n_classes,)
    readable : estimator, optional
        None is a decision tree with at most 5 splits.
    seed : int

    Returns
    -------
    Surrogate
        Its agreement is that with the analyst on rows it was not fitted to.

    Examples
    --------
    >>> A, X = np.linspace(0, 9, 50)[:, None], np.linspace(0, 1, 60)[:, None]
    >>> classes, told = np.array(["no", "yes"]), np.eye(2)[(X[:, 0] > 0.5).astype(int)]
    >>> names = {"feature_names": ["age"], "classes": classes}
    >>> by_anchor = fit_surrogate(A, np.eye(2)[(A[:, 0] > 5).astype(int)], **names)
    >>> by_anchor.predict(X[-1:]), imitate_rows(by_anchor, X, told, classes).predict(X[-1:])
    (array(['no'], dtype='<U3'), array(['yes'], dtype='<U3'))
    """
    if len(X) < MIN_ROWS:
        model, found = by_anchor, by_anchor.fitted.predict(X)
    else:
        readable = readable_tree() if readable is None else readable
        names = by_anchor.feature_names
        model = fit_surrogate(
            X, values, readable=readable, feature_names=names, classes=classes, seed=seed
        )
        model = replace(model, scope=by_anchor.scope, imitated="rows")
        found = _held_out(readable, X, values, seed)
    told, said = values.argmax(axis=1), found.argmax(axis=1)
    never = {
        str(classes[k]): int((told == k).sum())
        for k in np.setdiff1d(told, model.fitted.predict(X).argmax(axis=1))
    }
    return replace(model, agreement=float((told == said).mean()), never_said=never)


def _held_out(readable: Any, X: Array, values: Array, seed: int) -> Array:
    """Return what models say of rows that they were not fitted to."""
    found = np.empty_like(values)
    for fit, rest in KFold(N_FOLDS, shuffle=True, random_state=seed).split(X):
        model = fit_model(readable, X[fit], values[fit], "classification", seed)
        found[rest] = model.predict(X[rest])
    return found


def doubts(surrogate: Surrogate) -> Sequence[str]:
    """Say why a readable model should not be taken for the analyst's; nothing if it may be."""
    if surrogate.agreement is None:
        return [
            "How far your readable model agrees with the analyst's on your rows cannot be "
            "measured: it speaks of columns you do not hold, and imitates it on the anchor, which "
            "is not like rows. No anchor is, but one of public rows (anchor.kind = 'smote')."
        ]
    texts = []
    if surrogate.agreement < TRUSTED:
        texts.append(
            f"Your readable model agrees with the analyst's on {surrogate.agreement:.0%} of your "
            f"own rows, below {TRUSTED:.0%}: do not take its rules for the reasons of the "
            f"predictions, nor what it says of new rows for what the analyst would say."
        )
    texts += [
        f"Your readable model never says {name!r}, which the analyst says of {n} of your rows."
        for name, n in surrogate.never_said.items()
    ]
    return texts
