"""The terms of a study in words, and where they are weak."""

from __future__ import annotations

from consilience.exceptions import StudyError
from consilience.report.page import Cell, Note, Section, Table
from consilience.study.schema import Categorical
from consilience.study.study import Study

__all__ = ["check_analyst", "describe_terms", "weak_terms"]

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
}
UNMATCHED = {
    "drop": "left out",
    "keep": "kept; what is missing of them is estimated from the complete rows",
    "refuse": "refused",
}
ANSWERS = {
    "labels": "the cluster of each of its rows",
    "representation": "the cluster and the shared coordinates of each of its rows, and the centres",
    "model": "the cluster of each of its rows, and the map and centres to label new rows",
}
PREDICTIONS = {
    "labels": "the predicted class of its rows",
    "scores": "the scores of the classes of its rows",
    "model": (
        "the predicted class of its rows, and the model with its own map to it: it can predict new "
        "rows at home, and whatever the model holds of single rows of others goes with it"
    ),
}
METHODS = {"kmeans": "k-means", "spectral": "spectral clustering"}


def check_analyst(study: Study) -> None:
    """Refuse a study in which no analyst finds anything."""
    if study.consensus is not None:
        raise StudyError(
            "the report describes what an analyst found, but in this study peers agree among "
            "themselves. Use what peer writes."
        )


def describe_terms(study: Study) -> Section:
    """Write the agreement as a table a person can read."""
    grid, clustering = study.grid, study.clustering
    number = (
        "a number of clusters chosen from the data"
        if clustering.n_clusters == "auto"
        else f"{clustering.n_clusters} clusters"
    )
    method = METHODS[clustering.method]
    if clustering.method == "spectral":
        method += f" on {clustering.n_neighbors} nearest neighbours"
    rows: list[list[Cell]] = [
        ["Row institutions", ", ".join(grid.rows)],
        ["Column groups", ", ".join(grid.columns)],
        *_absent(study),
        ["A party that sends nothing", _missing_party(grid.missing_party)],
        ["Rows not at every party of their row", UNMATCHED[study.ids.unmatched]],
        *_sent(study),
        *_purpose(study, f"{method}, {number}, seed {clustering.seed}"),
        *_limit(study),
        ["Digest of the terms", f"{study.digest[:16]}… (SHA-256; the same at every party)"],
    ]
    groups: list[list[Cell]] = [
        [column, len(study.schemas[column]), _width(study, column), study.n_components(column)]
        for column in grid.columns
    ]
    header = ["column group", "columns", "encoded columns", "dimensions that leave"]
    return Section("What was agreed", [Table(["term", "agreed"], rows), Table(header, groups)])


def _sent(study: Study) -> list[list[Cell]]:
    """Say what leaves each party."""
    reduction, learning = study.reduction, study.learning
    if learning is not None and learning.counts_alone:
        epsilon = learning.epsilon
        noise = (
            "none; the counts are exact" if epsilon is None else f"epsilon {epsilon:g} per record"
        )
        return [
            [
                "What each party sends",
                "how many rows of each class it has; no row, no class of one",
            ],
            ["Noise on the counts", noise],
        ]
    return [
        [
            "What each party sends",
            f"its rows reduced by {REDUCERS[reduction.reducer]}, {SCALINGS[reduction.scaling]}"
            + (", and rotated by a secret rotation of its own" if reduction.rotate else ""),
        ],
        ["Noise on the rows before that", _noise(study)],
        ["Anchor", _anchor(study)],
    ]


def _purpose(study: Study, clustering: str) -> list[list[Cell]]:
    """Say what the study is for, and what comes back."""
    terms = study.learning
    if terms is None:
        return [["Clustering", clustering], ["What each party receives", ANSWERS[study.answer]]]
    if terms.counts_alone:
        return [
            ["Learning", "nothing yet: row institutions are grouped by their label mixes"],
            ["Classes", f"{', '.join(terms.classes)}; held by parties of {terms.holder}"],
            [
                "What each party receives",
                "which institutions are grouped with which, the threshold, and the tree of merges, "
                "which tells how far apart groups are",
            ],
        ]
    told = PREDICTIONS[terms.answer]
    models = "one model" if terms.threshold is None else "one model per group of row institutions"
    explained = {
        "no": "",
        "column": ", and predictions for the anchor, to fit a readable model in its own columns",
        "all": ", and predictions for the anchor, to fit a readable model in all columns",
    }[terms.explain]
    return [
        ["Learning", f"{terms.estimator}, {models}, seed {terms.seed}"],
        ["Classes", f"{', '.join(terms.classes)}; parties of {terms.holder} send those of rows"],
        ["What each party receives", f"{told}{explained}"],
    ]


def weak_terms(study: Study, columns: list[str]) -> list[Note]:
    """Warn of column groups that keep nearly all of their dimensions, and of an anchor all hold.

    The categories of one column add up to one, so a column group has one dimension less than
    encoded columns for each of its categorical columns. An analyst who learns the anchor from one
    party can rebuild rows of the others almost exactly when all dimensions but one, or more than
    three quarters of them, leave.
    """
    notes = []
    for column in columns:
        kept = study.n_components(column)
        kinds = study.schemas[column].values()
        free = _width(study, column) - sum(isinstance(c, Categorical) for c in kinds)
        if kept >= free or kept > 0.75 * free or (kept > 1 and kept >= free - 1):
            text = (
                f"Weak against collusion: parties of {column} send {kept} of {free} dimensions. "
                f"Whoever gets to know the anchor of {column} can rebuild their rows almost "
                f"exactly. Lower reduction.n_components.{column} in the next study; about half "
                f"costs little accuracy."
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


def _anchor(study: Study) -> str:
    made = "from public rows and a secret key" if study.anchor.public else "from secret keys"
    who = "; every party holds that of all columns" if _anchor_is_everywhere(study) else ""
    return f"{study.anchor.kind} rows that belong to nobody, drawn {made}{who}"


def _anchor_is_everywhere(study: Study) -> bool:
    everywhere = study.learning is not None and study.learning.explain == "all"
    return len(study.grid.columns) > 1 and (everywhere or study.anchor.kind == "smote")


def _noise(study: Study) -> str:
    epsilon, budget = study.reduction.epsilon, study.reduction.budget
    if epsilon is None:
        return "none; no formal guarantee"
    limit = "" if budget is None else f", {budget:g} for all contributions together"
    return f"Laplace noise from the public bounds, epsilon {epsilon:g} per record{limit}"


def _width(study: Study, column: str) -> int:
    return len(study.schema_of(column).feature_names)


def _missing_party(rule: str) -> str:
    if rule == "refuse":
        return "stops the study: nothing is solved without it"
    return "is left out: the others go on"


def _absent(study: Study) -> list[list[Cell]]:
    return [["Nobody holds", ", ".join(study.grid.absent)]] if study.grid.absent else []


def _limit(study: Study) -> list[list[Cell]]:
    if study.max_reconstruction is None:
        return []
    return [["Largest R² an audit may rebuild a column to", study.max_reconstruction]]
