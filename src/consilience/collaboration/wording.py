"""The terms of a data collaboration in words, and where they are weak."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.collaboration.rounding import Rounding
from consilience.collaboration.terms import Clusters, Reduced
from consilience.report.agreement import agreement_section
from consilience.report.page import Cell, Note, Section, Table
from consilience.study.method import NoiseTerms
from consilience.study.study import Study

__all__ = ["describe_clusters", "describe_reduced", "missing_party", "noise", "weak_terms"]

REDUCERS = {
    "pca": "principal components",
    "svd": "singular vectors",
    "random": "a random projection",
    "lpp": "locality preserving projection",
    "nmf": "non-negative factors",
}
SCALINGS = {
    "none": "in the units of the tables",
    "bounds": "every column first brought to [0, 1] by its public bounds",
    "local": "every column first divided by the party's own standard deviation",
    "spread": "every column first divided by its public spread, a categorical one as a whole",
}
UNMATCHED = {
    "drop": "left out",
    "keep": "kept; what is missing of them is estimated from the complete rows",
    "refuse": "refused",
}
MATCHES = {
    "key": "by pseudonyms of a key that the holders of a row share: each of them can test ids",
    "psi": "by pseudonyms that the holders of a row make together: none of them can test ids alone",
}
ANSWERS = {
    "labels": "the cluster of each of its rows, and how many clusters there are",
    "representation": "the cluster and the shared coordinates of each of its rows, and the centres",
    "model": "the cluster of each of its rows, and the map and centres to label new rows",
    "memberships": "the cluster of each of its rows, and how far it belongs to each cluster",
    "tree": "the cluster of each of its rows, and how clusters join into larger ones",
}
METHODS = {
    "kmeans": "k-means",
    "spectral": "spectral clustering",
    "landmarks": "spectral clustering of landmarks",
    "hierarchical": "hierarchical clustering (Ward)",
    "mixture": "a mixture of round Gaussians",
}


def describe_clusters(study: Study) -> Section:
    """Write the agreement of a study of clusters."""
    method = study.of(Clusters)
    clustering = method.clustering
    number = (
        "a number of clusters chosen from the data"
        if clustering.n_clusters == "auto"
        else f"{clustering.n_clusters} clusters"
    )
    if clustering.span is not None:
        number = "{} to {} clusters, as the analyst chooses".format(*clustering.span)
    how = " or ".join(METHODS[method] for method in clustering.methods)
    if "spectral" in clustering.methods:
        how += f" on {clustering.n_neighbors} nearest neighbours"
    if clustering.trim is not None:
        how += f" whose furthest {clustering.trim:.1%} of the rows move no centre"
    purpose = [
        ["Clustering", f"{how}, {number}, seed {clustering.seed}"],
        ["What each party receives", ANSWERS[method.answer]],
    ]
    return describe_reduced(study, purpose)


def describe_reduced(
    study: Study, purpose: Sequence[Sequence[Cell]], also_sent: str = ""
) -> Section:
    """Write the agreement of a study whose parties send reduced rows.

    Parameters
    ----------
    study : Study
    purpose : sequence of (term, what was agreed)
        What is made of the rows, and what comes back.
    also_sent : str
        What leaves beside the rows, put at the end of a sentence.
    """
    method = study.of(Reduced)
    reduction = method.reduction
    turned = ", and rotated by a secret rotation of its own" if reduction.rotate else ""
    lines: list[Sequence[Cell]] = [
        missing_party(study),
        ["Rows of different holders meet", MATCHES[study.ids.match or "key"]],
        ["Rows not at every party of their row", UNMATCHED[study.ids.unmatched]],
        [
            "What each party sends",
            f"its rows reduced by {REDUCERS[reduction.reducer]}, {SCALINGS[reduction.scaling]}"
            f"{turned}; the anchor reduced alike, and its digest; keyed pseudonyms of its rows"
            f"{also_sent}",
        ],
        ["Coordinates before they leave", _rounding(reduction.rounding)],
        [
            "Noise on the rows before that",
            noise(reduction, "Laplace noise from the public bounds", "no formal guarantee"),
        ],
        ["Anchor", _anchor(study)],
        [
            "Rows that come later",
            "may be asked about: a party then sends them reduced and rounded alike, with keyed "
            "pseudonyms, and learns of them what it learns of its rows",
        ],
        *purpose,
    ]
    if method.max_exact_rows is not None:
        lines.append(
            [
                "Share of rows an audit may find to be rebuilt exactly",
                f"{method.max_exact_rows:.0%}",
            ]
        )
    groups: list[list[Cell]] = [
        [
            column,
            len(study.schemas[column]),
            study.width_of(column),
            method.n_components(study, column),
        ]
        for column in study.grid.columns
    ]
    header = ["column group", "columns", "encoded columns", "dimensions that leave"]
    return agreement_section(study, lines, [Table(header, groups)])


def missing_party(study: Study) -> list[Cell]:
    """Say what happens if a party sends nothing to the analyst."""
    stops = study.grid.missing_party == "refuse"
    return [
        "A party that sends nothing",
        "stops the study: nothing is solved without it"
        if stops
        else "is left out: the others go on",
    ]


def weak_terms(study: Study, columns: Sequence[str]) -> list[Note]:
    """Warn of column groups that keep nearly all of their dimensions, and of an anchor all hold.

    The categories of one column add up to one, so a column group has one dimension less than
    encoded columns for each of its categorical columns. An analyst who learns the anchor from one
    party can rebuild rows of the others almost exactly when all dimensions but one, or more than
    three quarters of them, leave.
    """
    notes = []
    for column in columns:
        kept = study.of(Reduced).n_components(study, column)
        free = study.schema_of(column).n_free
        if kept >= free or kept > 0.75 * free or (kept > 1 and kept >= free - 1):
            text = (
                f"Weak against collusion: parties of {column} send {kept} of {free} dimensions. "
                f"Whoever gets to know the anchor of {column} can rebuild their rows almost "
                f"exactly. Lower reduction.n_components.{column} in the next study, and look at "
                f"the audit: rounded columns can be decoded from few dimensions, too."
            )
            notes.append(Note(text, warning=True))
    if _anchor_is_everywhere(study):
        text = (
            "Every party holds the anchor of all columns: an analyst who colludes with any one of "
            "them can attack the rows of all. It is the price of readable models in all columns "
            "and of anchors made from public rows."
        )
        notes.append(Note(text, warning=True))
    return notes


def _rounding(share: Rounding | None) -> str:
    if share is None:
        return "sent in double precision"
    if share == "auto":
        return (
            "rounded by each party until what it sends of a row holds less than the row, the same "
            "for the same row every time"
        )
    return f"rounded to about {share:.3g} of their spread, the same for the same row every time"


def _anchor(study: Study) -> str:
    anchor = study.of(Reduced).anchor
    made = "from public rows and a secret key" if anchor.public else "from secret keys"
    who = "; every party holds that of all columns" if _anchor_is_everywhere(study) else ""
    return f"{anchor.kind} rows that belong to nobody, drawn {made}{who}"


def _anchor_is_everywhere(study: Study) -> bool:
    return len(study.grid.columns) > 1 and study.of(Reduced).anchor_is_everywhere


def noise(terms: NoiseTerms, how: str, without: str) -> str:
    """Say how noise is drawn, and what it costs; or what there is without."""
    if terms.epsilon is None:
        return f"none; {without}"
    limit = "" if terms.budget is None else f", {terms.budget:g} for all contributions together"
    return f"{how}, epsilon {terms.epsilon:g} per record{limit}"
