"""A study of classes by files: contributions with classes in, predictions and models out."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.by_files import Examined, Leaving, Letter, Outcome, Solution
from consilience.collaboration.arrivals import joins_summary, joins_table
from consilience.collaboration.asking import ask
from consilience.collaboration.exchange import (
    account_of,
    audit_reduced,
    gather,
    leave,
    map_rows,
    read_reduction,
    sent_rows,
    take_answer,
)
from consilience.collaboration.labelling import meet_in_parts
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.clustered_analyst import ClusteredAnalyst
from consilience.collaboration.learning.imitation import TRUSTED, doubts
from consilience.collaboration.learning.network import fixed_epochs
from consilience.collaboration.learning.party import LearningParty
from consilience.collaboration.learning.portable import thaw
from consilience.collaboration.learning.public_rows import PublicRows, read_public_rows
from consilience.collaboration.learning.roles import learning_analyst_of, learning_party_of
from consilience.collaboration.learning.surrogate import MAX_SPLITS, Surrogate, readable_tree
from consilience.collaboration.learning.targets import check_target, classes_of, decode_classes
from consilience.collaboration.learning.terms import Classes
from consilience.collaboration.learning.wording import describe_classes
from consilience.exceptions import MessageError, StudyError
from consilience.holdings import Place
from consilience.mapped import in_blocks
from consilience.messages import Prediction
from consilience.privacy.release import Account
from consilience.report.page import Page
from consilience.sources.parts import NotInPartsError, comes_in_parts
from consilience.sources.source import Source
from consilience.study.labelled_lines import LabelledLines
from consilience.study.participant import Participant
from consilience.study.pseudonym_index import PseudonymIndex
from consilience.study.rows import Rows, beside_ids, refuse_name
from consilience.study.study import Study
from consilience.study.table_parts import fits_in_parts

__all__ = ["VERBS", "audit", "describe", "inquire", "read", "send", "solve"]

PREDICTION = "prediction"
"""The column of predicted classes in what a party gets."""
VERBS = ("contribute", "ask", "analyse", "label", "report", "audit")


def send(me: Participant, source: Source) -> Leaving:
    """Make the contribution of a party, with the classes if its column group holds them.

    Where the study asks for noise, the budget is charged before it is drawn. Classes have no noise.
    """
    method = me.study.of(Classes)
    rows = me.read_rows_to_send(source)
    if me.place.column == method.learning.holder:
        check_target(me.name, rows.target, method.learning)
    public = _public_rows(me)
    if public is not None:
        public.refuse_private(me.study, me.place.column, rows.matrix)
    account = account_of(me, method.reduction.budget)
    return leave(me, _party(me, public, account), rows)


def inquire(me: Participant, source: Source) -> Leaving:
    """Make the question of a party about rows that were not in its contribution.

    They need no class, and none leaves.
    """
    account = account_of(me, me.study.of(Classes).reduction.budget)
    return ask(me, _party(me, _public_rows(me), account), me.read_rows(source))


def _party(
    me: Participant, public: PublicRows | None, budget: Account | None = None, readable: Any = None
) -> LearningParty:
    """Return the role of a party, with every column key it needs."""
    needed = me.study.keys_of(me.name)
    keys = {
        circle[1]: me.folder.read_key(kind)
        for kind, circle in needed.items()
        if circle[0] == "column"
    }
    return learning_party_of(
        me.study,
        me.name,
        keys,
        me.draws("reduction"),
        public=public,
        budget=budget,
        readable=readable,
    )


def _public_rows(me: Participant) -> PublicRows | None:
    """Return the public rows of a study with a SMOTE anchor, which stand beside the study file."""
    name = me.study.of(Classes).anchor.public
    if name is None:
        return None
    return read_public_rows(me.home / name, me.study, me.folder.read_key("common"))


def solve(me: Participant, arrived: Sequence[Letter], newcomers: Sequence[str] = ()) -> Solution:
    """Learn from what arrived, and answer every party."""
    study, terms = me.study, me.study.of(Classes).learning
    try:
        analyst = learning_analyst_of(study, newcomers)
    except ValueError as error:
        raise StudyError(str(error)) from None
    with fixed_epochs():
        answers, received, notes = gather(me, analyst, arrived)

    def page() -> Page:
        from consilience.collaboration.learning.analyst_page import learning_analyst_page

        with fixed_epochs():
            return learning_analyst_page(study, analyst, received)

    summary = {
        **joins_summary(analyst),
        "classes": sorted(terms.classes),
        "estimator": terms.estimator,
        "explain": terms.explain,
        "learnt_from": analyst.n_labelled,
        **_shape(analyst),
    }
    groups = summary.get("groups", {})
    models = f" in {len(set(groups.values()))} groups" if groups else ""
    caption = f"{terms.estimator} learnt from {analyst.n_labelled} rows{models}"
    return Solution(answers, summary, replace(joins_table(analyst), caption=caption), page, notes)


def _shape(analyst: LearningAnalyst) -> dict[str, Any]:
    """Return the dimensions of the one shared space, or the groups that have one each."""
    if isinstance(analyst, ClusteredAnalyst):
        return {"groups": analyst.groups, "threshold": analyst.threshold}
    return {"dimensions": analyst.rows.shape[1]}


def read(
    me: Participant,
    answers: Sequence[Letter],
    source: Source,
    *,
    new: Source | None = None,
    splits: int = MAX_SPLITS,
    page: bool = False,
    as_lines: bool = False,
    override: str | None = None,
    **unused: Any,
) -> Outcome:
    """Give the rows of a party their predicted classes and, if the study explains, a model.

    New rows are predicted by the analyst's model where the answer carries it, and else by the
    readable model, if that may be trusted or somebody decides so by name. With `as_lines`, a large
    table is gone through in parts and written line by line, unless it is to be explained.
    """
    answer, notes = take_answer(me, answers, Prediction)
    party = _party(me, _public_rows(me), readable=readable_tree(splits))
    party.resume(sent_rows(me, answer))
    party.receive(answer)
    in_parts = as_lines and comes_in_parts(source) and fits_in_parts(me.study, me.name)
    if in_parts and new is None and not page and answer.anchor is None:
        with suppress(NotInPartsError):
            return _outcome_as_lines(me, answer, source, notes)
    rows = me.read_rows(source)
    surrogate = None
    if answer.anchor is not None:
        found = _places(rows, answer)
        surrogate = party.explain(rows.matrix[found >= 0], answer.values[found[found >= 0]])
        notes += doubts(surrogate)
    by = ""
    if new is None:
        table = predict_rows(me.study, rows, answer)
    elif answer.model is not None:
        table, by = _predict_new_rows(me, new, answer), " by the analyst's model"
    else:
        table, by = _imitate_new_rows(me, new, surrogate, override), " by your readable model"
    counts = table[PREDICTION].value_counts().sort_index()
    files, also = _model_files(surrogate, me.name)

    def make_page() -> Page:
        from consilience.collaboration.learning.party_page import learning_page

        predicted = predict_rows(me.study, rows, answer) if new is not None else table
        entries = me.folder.ledger.entries()
        return learning_page(me.study, me.name, rows, predicted, answer, surrogate, entries)

    said = ", ".join(f"{name}: {n}" for name, n in counts.items())
    return Outcome(table, said, make_page, notes, files, also, by)


def _outcome_as_lines(
    me: Participant, answer: Prediction, source: Source, notes: Sequence[str]
) -> Outcome:
    """Give the rows of a large table their predicted classes."""
    refuse_name(source.id_column, PREDICTION)
    classes, sent = classes_of(me.study.of(Classes).learning), _sent(answer)
    # A row that was left out has no class at all.
    told = [np.where(b.any(axis=1), b.argmax(axis=1), -1) for b in in_blocks(answer.values)]
    met = meet_in_parts(me, sent, np.concatenate(told).astype(np.int16), source)
    counts = np.bincount(met.labels[met.labels >= 0], minlength=len(classes))
    said = ", ".join(f"{name}: {n}" for name, n in zip(classes, counts, strict=True) if n)
    lines = LabelledLines(met.table, source.id_column, met.labels, list(classes), PREDICTION)

    def no_page() -> Page:
        raise StudyError("a page about a table needs all of it: it is not gone through in parts.")

    return Outcome(lines, said, no_page, notes)


def predict_rows(study: Study, rows: Rows, answer: Prediction) -> pd.DataFrame:
    """Join predictions back to the ids of the table; a row left out has an empty one."""
    classes = classes_of(study.of(Classes).learning)
    found = _places(rows, answer)
    known = found >= 0
    labels = np.full(len(rows.kept), None, dtype=object)
    labels[known] = classes[answer.values[found[known]].argmax(axis=1)]
    return _table(rows, labels)


def _places(rows: Rows, answer: Prediction) -> npt.NDArray[np.intp]:
    """Return where the prediction of each row stands in an answer, -1 if it has none."""
    found = PseudonymIndex(_sent(answer)).find(rows.pseudonyms)
    # A row that was left out has no class at all.
    return np.where((found >= 0) & answer.values[found].any(axis=1), found, -1)


def _sent(answer: Prediction) -> npt.NDArray[np.uint8]:
    """Return the pseudonyms of the rows that an answer is about."""
    if answer.pseudonyms is None:
        raise MessageError("the answer names no rows; it does not belong to a study by files.")
    return answer.pseudonyms


def _predict_new_rows(me: Participant, new: Source, answer: Prediction) -> pd.DataFrame:
    """Predict rows that were not in the study, by the model the answer carries."""
    rows = me.read_rows(new)
    Z = map_rows(rows.matrix, answer, read_reduction(me, answer))
    assert answer.model is not None, "a Prediction has a model where it has a map"
    model, classes = thaw(answer.model), classes_of(me.study.of(Classes).learning)
    width = getattr(model.estimator, "n_features", Z.shape[1])
    if (width, len(model.constant)) != (Z.shape[1], len(classes)):
        raise MessageError(
            f"the model takes {width} dimensions and tells {len(model.constant)} classes apart, "
            f"but its map leads to {Z.shape[1]} and the study has {len(classes)}: it is not of "
            f"this study."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        values = model.predict(Z)
    if not np.isfinite(values).all():
        raise MessageError("the model gives no finite scores for these rows; it cannot be used.")
    return _table(rows, decode_classes(values, classes))


def _imitate_new_rows(
    me: Participant, new: Source, surrogate: Surrogate | None, override: str | None
) -> pd.DataFrame:
    """Predict rows that were not in the study, by the readable model of this party's columns."""
    if surrogate is None:
        raise StudyError(
            "the answer has no predictions for the anchor: the study asks for no readable model "
            "(learning.explain = 'no')."
        )
    rows = me.read_rows(new)
    width = rows.matrix.shape[1]
    if len(surrogate.feature_names) != width:
        raise StudyError(
            f"{me.name!r} holds {width} of the {len(surrogate.feature_names)} features of its "
            f"readable model; new rows can be predicted with learning.explain = 'column', or "
            f"where one party holds all columns."
        )
    if surrogate.agreement is not None and surrogate.agreement < TRUSTED:
        if override is None:
            raise StudyError(
                f"new rows are not predicted by a readable model that agrees with the analyst's on "
                f"{surrogate.agreement:.0%} of your own rows; {TRUSTED:.0%} are asked for. Allow "
                f"it more --splits, agree on learning.answer = 'model', or say who decides "
                f"otherwise: --override NAME."
            )
        facts = {"agreement": surrogate.agreement, "limit": TRUSTED, "study": me.study.digest}
        me.folder.ledger.add("override", by=override, **facts)
    return _table(rows, surrogate.predict(rows.matrix))


def _table(rows: Rows, classes: npt.NDArray[np.object_]) -> pd.DataFrame:
    labels = np.full(len(rows.ids), None, dtype=object)
    labels[rows.kept] = classes
    return beside_ids(rows.ids, PREDICTION, labels)


def _model_files(surrogate: Surrogate | None, name: str) -> tuple[dict[str, bytes], str]:
    """Return a readable model as text and as a picture, and the sentence about it."""
    if surrogate is None:
        return {}, ""
    from consilience.collaboration.learning.figure import draw_importances

    text = (
        f"Readable model of {name}, {surrogate.reach(name)}.\n"
        f"It agrees with the analyst's model on {_agrees(surrogate)}.\n"
        f"{''.join(f'{text}{chr(10)}' for text in doubts(surrogate))}"
        f"Most important features: {', '.join(surrogate.top_features(5))}\n\n"
        f"{surrogate.export_text()}"
    )
    drawn = io.BytesIO()
    draw_importances(surrogate).savefig(drawn, format="png", dpi=110)
    also = f"your readable model; it agrees with the analyst's on {_agrees(surrogate)}"
    return {"-model.txt": text.encode(), "-model.png": drawn.getvalue()}, also


def _agrees(surrogate: Surrogate) -> str:
    if surrogate.agreement is None:
        return f"{surrogate.fidelity:.0%} of the anchor, which is not like your rows"
    seen = ", not seen in its fit" if surrogate.imitated == "rows" else ""
    return f"{surrogate.agreement:.0%} of your own rows{seen}"


def audit(study: Study, party: str, source: Source, **options: Any) -> Examined:
    """Attack what a party would contribute, beside the classes, which leave as they are."""
    examined = audit_reduced(study, party, source, **options)
    terms = study.of(Classes).learning
    if examined.audit is None or Place.of(party).column != terms.holder:
        return examined
    told = f"No attack is needed for the classes: {terms.target!r} leaves as it is, for every row."
    audit = replace(examined.audit, advice=(*examined.audit.advice, told))
    return replace(examined, audit=audit)


describe = describe_classes
