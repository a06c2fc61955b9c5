"""A party's page in a study that learns: its predictions, and the model it can read."""

from __future__ import annotations

import numpy as np
import pandas as pd

from consilience.collaboration.learning.figure import draw_importances
from consilience.collaboration.learning.imitation import doubts
from consilience.collaboration.learning.surrogate import Surrogate
from consilience.collaboration.learning.terms import Classes
from consilience.collaboration.learning.wording import describe_classes
from consilience.collaboration.sent import Ledger, last_contribution, risk_notes, sent_section
from consilience.messages import Prediction
from consilience.report.figures import report_style, to_svg
from consilience.report.page import Facts, Figure, Listing, Note, Page, Part, Section, Table
from consilience.study.rows import Rows
from consilience.study.study import Study

__all__ = ["learning_page", "surrogate_section"]

SHOWN_FEATURES = 10


def learning_page(
    study: Study,
    name: str,
    rows: Rows,
    predicted: pd.DataFrame,
    answer: Prediction,
    surrogate: Surrogate | None,
    ledger: Ledger,
) -> Page:
    """Describe the outcome of a study that learns to one of its parties.

    Parameters
    ----------
    study : Study
    name : str
        The party, ``"row/column"``.
    rows : Rows
        Its rows as the study takes them.
    predicted : DataFrame
        The predicted class of each row of its table.
    answer : Prediction
        Verified.
    surrogate : Surrogate or None
        Its readable model, where the study explains.
    ledger : sequence of mappings
        Entries of its ledger.
    """
    sections = [
        _summary(study, name, rows, predicted["prediction"], surrogate, ledger),
        _predictions(study, rows, predicted["prediction"], answer),
    ]
    if surrogate is not None:
        sections.append(surrogate_section(surrogate, name, _own_accuracy(surrogate, rows)))
    sections += [sent_section(study, ledger), describe_classes(study)]
    return Page(
        title=study.name,
        subtitle=f"Report for {name}",
        notice="This page holds statistics of your own table. It is yours: keep it in your house.",
        sections=sections,
        private=True,
    )


@report_style()
def surrogate_section(surrogate: Surrogate, name: str, accuracy: float | None = None) -> Section:
    """Describe a readable model: how far to trust it, what it uses, and its rules."""
    measured = surrogate.agreement is not None
    facts: list[tuple[str, str | int | float | None]] = [
        ("agreement with the analyst's model on your own rows", f"{surrogate.agreement:.1%}")
        if measured
        else ("agreement with the analyst's model on the anchor", f"{surrogate.fidelity:.1%}"),
    ]
    if accuracy is not None:
        facts.append(("right on your own rows of known class", f"{accuracy:.1%}"))
    parts: list[Part] = [
        f"It imitates the analyst's model, and speaks {surrogate.reach(name)}.",
        Facts(facts),
    ]
    parts += [Note(text, warning=True) for text in doubts(surrogate)]
    order = np.argsort(-surrogate.importances, kind="stable")[:SHOWN_FEATURES]
    used = [k for k in order if surrogate.importances[k] > 0]
    shares = [[surrogate.feature_names[k], f"{surrogate.importances[k]:.1%}"] for k in used]
    if used:
        words = "; ".join(f"{feature}: {share}" for feature, share in shares)
        parts.append(Figure(to_svg(draw_importances(surrogate)), alt=f"Bars. {words}."))
        parts.append(Table(["feature", "importance"], shares))
    parts.append(Listing(surrogate.export_text().rstrip("\n"), "The rules of the readable model"))
    return Section("A model you can read", parts)


def _predictions(study: Study, rows: Rows, predicted: pd.Series, answer: Prediction) -> Section:
    counts = predicted.value_counts()
    facts: list[tuple[str, str | int | float | None]] = []
    if rows.target is not None:
        known = ~rows.target.isna()
        facts.append(("rows you sent with their class", int(known.sum())))
        if known.any():
            told = predicted.to_numpy()[rows.kept]
            right = told[known] == np.asarray(rows.target)[known]
            facts.append(("predicted as you know them", f"{right.mean():.1%}"))
    table = Table(
        ["class", "your rows", "share"],
        [
            [c, int(counts.get(c, 0)), f"{counts.get(c, 0) / len(predicted):.1%}"]
            for c in sorted(study.of(Classes).learning.classes)
        ],
        caption="The model has seen the rows you sent with their class: on new rows expect less.",
    )
    notes = []
    if answer.model is not None:
        notes.append(
            Note(
                f"Your answer carries the analyst's model ({answer.model.size:,} bytes): label "
                f"--new-data predicts rows that come later, and nobody is asked. It may hold "
                f"something of single rows of others: keep it in your house."
            )
        )
    return Section("Predictions for your rows", [*([Facts(facts)] if facts else []), table, *notes])


def _own_accuracy(surrogate: Surrogate, rows: Rows) -> float | None:
    """Return the share of a party's own rows of known class its readable model gets right."""
    if rows.target is None or len(surrogate.feature_names) != rows.matrix.shape[1]:
        return None
    known = ~rows.target.isna()
    if not known.any():
        return None
    return float((surrogate.predict(rows.matrix[known]) == np.asarray(rows.target)[known]).mean())


def _summary(
    study: Study,
    name: str,
    rows: Rows,
    predicted: pd.Series,
    surrogate: Surrogate | None,
    ledger: Ledger,
) -> Section:
    last = last_contribution(study, ledger)
    facts = Facts(
        [
            ("rows in your table", len(predicted)),
            ("rows with a prediction", int(predicted.notna().sum())),
            ("dimensions you sent", last.get("dimensions")),
            ("bytes you sent", last.get("bytes")),
        ]
    )
    texts = [note[:1].upper() + note[1:] for note in rows.notes]
    texts += [] if surrogate is None else doubts(surrogate)
    n_without = int(predicted.isna().sum())
    if n_without:
        texts.append(
            f"{n_without:,} rows have no prediction: they were left out, or another party of your "
            f"rows does not hold them."
        )
    if not last:
        texts.append("Your ledger has no contribution to this study: is it the right folder?")
    notes = [*(Note(text, warning=True) for text in texts), *risk_notes(study, name, last)]
    return Section("At a glance", [facts, *(notes or [Note("Nothing to warn of.")])])
