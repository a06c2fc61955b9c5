"""Run methods on the same table, dealt to the same institutions, and measure each alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils import check_scalar
from sklearn.utils.validation import check_consistent_length, column_or_1d

from consilience.baselines.sent import Sent
from consilience.comparison.attack import Exposed, expose
from consilience.comparison.heard import Held
from consilience.comparison.methods import METHODS, Found, Labels, Method
from consilience.comparison.result import Comparison
from consilience.comparison.split import Split, deal
from consilience.exceptions import ConsilienceError
from consilience.metrics import agreement, score

__all__ = ["compare"]

N_STARTS = 10
NOT_KNOWN = Exposed(float("nan"), float("nan"), float("nan"))
HOLDS = {
    "none": "one institution holds everything",
    "rows": "institutions hold different rows",
    "columns": "institutions hold different columns",
    "both": "institutions hold different rows and columns",
}


def compare(
    X: Any,
    parties: Any = None,
    columns: Sequence[Sequence[Any]] | None = None,
    *,
    n_clusters: int = 8,
    y: Any = None,
    methods: str | Iterable[str] | Mapping[str, Any] = "all",
    scale: bool = True,
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Comparison:
    """Run methods on one table as institutions would hold it, and put the results side by side.

    Every method gets the same rows, the same institutions and the same number of clusters
    (consensus and streams find their own). What it found is compared with k-means on the pooled
    rows, what left is counted and attacked: see :mod:`consilience.comparison.attack` for the
    attacker.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Finite numbers; ``consilience compare`` reads tables with categories and gaps.
    parties : array-like of shape (n_rows,), optional
        The institution that holds each row; None means one.
    columns : list of lists of int or str, optional
        The columns of each column group; None means one group.
    n_clusters : int, default 8
    y : array-like of shape (n_rows,), optional
        Known classes, to score against.
    methods : "all", list of str, or dict of str to clusterer, default "all"
        Names of :data:`~consilience.comparison.methods.METHODS`, or clusterers of your own with
        ``fit(X, parties=...)`` and ``labels_``; of these nobody knows what they send.
    scale : bool, default True
        Whether to take columns in units of their spreads. False takes them as they are.
    random_state : int, default 0
        Never touches the noise of differential privacy.
    progress : callable, optional
        Called with the name of each method before it runs.

    Returns
    -------
    Comparison
        Methods that do not fit the split, or refuse, are left out by name with the reason.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> hospitals = np.arange(178) % 3
    >>> found = compare(X, hospitals, n_clusters=3, y=y, methods=["collaboration", "k-FED"])
    >>> found.table.index.tolist()
    ['pooled', 'collaboration', 'k-FED']
    >>> bool(found.table.loc["collaboration", "agreement"] > 0.8)
    True
    """
    check_scalar(n_clusters, "n_clusters", Integral, min_val=1)
    split = deal(X, parties, columns, int(n_clusters), int(random_state), scale)
    if split.n_clusters > len(split.X):
        raise ValueError(
            f"n_clusters == {split.n_clusters}, must be <= {len(split.X)}, the rows of the table. "
            f"Lower it, or bring more rows."
        )
    classes = None if y is None else column_or_1d(y)
    if classes is not None:
        check_consistent_length(split.X, classes)
        if n_missing := int(pd.isna(classes).sum()):
            raise ValueError(
                f"y has {n_missing} missing values; leave out the rows without a class."
            )
    start = perf_counter()
    pooled = KMeans(split.n_clusters, n_init=N_STARTS, random_state=split.seed).fit(split.X)
    labels = pooled.labels_.astype(np.int64)
    everything = Found([(np.arange(len(split.X)), labels)], _all_leaves(split))
    seconds = perf_counter() - start
    lines = {"pooled": _measure(everything, split, labels, classes, seconds)}
    left_out: dict[str, str] = {}
    for name, method in _chosen(methods).items():
        if split.split_by not in method.splits:
            left_out[name] = f"it is not for a table of which {HOLDS[split.split_by]}."
            continue
        if progress is not None:
            progress(name)
        start = perf_counter()
        try:
            found = method.run(split)
        except (ValueError, ConsilienceError) as error:
            left_out[name] = str(error)
            continue
        lines[name] = _measure(found, split, labels, classes, perf_counter() - start)
    return Comparison(pd.DataFrame.from_dict(lines, orient="index"), left_out)


def _chosen(methods: str | Iterable[str] | Mapping[str, Any]) -> dict[str, Method]:
    if isinstance(methods, Mapping):
        return {str(name): _own(clusterer) for name, clusterer in methods.items()}
    names = (
        list(METHODS) if methods == "all" else [methods] if isinstance(methods, str) else methods
    )
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise ValueError(f"methods names {unknown}, must be among {list(METHODS)}, or 'all'.")
    return {name: METHODS[name] for name in names}


def _own(clusterer: Any) -> Method:
    """Make a method of a clusterer somebody brought: nothing is known of what it sends."""

    def run(split: Split) -> Found:
        labels = clone(clusterer).fit(split.X, parties=split.parties).labels_
        return Found([(np.arange(len(split.X)), np.asarray(labels))], None)

    return Method(frozenset(HOLDS), run)


def _all_leaves(split: Split) -> list[Held]:
    """Return what leaves if everybody hands over the rows."""
    held = []
    for rows in split.holdings.rows:
        for group in split.holdings.columns:
            part = np.ascontiguousarray(split.X[np.ix_(rows, group)])
            held.append(Held(rows, group, Sent(part.nbytes, [part], [part])))
    return held


def _measure(
    found: Found, split: Split, pooled: Labels, classes: Any, seconds: float
) -> dict[str, float]:
    """Score what was found and attack what was sent."""
    sizes = [len(rows) for rows, _ in found.parts]

    def mean(values: Iterable[float]) -> float:
        return float(np.average(list(values), weights=sizes))

    line = {"agreement": mean(agreement(own, pooled[rows]) for rows, own in found.parts)}
    if classes is not None:
        scores = [score(classes[rows], own) for rows, own in found.parts]
        for name in ("ari", "nmi", "acc"):
            line[name.upper()] = mean(getattr(s, name) for s in scores)
    line["clusters"] = mean(len(np.unique(own)) for _, own in found.parts)
    exposed = NOT_KNOWN if found.held is None else expose(split.X, found.held, split.seed)
    if exposed.as_they_are == 1:  # who holds the rows has nothing to rebuild
        exposed = Exposed(1.0, 1.0, 1.0)
    sent = float("nan") if found.held is None else sum(h.sent.n_bytes for h in found.held) / 1e3
    figures = dict(zip(("rebuilt", "recognised", "as they are"), exposed, strict=True))
    return {**line, "kilobytes": sent, **figures, "seconds": seconds}
