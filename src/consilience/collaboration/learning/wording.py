"""The terms of a study of classes in words."""

from __future__ import annotations

from consilience.collaboration.learning.terms import Classes
from consilience.collaboration.wording import describe_reduced
from consilience.report.page import Section
from consilience.study.study import Study

__all__ = ["describe_classes"]

PREDICTIONS = {
    "labels": "the predicted class of its rows",
    "scores": "the scores of the classes of its rows",
    "model": (
        "the predicted class of its rows, and the model with its own map to it: it can predict new "
        "rows at home, and whatever the model holds of single rows of others goes with it"
    ),
}
EXPLAINED = {
    "no": "",
    "column": ", and predictions for the anchor, to fit a readable model in its own columns",
    "all": ", and predictions for the anchor, to fit a readable model in all columns",
}


def describe_classes(study: Study) -> Section:
    """Write the agreement of a study of classes."""
    terms = study.of(Classes).learning
    models = "one model" if terms.threshold is None else "one model per group of row institutions"
    if terms.prior == "own":
        models += ", told to each row institution for the mix of classes of its own rows"
    estimator = terms.estimator + ("" if terms.layers is None else f" {list(terms.layers)}")
    purpose = [
        ["Learning", f"{estimator}, {models}, seed {terms.seed}"],
        ["Classes", f"{', '.join(terms.classes)}; parties of {terms.holder} send those of rows"],
        ["What each party receives", PREDICTIONS[terms.answer] + EXPLAINED[terms.explain]],
    ]
    return describe_reduced(study, purpose, f"; parties of {terms.holder} the class of each row")
