"""Everything that may leave an institution: one closed list of messages.

Each message is a frozen dataclass of plain numbers, short texts and arrays, and checks itself when
it is made, at the sender as at the receiver: by what each field declares, see
:mod:`~consilience.fields`, and by its ``check``. Adding a class here is adding something that can
leak: say in its docstring who may learn what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Protocol

import numpy as np

from consilience.exceptions import MessageError
from consilience.fields import (
    AtLeast,
    Bytes,
    Coordinates,
    Floats,
    Labels,
    Shape,
    Wholes,
    check_fields,
)
from consilience.mapped import in_blocks

__all__ = [
    "BY_NAME",
    "MESSAGES",
    "Absence",
    "Answer",
    "BlindedIds",
    "ClusterUpdate",
    "Commitment",
    "Contribution",
    "Failure",
    "Farewell",
    "Grouping",
    "LabelCounts",
    "LabelledContribution",
    "LocalLabels",
    "Message",
    "NodeUpdate",
    "Outline",
    "PeerMessage",
    "Prediction",
    "Query",
    "Ranking",
    "Rejoin",
    "Role",
    "Roster",
    "SharedKey",
    "StateDigest",
    "Summary",
    "Withdrawal",
    "Witness",
]

PSEUDONYM_BYTES = 16
NONCE_BYTES = 16
KEY_BYTES = 32
POINT_BYTES = 32
SESSION_BYTES = 16
DIGEST_BYTES = 32
MIN_STEP, MAX_STEP = 2.0**-200, 2.0**200

Pseudonyms = Annotated[Bytes, Shape("n_rows", PSEUDONYM_BYTES)]
Nonce = Annotated[Bytes, Shape(NONCE_BYTES)]
Digest = Annotated[Bytes, Shape(DIGEST_BYTES)]
Commitments = Annotated[Bytes, Shape("n_members", 2, DIGEST_BYTES)]
Digests = Annotated[Bytes, Shape("n_members", DIGEST_BYTES)]
Heard = Annotated[Bytes, Shape(3, DIGEST_BYTES)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Message:
    """The header every message carries.

    Parameters
    ----------
    study : str
        Digest of the terms both sides agreed to; empty where there is no study file.
    sender, recipient : str
        Names of the roles, such as ``"hospital-a/clinical"`` and ``"analyst"``.
    """

    study: str
    sender: str
    recipient: str

    def __post_init__(self) -> None:
        check_fields(self)
        self.check()

    def check(self) -> None:
        """Check the rules that no declaration of a field can state."""


def _check_steps(message: Contribution | Query, *arrays: Coordinates) -> None:
    """See that numbers are whole if and only if there are steps, and finite when multiplied."""
    kind, steps = type(message).__name__, message.steps
    if any((array.dtype == np.float64) != (steps is None) for array in arrays):
        raise MessageError(f"a {kind} with steps has whole numbers, and one without has none.")
    if steps is not None and steps.size and not MIN_STEP <= steps.min() <= steps.max() <= MAX_STEP:
        raise MessageError(f"steps of a {kind} must be between {MIN_STEP:g} and {MAX_STEP:g}.")


def _coordinates(numbers: Coordinates, steps: Floats | None) -> Floats:
    return numbers if steps is None else numbers * steps  # type: ignore[return-value]


@dataclass(frozen=True, kw_only=True, eq=False)
class Contribution(Message):
    """A party's representation of its rows and of the anchor (Alg. 3, line 5, [Kawamata2025]_).

    The analyst learns the number of rows, the number of dimensions kept and the coordinates of the
    rows in a basis it does not know. See the threat model for what that is worth.

    Parameters
    ----------
    anchor_digest : str
        Digest of the anchor before reduction, so that the analyst can tell two parties of a
        column that they hold different anchors. It says nothing about the anchor itself.
    pseudonyms : ndarray of shape (n_rows, 16), uint8, or None
        Keyed pseudonyms of the rows; None when the rows of a row institution are already in one
        agreed order.
    steps : ndarray of shape (n_components,), float64, or None
        What each coordinate was rounded to, above 0; coordinates are then whole numbers of it.
    """

    representation: Annotated[Coordinates, Shape("n_rows", "n_components")]
    anchor: Annotated[Coordinates, Shape("n_anchor", "n_components")]
    anchor_digest: str
    pseudonyms: Pseudonyms | None = None
    steps: Annotated[Floats, Shape("n_components")] | None = None

    def check(self) -> None:
        """Check that there is something, and what its numbers are."""
        if not self.representation.size or not self.anchor.size:
            raise MessageError("a Contribution has at least one row, anchor row and dimension.")
        _check_steps(self, self.representation, self.anchor)

    @property
    def rows(self) -> Floats:
        """The coordinates of the rows."""
        return _coordinates(self.representation, self.steps)

    @property
    def anchor_rows(self) -> Floats:
        """The coordinates of the anchor."""
        return _coordinates(self.anchor, self.steps)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledContribution(Contribution):
    """A contribution with the target of each row (Alg. 1, line 4, [Imakura2023]_).

    Beside what a contribution tells it, the analyst learns the class, or the value, of every row:
    to learn from them is what the study was made for. A party sends this only where the study says
    that labels travel.

    Parameters
    ----------
    targets : ndarray of shape (n_rows, n_outputs), float64
        One column per class, 1 in the row's class and 0 elsewhere, all 0 where the class is not
        known; or the values of a regression.
    """

    targets: Annotated[Floats, Shape("n_rows", "n_outputs")]

    def check(self) -> None:
        """Check that there is something, and something to learn."""
        super().check()
        if not self.targets.size:
            raise MessageError("targets of a LabelledContribution have at least one output.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Query(Message):
    """A party's representation of rows that were not in the study, to be labelled.

    The analyst learns of these rows what it learns of contributed ones. Today it travels within one
    process alone, where ``predict`` of an estimator asks; no command writes it to a file.
    """

    representation: Annotated[Coordinates, Shape("n_rows", "n_components")]
    pseudonyms: Pseudonyms | None = None
    steps: Annotated[Floats, Shape("n_components")] | None = None

    def check(self) -> None:
        """Check what its numbers are."""
        _check_steps(self, self.representation)

    @property
    def rows(self) -> Floats:
        """The coordinates of the rows."""
        return _coordinates(self.representation, self.steps)


def _check_shares(shares: Floats) -> None:
    sums = shares.sum(axis=1)
    whole = (abs(sums - 1) <= 1e-6) | (sums == 0)
    if shares.size and not (shares.min() >= 0 and whole.all()):
        raise MessageError("memberships of an Answer must be >= 0 and add up to 1 in every row.")


def _check_tree(tree: Floats, n_clusters: int) -> None:
    n = len(tree)
    sides = tree[:, :2].ravel()
    named = sorted(sides.tolist()) == list(range(2 * n)) and n == max(n_clusters - 1, 0)
    earlier = (tree[:, :2].max(axis=1, initial=-1) < n_clusters + np.arange(n)).all()
    if not (named and earlier and (np.diff(tree[:, 2]) >= 0).all() and (tree[:, 2] >= 0).all()):
        raise MessageError(
            f"tree of an Answer must join its {n_clusters} clusters, each once, at rising heights."
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer(Message):
    """Labels for the rows a party sent, in the order in which it sent them.

    A party learns the cluster of each of its own rows, and how many clusters there are. If the
    study says so it also learns the shared coordinates of its rows, to which the other parties of
    the row contributed (``representation``, ``centers``), the map into them (``linear``,
    ``offset``, ``centers``), how far its rows belong to each cluster (``memberships``), or which
    clusters are near to each other (``tree``).

    Parameters
    ----------
    labels : ndarray of shape (n_rows,), int64 or shorter
        In the order in which the rows were sent; -1 where the study's rule left a row out.
    pseudonyms : ndarray of shape (n_rows, 16), uint8, or None
        As the party sent them; None on the way, since the party knows them.
    memberships : ndarray of shape (n_rows, n_clusters), or None
        Shares that add up to 1; all 0 where the study's rule left a row out.
    tree : ndarray of shape (n_joints, 3), or None
        Which clusters or earlier joints are joined (a joint is ``n_clusters`` plus its line), and
        at what height, the lowest first. It has no counts.
    contribution : str
        Digest of the contribution it answers; empty where none was written to a file.
    """

    labels: Annotated[Labels, Shape("n_rows")]
    n_clusters: Annotated[int, AtLeast(0)]
    pseudonyms: Pseudonyms | None = None
    representation: Annotated[Floats, Shape("n_rows", "n_dimensions")] | None = None
    centers: Annotated[Floats, Shape("n_clusters", "n_dimensions")] | None = None
    linear: Annotated[Floats, Shape("n_components", "n_dimensions")] | None = None
    offset: Annotated[Floats, Shape("n_dimensions")] | None = None
    memberships: Annotated[Floats, Shape("n_rows", "n_clusters")] | None = None
    tree: Annotated[Floats, Shape("n_joints", 3)] | None = None
    contribution: str = ""

    def check(self) -> None:
        """Check the range of the labels, that a map and a tree are whole, and shares are shares."""
        spans = [(part.min(), part.max()) for part in in_blocks(self.labels)]
        if not all(least >= -1 and largest < self.n_clusters for least, largest in spans):
            raise MessageError(
                f"labels of an Answer must lie in [-1, {self.n_clusters}): one of its "
                f"{self.n_clusters} clusters, or -1."
            )
        if (self.linear is None) != (self.offset is None):
            raise MessageError("linear and offset of an Answer must both be there, or neither.")
        if self.memberships is not None:
            _check_shares(self.memberships)
        if self.tree is not None:
            _check_tree(self.tree, self.n_clusters)


@dataclass(frozen=True, kw_only=True, eq=False)
class Prediction(Message):
    """What the analyst's model predicts for a party's rows and, if asked, for the anchor.

    A party learns the prediction for rows it already has. With predictions for the anchor it can
    imitate the model in its own features (Alg. 1, lines 9 to 13, [Imakura2023]_): it then knows of
    the other parties' rows what the model learnt from them, and no more. If the study says so it
    receives the model itself and the map into its space (Alg. 1, line 13, [Sugawara2026]_): it can
    then ask the model whatever it likes without anyone noticing, and whatever of single rows the
    model holds, such as a leaf of a tree that one row made, is in its hands.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_outputs), float64
        One column per class: 1 for the predicted class and 0 elsewhere, or the model's scores
        where the study allows them; or the values of a regression. Rows the study's rule left out
        are 0.
    pseudonyms : ndarray of shape (n_rows, 16), uint8, or None
        Of the rows, as the party sent them; None on the way, since the party knows them.
    anchor : ndarray of shape (n_anchor, n_outputs), float64, or None
        The same for the rows of the anchor.
    offset : ndarray of shape (n_dimensions,), float64, or None
        The map from what the party sent to what the model takes.
    model : ndarray of uint8, or None
        The model in the form of
        :mod:`~consilience.collaboration.learning.portable`, which checks it.
    contribution : str
        Digest of the contribution it answers; empty where none was written to a file.
    """

    values: Annotated[Floats, Shape("n_rows", "n_outputs")]
    pseudonyms: Pseudonyms | None = None
    anchor: Annotated[Floats, Shape("n_anchor", "n_outputs")] | None = None
    linear: Annotated[Floats, Shape("n_components", "n_dimensions")] | None = None
    offset: Annotated[Floats, Shape("n_dimensions")] | None = None
    model: Annotated[Bytes, Shape("n_bytes")] | None = None
    contribution: str = ""

    def check(self) -> None:
        """Check that a model comes with the whole map to it."""
        if len({part is None for part in (self.model, self.linear, self.offset)}) > 1:
            raise MessageError("a Prediction has a model and both parts of the map, or neither.")


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelCounts(Message):
    """How many rows of each class a row institution has (Eq. 6, [Sugawara2026]_).

    The analyst learns the label mix of the institution, and of no row anything. With noise on the
    counts it learns that no better than their epsilon allows.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,), int64
        In the order of the sorted classes; >= 0, and not all 0.
    """

    counts: Annotated[Wholes, Shape("n_classes")]

    def check(self) -> None:
        """Check the number of classes, and signs."""
        if len(self.counts) < 2 or self.counts.min() < 0 or not self.counts.any():
            raise MessageError(
                "counts of a LabelCounts must be >= 0, not all 0, and of at least two classes."
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class Grouping(Message):
    """Which row institutions have label mixes alike (Alg. 1, lines 6 and 7, [Sugawara2026]_).

    A party learns who is grouped with whom, and from the tree how far apart the label mixes of
    groups are; no label mix itself.

    Parameters
    ----------
    groups : ndarray of shape (n_rows,), int64
        The group of each row institution, in the order of the study; -1 for one that sent nothing.
    threshold : float
        t, between 0 and 1.
    tree : ndarray of shape (n_grouped - 1, 4), float64
        Merges of complete linkage among those grouped by it, in the same order.
    contribution : str
        Digest of the contribution it answers; empty where none was written to a file.
    """

    groups: Annotated[Wholes, Shape("n_institutions")]
    threshold: float
    tree: Annotated[Floats, Shape("n_merges", 4)]
    contribution: str = ""

    def check(self) -> None:
        """Check ranges, and that the tree fits the groups."""
        known = self.groups[self.groups >= 0]
        if not known.size or self.groups.min() < -1 or len(np.unique(known)) <= known.max():
            raise MessageError("groups of a Grouping must be numbered from 0, or -1 for none.")
        if not 0 <= self.threshold <= 1:
            raise MessageError("threshold of a Grouping must be between 0 and 1.")
        if len(self.tree) >= known.size:
            raise MessageError("tree of a Grouping has fewer lines than institutions.")


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeUpdate(Message):
    """The nodes of a party's stream that are new or have moved (Alg. 2, line 3, [Masuyama2024]_).

    The analyst learns where the party has data: without noise most nodes equal one of its rows.
    It learns how many rows each node stands for, and which nodes changed since the last window.

    Parameters
    ----------
    window : int
        Which window of the stream this is, counted from 0 without gaps.
    counts : ndarray of shape (n_nodes,), int64
        Winning counts, each >= 1.
    ids : ndarray of shape (n_nodes,), int64
        Numbers the party gave its nodes, each once; they mean nothing elsewhere.
    """

    window: Annotated[int, AtLeast(0)]
    nodes: Annotated[Floats, Shape("n_nodes", "n_features")]
    counts: Annotated[Wholes, Shape("n_nodes")]
    ids: Annotated[Wholes, Shape("n_nodes")]

    def check(self) -> None:
        """Check that counts and ids make sense."""
        if self.counts.size and self.counts.min() < 1:
            raise MessageError("counts of a NodeUpdate must be >= 1: a node is born by a point.")
        if self.ids.size and (self.ids.min() < 0 or len(np.unique(self.ids)) < len(self.ids)):
            raise MessageError("ids of a NodeUpdate must be >= 0 and different from each other.")


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterUpdate(Message):
    """The current clusters of a party's nodes, and of the analyst's nodes if the study says so.

    A party learns the cluster of each node it sent. With ``nodes`` it also learns where the
    others have data, as far as the analyst's nodes tell; a node nobody moved is somebody's node.

    Parameters
    ----------
    window : int
        Rounds the analyst has concluded before this one.
    ids, labels : ndarray of shape (n_ids,), int64
        The party's own node numbers, and the lasting name of the cluster of each.
    bandwidth : float
        Bandwidth with which ``nodes`` are compared; 0 without them.
    """

    window: Annotated[int, AtLeast(0)]
    ids: Annotated[Wholes, Shape("n_ids")]
    labels: Annotated[Wholes, Shape("n_ids")]
    n_clusters: Annotated[int, AtLeast(1)]
    nodes: Annotated[Floats, Shape("n_nodes", "n_features")] | None = None
    node_labels: Annotated[Wholes, Shape("n_nodes")] | None = None
    bandwidth: float = 0.0

    def check(self) -> None:
        """Check that nodes come with what belongs to them."""
        if (self.nodes is None) != (self.node_labels is None):
            raise MessageError("a ClusterUpdate has both nodes and node_labels, or neither.")
        if self.nodes is not None and not (len(self.nodes) and self.bandwidth > 0):
            raise MessageError("nodes of a ClusterUpdate are at least one, with a bandwidth > 0.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Summary(Message):
    """Centres that stand for many rows: those of a party's rows, or those of the clusters found.

    The analyst learns of a party where its rows lie and about how many lie there; of one row what
    the guarantee of the study leaves: with noise no more than its epsilon allows, without it a mean
    over at least as many rows as the study says. A party learns the centres and sizes of the
    clusters, made from the summaries of all.

    Parameters
    ----------
    centers : ndarray of shape (n_centers, n_features), float64
        In the units of the encoded columns.
    weights : ndarray of shape (n_centers,), float64
        How many rows each stands for, >= 0 and not all 0; noise makes fractions of them.
    errors : ndarray of shape (n_centers,), float64, or None
        The standard deviation that noise gives to each weight; None where there is no noise.
    classes : ndarray of shape (n_centers,), int64, or None
        Where the study has classes, that of the rows of each centre.
    covariances : ndarray of shape (n_centers, n_features, n_features), float64, or None
        Of an answer that is a mixture: how each cluster spreads, in the units of the study.
    names : ndarray of shape (n_centers,), int64, or None
        Of an answer: what each cluster is called, also in later studies; its place if None.
    contribution : str
        Digest of the summary it answers; empty where it answers none.
    """

    centers: Annotated[Floats, Shape("n_centers", "n_features")]
    weights: Annotated[Floats, Shape("n_centers")]
    errors: Annotated[Floats, Shape("n_centers")] | None = None
    classes: Annotated[Wholes, Shape("n_centers")] | None = None
    covariances: Annotated[Floats, Shape("n_centers", "n_features", "n_features")] | None = None
    names: Annotated[Wholes, Shape("n_centers")] | None = None
    contribution: str = ""

    def check(self) -> None:
        """Check that there is something, and signs."""
        if not self.centers.size or self.weights.min() < 0 or not self.weights.any():
            raise MessageError("a Summary has a centre, and weights >= 0 that are not all 0.")
        if self.errors is not None and self.errors.min() < 0:
            raise MessageError("errors of a Summary must be >= 0: they are standard deviations.")
        for part in (self.classes, self.names):
            if part is not None and part.min() < 0:
                raise MessageError("classes and names of a Summary are counted from 0.")
        if self.names is not None and len(np.unique(self.names)) < len(self.names):
            raise MessageError("two clusters of a Summary have the same name.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Failure(Message):
    """A refusal: the rule that was broken, without any value of the data.

    Peers tell each other so. An analyst sends none: it stops with the reason.
    """

    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class PeerMessage(Message):
    """The header of what peers tell each other.

    Parameters
    ----------
    iteration : int
        0 while the peers find their common rows, then 1, 2, ...
    attempt : int
        How often the peers have gone on without someone.
    """

    iteration: Annotated[int, AtLeast(0)]
    attempt: Annotated[int, AtLeast(0)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Outline(PeerMessage):
    """A digest of all rows a peer holds, and a sum over each part of them.

    The others learn whether they hold the same rows, about how many there are, and in which parts
    the two differ; who guesses all rows of a part can see that the guess is right. A
    :class:`Roster` of all rows tells all of this, and more.

    Parameters
    ----------
    digest : ndarray of shape (32,), uint8
        SHA-256 of all keyed pseudonyms in ascending order.
    sums : ndarray of shape (n_parts,), int64
        See :mod:`~consilience.consensus.protocol.outlines`; as many as a power of two.
    """

    digest: Digest
    sums: Annotated[Wholes, Shape("n_parts")]

    def check(self) -> None:
        """Check that parts can be halved."""
        if len(self.sums).bit_count() != 1:
            raise MessageError("sums of an Outline must be as many as a power of two.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Roster(PeerMessage):
    """Rows a peer holds, as keyed pseudonyms in ascending order: of the parts in which two differ.

    The other learns which of its rows in these parts the peer holds too, and how many more it has.
    """

    pseudonyms: Pseudonyms


@dataclass(frozen=True, kw_only=True, eq=False)
class Witness(PeerMessage):
    """What a peer has heard from each member: a digest of it, and where two differ, all of it.

    The others learn nothing new: they have heard the same, or someone told two stories.

    Parameters
    ----------
    heard : ndarray of shape (3, 32), uint8, or None
        Digests of what the sender has heard of all members' rosters, labels and rankings, see
        :class:`~consilience.consensus.protocol.hearsay.Hearsay`; zeros where it has not heard all
        yet. None in messages of earlier versions, which have the lists.
    commitments : ndarray of shape (n_members, 2, 32), uint8, or None
        What the sender has heard each member commit to in this iteration, labels and ranking, in
        the order of the names; zeros where it has heard nothing yet.
    rosters : ndarray of shape (n_members, 32), uint8, or None
        Digest of the rows each member told the sender that it holds; None where no rosters were
        exchanged.
    """

    heard: Heard | None = None
    commitments: Commitments | None = None
    rosters: Digests | None = None

    def check(self) -> None:
        """Check that it says something."""
        if self.heard is None and self.commitments is None:
            raise MessageError(f"a {type(self).__name__} must say what its sender has heard.")

    @property
    def in_full(self) -> bool:
        """Whether the lists were added to the digests, as where two differ."""
        return self.heard is not None and self.commitments is not None


@dataclass(frozen=True, kw_only=True, eq=False)
class Commitment(Witness):
    """A digest of what a peer is about to say, so that it cannot adapt it to the others.

    Parameters
    ----------
    phase : str
        ``"labels"`` or ``"ranking"``.
    """

    phase: str
    digest: Digest

    def check(self) -> None:
        """Check the phase, too."""
        super().check()
        if self.phase not in ("labels", "ranking"):
            raise MessageError('phase of a Commitment must be "labels" or "ranking".')


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalLabels(PeerMessage):
    """A peer's own clusters of the active rows (Phase 1, Alg. 1 of [Belucci2026]_).

    The others learn which rows the peer finds alike. An attacker who knows the features of some
    rows can guess those of others from it: see the threat model.

    Parameters
    ----------
    packed : ndarray of uint8
        The labels, ceil(log2(n_labels)) bits each.
    nonce : ndarray of shape (16,), uint8
        Opens the commitment.
    n_votes : int or None
        Label vectors, row after row in `packed`, where peers vote; None is one.
    """

    n_labels: Annotated[int, AtLeast(1)]
    packed: Annotated[Bytes, Shape("n_bytes")]
    nonce: Nonce
    n_votes: Annotated[int, AtLeast(1)] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking(PeerMessage):
    """The members of each cluster from the most to the least central to a peer (Phase 2).

    The others learn an order, no distance.

    Parameters
    ----------
    packed : ndarray of uint8
        Places in the active set, ceil(log2(n_active)) bits each, cluster after cluster.
    nonce : ndarray of shape (16,), uint8
        Opens the commitment.
    """

    packed: Annotated[Bytes, Shape("n_bytes")]
    nonce: Nonce


@dataclass(frozen=True, kw_only=True, eq=False)
class StateDigest(Witness):
    """What a peer made of an iteration.

    The others learn nothing new: they hold the same state, or someone told two stories.
    """

    digest: Digest


@dataclass(frozen=True, kw_only=True, eq=False)
class Absence(PeerMessage):
    """The peers someone has waited for in vain, names separated by commas."""

    missing: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Rejoin(PeerMessage):
    """A peer that has been away asks for what it missed since its last finished iteration."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Farewell(PeerMessage):
    """A peer has the result and needs nothing more."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SharedKey(Message):
    """A secret that some parties share, from one of them to another.

    Its recipient belongs to the circle and draws with it what the others draw: the anchor of its
    columns, or the pseudonyms of its rows. It is never addressed to the analyst.

    Parameters
    ----------
    circle : str
        Who shares it, such as ``"row hospital-a"`` or ``"column clinical"``.
    key : ndarray of shape (32,), uint8
    """

    circle: str
    key: Annotated[Bytes, Shape(KEY_BYTES)]

    def check(self) -> None:
        """Check that the analyst does not get it."""
        if self.recipient == "analyst":
            raise MessageError("a SharedKey is for parties, never for the analyst.")


@dataclass(frozen=True, kw_only=True, eq=False)
class BlindedIds(Message):
    """Ids of some holders of the same rows, each a point that secret numbers were multiplied into.

    Its recipient learns how many ids each of these holders has. Which ids they are it can test
    neither alone nor with others, as long as the holder they belong to keeps its secret: see
    ``docs/proofs/matching-ids.md``. It is never addressed to the analyst.

    Parameters
    ----------
    session : ndarray of shape (16,), uint8
        Random; the same in all letters of one match.
    letter : int
        Which of the letters of a match it is, from 0; it says whose sets it holds, see
        :class:`~consilience.psi.ring.Ring`.
    counts : ndarray of shape (n_sets,), int64
        How many ids each set has, at least 1.
    points : ndarray of shape (n_points, 32), uint8
        Points of ristretto255, set after set.
    """

    session: Annotated[Bytes, Shape(SESSION_BYTES)]
    letter: Annotated[int, AtLeast(0)]
    counts: Annotated[Wholes, Shape("n_sets")]
    points: Annotated[Bytes, Shape("n_points", POINT_BYTES)]

    def check(self) -> None:
        """Check that sets are whole, and that the analyst does not get them."""
        if self.recipient == "analyst":
            raise MessageError("BlindedIds are for holders of rows, never for the analyst.")
        # Counts that would overflow a sum are more than there are points.
        if not self.counts.size or not 1 <= self.counts.min() <= self.counts.max() <= len(
            self.points
        ):
            raise MessageError("counts of BlindedIds must be at least 1, and those of its points.")
        if sum(self.counts.tolist()) != len(self.points):
            raise MessageError("counts of BlindedIds must add up to the number of its points.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Withdrawal(Message):
    """A party takes back what it contributed: digests separated by commas.

    The analyst learns that the party no longer takes part with these contributions.
    """

    contributions: str


MESSAGES: tuple[type[Message], ...] = (
    Contribution,
    LabelledContribution,
    Query,
    Answer,
    Prediction,
    LabelCounts,
    Grouping,
    NodeUpdate,
    ClusterUpdate,
    Summary,
    SharedKey,
    BlindedIds,
    Withdrawal,
    Failure,
    Outline,
    Roster,
    Commitment,
    LocalLabels,
    Ranking,
    StateDigest,
    Absence,
    Rejoin,
    Farewell,
)
"""The closed list: no other class is ever written to a bundle or sent over a network."""

BY_NAME = {kind.__name__: kind for kind in MESSAGES}


class Role(Protocol):
    """A party, an analyst or a peer: takes messages, returns messages, opens nothing."""

    @property
    def name(self) -> str:
        """The name other roles send to."""

    def receive(self, message: Message) -> list[Message]:
        """Take one message and return the messages to send in turn."""
