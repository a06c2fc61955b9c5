"""The picture of a readable model for a party's report."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from consilience.collaboration.learning.surrogate import Surrogate

__all__ = ["draw_importances"]


def draw_importances(surrogate: Surrogate, n_features: int = 10) -> Figure:
    """Draw the most important features of a readable model as bars.

    Parameters
    ----------
    surrogate : Surrogate
    n_features : int
        At most so many bars; features the model does not use have none.

    Returns
    -------
    matplotlib.figure.Figure
        It shows names, shares and how far the model is to be trusted; no value of anyone's rows.

    Examples
    --------
    >>> from consilience.collaboration.learning.surrogate import fit_surrogate
    >>> A = np.linspace(0, 1, 9)[:, None]
    >>> told = np.eye(2)[(A[:, 0] > 0.5).astype(int)]
    >>> s = fit_surrogate(A, told, feature_names=["age"], classes=np.array(["no", "yes"]))
    >>> [bar.get_width() for bar in draw_importances(s).axes[0].patches]
    [np.float64(1.0)]
    """
    order = np.argsort(-surrogate.importances, kind="stable")[:n_features]
    used = [k for k in order if surrogate.importances[k] > 0][::-1]
    figure = Figure(figsize=(6, 1.4 + 0.35 * max(len(used), 1)), layout="constrained")
    axes = figure.add_subplot()
    axes.barh([surrogate.feature_names[k] for k in used], surrogate.importances[used])
    where = "all columns" if surrogate.scope == "all" else "own columns"
    axes.set(xlabel="importance (share)", xlim=(0, 1))
    axes.set_title(
        f"Readable model in {where}\nagrees with the analyst's on {surrogate.fidelity:.0%} of the "
        f"anchor",
        loc="left",
        fontsize="medium",
    )
    return figure
