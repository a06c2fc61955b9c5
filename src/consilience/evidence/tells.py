"""What the arrays of a message let its recipient know, in words."""

from __future__ import annotations

__all__ = ["TELLS"]

ROWS = {
    "representation": "rows by coordinates, in a basis the recipient does not know",
    "pseudonyms": "keyed names of rows, which say nothing without the secrets of their holders",
    "steps": "how coarsely each coordinate is rounded: a share of its spread, to a power of two",
}
CONTRIBUTION = {**ROWS, "anchor": "the anchor by coordinates, in the same basis"}
MAP = {
    "linear": "the map from what the recipient sent into the shared space",
    "offset": "the rest of that map",
}
HEARD = {
    "heard": "digests of what the sender heard from all peers, to be compared with one's own",
    "commitments": "the digests that bound each peer in this iteration, as the sender heard them",
    "rosters": "digests of the rows each peer told the sender that it holds",
}
NONCE = "a random number that shows what the sender was bound to"

TELLS = {
    "Contribution": CONTRIBUTION,
    "LabelledContribution": {
        **CONTRIBUTION,
        "targets": "the class of every row, or its value: the recipient learns it",
    },
    "Query": ROWS,
    "Answer": {
        **MAP,
        "labels": "the cluster of each of the recipient's rows",
        "pseudonyms": "the names the recipient gave these rows",
        "representation": "shared coordinates of these rows, to which other parties contributed",
        "centers": "the centres of the clusters in the shared space",
        "memberships": "how far each of these rows belongs to each cluster",
        "tree": "which clusters are near to each other; nothing of how many rows they have",
    },
    "Prediction": {
        **MAP,
        "values": "the predicted class, or scores, of each of the recipient's rows",
        "pseudonyms": "the names the recipient gave these rows",
        "anchor": "the same for the rows of the anchor, by which the model can be imitated",
        "model": (
            "the model itself: the recipient can ask it at home, unseen, as often as it likes; "
            "what it holds of single rows of others, such as a leaf that one row made, goes with it"
        ),
    },
    "LabelCounts": {
        "counts": "how many rows of each class there are, with the noise the study asks for",
    },
    "Grouping": {
        "groups": "which institutions have label mixes alike",
        "tree": "how far apart the label mixes of groups are",
    },
    "Summary": {
        "centers": "where many rows lie: means of them, with the noise the study asks for",
        "weights": "about how many rows each of these stands for",
        "errors": "how far noise may have moved each of these numbers",
        "classes": "the class of the rows each of these stands for, where the study has classes",
        "covariances": "how far each cluster spreads in every direction, in an answer",
        "names": "what each cluster is called, also in later studies, in an answer",
    },
    "SharedKey": {
        "key": "a secret of some parties, for one of them: by it anchors and pseudonyms are drawn",
    },
    "BlindedIds": {
        "session": "a random number by which the holders of these rows know this match",
        "counts": "how many ids each of these holders has",
        "points": "their ids, blinded by secret numbers: nothing without the holder's own",
    },
    "NodeUpdate": {
        "nodes": "where the sender has data: without noise most of these are its rows",
        "counts": "how many of its rows each of these nodes stands for",
        "ids": "its own numbers of these nodes: which are new, and which have moved",
    },
    "ClusterUpdate": {
        "ids": "the numbers the recipient gave its own nodes",
        "labels": "the cluster of each of these nodes",
        "nodes": "the analyst's nodes: where the parties have data, not which of them",
        "node_labels": "the cluster of each of the analyst's nodes",
    },
    "Outline": {
        "digest": "one digest of all of the sender's rows: the same where the recipient's are",
        "sums": "numbers by which the recipient sees in which parts their rows differ, not which",
    },
    "Roster": {
        "pseudonyms": "keyed names of the sender's rows, where the two differ: peers hold the key, "
        "and see which they have in common",
    },
    "Commitment": {
        "digest": "binds the sender to what it is about to say, and says nothing of it",
        **HEARD,
    },
    "LocalLabels": {
        "packed": "which rows the sender finds alike: its own cluster of each",
        "nonce": NONCE,
    },
    "Ranking": {
        "packed": "the rows of each cluster, from the most to the least central to the sender",
        "nonce": NONCE,
    },
    "StateDigest": {
        "digest": "what the sender made of the iteration, to be compared with one's own",
        **HEARD,
    },
}
"""By the kind of the message and the name of the array."""
