"""The analyst of a study of summaries: it clusters the weighted centres of all parties."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from consilience.exceptions import MessageError
from consilience.messages import Message, Summary
from consilience.summaries.how_many import choose_number
from consilience.summaries.mixture import fit_mixture
from consilience.summaries.succession import Named, follow
from consilience.summaries.units import Units

__all__ = ["Analyst"]

Array = npt.NDArray[np.float64]

N_STARTS = 20


class Analyst:
    """Finds clusters in what the parties sent, and tells everybody their centres.

    Parameters
    ----------
    parties : iterable of str
    units : Units
    n_clusters : int or "auto"
        With "auto" a number from 1 to 10, see :mod:`~consilience.summaries.how_many`.
    mixture : bool
        Whether clusters are Gaussians of any shape, and not as round as those of k-means.
    former : Named, optional
        Clusters of an earlier study, in the units of this one, whose names go on.
    seed : int
    study, name : str

    Attributes
    ----------
    centers : ndarray of shape (n_clusters, n_features)
        In the encoded columns, the heaviest cluster first.
    sizes, errors : ndarray of shape (n_clusters,)
        Rows of each cluster as far as the weights tell, and the standard deviation that noise
        gives to that.
    named : Named
        The clusters in the units of the study, with their names.
    summaries : dict of str to Summary
        What arrived.

    Notes
    -----
    *Sends* to everybody the centres and sizes of the clusters. *Keeps* the summaries. *Learns* of
    each party where its rows lie, as far as the guarantee of the study lets it; no row, pseudonym
    or label.

    Examples
    --------
    >>> units = Units(np.zeros(1), np.full(1, 10.0), np.full(1, 10.0))
    >>> analyst = Analyst(["a"], units, n_clusters=2)
    >>> sent = Summary(study="", sender="a", recipient="analyst", weights=np.array([9.0, 8.0, 5.0]),
    ...                centers=np.array([[1.0], [9.0], [1.2]]))
    >>> answer, = analyst.receive(sent)
    >>> answer.centers.round(2).ravel(), answer.weights
    (array([1.07, 9.  ]), array([14.,  8.]))
    """

    def __init__(
        self,
        parties: Iterable[str],
        units: Units,
        *,
        n_clusters: int | Literal["auto"] = "auto",
        mixture: bool = False,
        former: Named | None = None,
        seed: int = 0,
        study: str = "",
        name: str = "analyst",
    ) -> None:
        self.name = name
        self.summaries: dict[str, Summary] = {}
        self._parties, self._units = list(parties), units
        self._n_clusters, self._seed, self._study = n_clusters, seed, study
        self._mixture, self._former = mixture, former

    @property
    def missing(self) -> list[str]:
        """The parties that have not sent anything yet."""
        return [party for party in self._parties if party not in self.summaries]

    def receive(self, message: Message) -> list[Message]:
        """Take a summary; answer everybody once the last has come."""
        sender = message.sender
        if message.study != self._study:
            raise MessageError(
                f"{sender} sent a {type(message).__name__} for study {message.study[:12]!r}, but "
                f"this one is {self._study[:12]!r}."
            )
        if sender not in self._parties:
            raise MessageError(f"{sender!r} is no party of the study: {self._parties}.")
        if not isinstance(message, Summary):
            raise MessageError(f"{self.name} cannot use a {type(message).__name__}.")
        width = len(self._units.lower)
        if message.centers.shape[1] != width:
            raise MessageError(
                f"{sender} sent centres of {message.centers.shape[1]} columns, the study has "
                f"{width}."
            )
        self.summaries[sender] = message
        return [] if self.missing else self.solve()

    def solve(self) -> list[Message]:
        """Cluster what has arrived and answer who sent it."""
        Z, weights, errors = self._gather()
        centers, labels = self._cluster(Z, weights)
        if self._mixture:
            found = fit_mixture(Z, weights, len(centers), self._seed)
            labels = found.memberships(Z).argmax(axis=1)
            centers = found.means
        sizes = np.bincount(labels, weights=weights, minlength=len(centers))
        order = np.argsort(-sizes, kind="stable")
        self.named = follow(centers[order], self._former)
        self.centers = np.ascontiguousarray(self._units.unscale(centers[order]))
        covariances = found.covariances[order] if self._mixture else None
        self.sizes: Array = sizes[order].astype(np.float64)
        noise = np.bincount(labels, weights=errors**2, minlength=len(centers))
        self.errors: Array = np.sqrt(noise)[order]
        return [
            Summary(
                study=self._study,
                sender=self.name,
                recipient=party,
                centers=self.centers,
                weights=self.sizes,
                errors=self.errors,
                covariances=covariances,
                names=self.named.names,
            )
            for party in self.summaries
        ]

    def _gather(self) -> tuple[Array, Array, Array]:
        """Return the centres of all parties, their weights and errors."""
        if not self.summaries:
            raise MessageError("no summary has arrived: there is nothing to cluster.")
        arrived = list(self.summaries.values())
        weights = np.concatenate([s.weights for s in arrived])
        errors = np.concatenate(
            [np.zeros(len(s.weights)) if s.errors is None else s.errors for s in arrived]
        )
        Z = self._units.scale(np.vstack([s.centers for s in arrived]))
        held = weights > 0
        self._senders = np.repeat(np.arange(len(arrived)), [len(s.weights) for s in arrived])[held]
        return Z[held], weights[held], errors[held]

    def _cluster(self, Z: Array, weights: Array) -> tuple[Array, npt.NDArray[np.intp]]:
        chosen = self._n_clusters
        if chosen == "auto":
            chosen = choose_number(Z, weights, self._senders, self._seed)
        return self._kmeans(Z, weights, min(chosen, len(np.unique(Z, axis=0))))

    def _kmeans(self, Z: Array, weights: Array, k: int) -> tuple[Array, npt.NDArray[np.intp]]:
        start = check_random_state(self._seed)
        model = KMeans(k, n_init=N_STARTS, random_state=start).fit(Z, sample_weight=weights)
        return model.cluster_centers_, model.labels_
