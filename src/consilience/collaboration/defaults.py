"""What a new study starts from, and the papers' settings one switch away.

The figures behind the choice are on the page of the benchmark ``attacks``: with half of the
dimensions, rounded up, agreement with the pooled clustering stays within a few per cent of the
papers' m - 1 on every set tried, while a coalition of analyst and party rebuilds less.
"""

from __future__ import annotations

from consilience.collaboration.reduction import default_n_components
from consilience.collaboration.scene import Terms

__all__ = ["advised_n_components", "advised_terms", "paper_terms"]


def advised_n_components(n_features: int) -> int:
    """Return half of the columns, rounded up: what a new study keeps of each column group.

    Examples
    --------
    >>> [advised_n_components(m) for m in (1, 2, 5, 30)]
    [1, 1, 3, 15]
    """
    return max(1, (n_features + 1) // 2)


def advised_terms(n_features: int) -> Terms:
    """Return the terms of a new study: half the dimensions, gaussian anchor, labels only.

    Examples
    --------
    >>> terms = advised_terms(30)
    >>> terms.n_components, terms.anchor, terms.answer
    (15, 'gaussian', 'labels')
    """
    return Terms(n_components=advised_n_components(n_features), anchor="gaussian", answer="labels")


def paper_terms(n_features: int, n_rows: int) -> Terms:
    """Return the settings of [Kawamata2025]_: m - 1 dimensions, as many uniform anchors as rows.

    Examples
    --------
    >>> terms = paper_terms(30, 569)
    >>> terms.n_components, terms.anchor, terms.n_anchor, terms.answer
    (29, 'uniform', 569, 'representation')
    """
    return Terms(
        n_components=default_n_components(n_features),
        anchor="uniform",
        n_anchor=n_rows,
        answer="representation",
    )
