"""Federated spectral clustering [HernandezPereira2021]_: local embeddings, signs made equal."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_scalar, validate_data

from consilience.baselines.sent import Sent
from consilience.baselines.weighted_kmeans import weighted_kmeans
from consilience.collaboration.spectral import spectral_embedding
from consilience.holdings import row_groups

__all__ = ["HernandezPereiraSpectral"]

Array = npt.NDArray[np.float64]


@dataclass(eq=False, repr=False)
class HernandezPereiraSpectral(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows of several institutions from spectral embeddings each makes alone.

    1. The first party shows one of its rows, and that row's embedding.
    2. Every other party embeds its rows together with the row shown, and turns the sign of each
       eigenvector in which the row shown has the other sign than at the first party.
    3. Each party runs k-means in its embedding and sends the centres.
    4. The coordinator runs k-means on all centres; a row gets the cluster of its centre.

    One round. All parties hold the same columns.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, at most the rows of all parties, and of eigenvectors.
    n_neighbors : int, default=10
        Neighbours of each row in the graph, itself included; all rows of a party that has fewer.
    random_state : int, RandomState instance or None, default=None
        Seed of the row shown and of k-means.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_rows,)
        Cluster of each row.
    n_clusters_ : int
        Number of clusters found.
    parties_ : list
        The institutions, sorted.
    sent_ : list of Sent
        What each of them sent.
    n_features_in_ : int
        Number of columns.

    Notes
    -----
    Embedding rows are scaled to length one, as Ng, Jordan and Weiss do in spectral clustering:
    eigenvectors have unit length, and without scaling those of parties with different numbers of
    rows would not be comparable. Signs are all that is made equal. Parties may find their
    eigenvectors in another order, or turned among (nearly) equal eigenvalues, and then the
    centres do not match. There is no embedding for new rows, hence no ``predict``.

    Who sees what: *every* party sees one raw row of the first party; the coordinator sees centres
    in the embedding.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1], [0.2], [0.3], [9.2], [9.3]])
    >>> model = HernandezPereiraSpectral(2, n_neighbors=3, random_state=0)
    >>> len(model.fit_predict(X, parties=list("aaaabbbb")))
    8
    """

    n_clusters: int = 8
    _: KW_ONLY
    n_neighbors: int = 10
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, parties: Any = None) -> Self:
        """Find common clusters.

        The arguments are those of :meth:`consilience.baselines.centres.CentreClustering.fit`.
        """
        check_scalar(self.n_clusters, "n_clusters", Integral, min_val=1)
        check_scalar(self.n_neighbors, "n_neighbors", Integral, min_val=1)
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_clusters > len(X):
            raise ValueError(
                f"n_clusters == {self.n_clusters}, must be <= {len(X)}, the number of rows of all "
                "parties together. Lower n_clusters."
            )
        names, rows = row_groups(parties, len(X))
        random_state = check_random_state(self.random_state)
        answers = [
            weighted_kmeans(embedding, self.n_clusters, random_state, n_init=10)
            for embedding in self._embed([X[mine] for mine in rows], random_state)
        ]
        for (_, centres), sent in zip(answers, self.sent_, strict=True):
            sent.add(centres)
        pooled = np.vstack([centres for _, centres in answers])
        group, _ = weighted_kmeans(pooled, self.n_clusters, random_state, n_init=10)
        labels = np.empty(len(X), dtype=np.int64)
        start = 0
        for mine, (local, centres) in zip(rows, answers, strict=True):
            labels[mine] = group[start + local]
            start += len(centres)
        # A centre without rows leaves a gap in the numbers.
        _, self.labels_ = np.unique(labels, return_inverse=True)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.parties_ = names
        return self

    def _embed(self, tables: list[Array], random_state: Any) -> list[Array]:
        """Embed each party's rows, with the signs of the first party (steps 1 and 2)."""
        self.sent_ = [Sent() for _ in tables]
        first = self._embed_alone(tables[0])
        shown = int(random_state.randint(len(tables[0])))
        self.sent_[0].add(tables[0][[shown]], points=True)
        self.sent_[0].add(first[shown])
        embeddings = [first]
        for table in tables[1:]:
            together = self._embed_alone(np.vstack([table, tables[0][shown]]))
            turn = np.where(together[-1] * first[shown] < 0, -1.0, 1.0)
            embeddings.append(together[:-1] * turn)
        return embeddings

    def _embed_alone(self, X: Array) -> Array:
        """Return unit rows in n_clusters dimensions; a party with few rows fills up with zeros."""
        n_dimensions = min(self.n_clusters, len(X))
        U = spectral_embedding(X, n_dimensions, self.n_neighbors).coordinates
        length = np.linalg.norm(U, axis=1, keepdims=True)
        U = np.divide(U, length, out=np.zeros_like(U), where=length > 0)
        return np.pad(U, ((0, 0), (0, self.n_clusters - U.shape[1])))
