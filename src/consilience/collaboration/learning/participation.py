"""What a party of a study that learns does with its table: contribute, predict, explain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from consilience.collaboration.learning.party import LearningParty
from consilience.collaboration.learning.portable import thaw
from consilience.collaboration.learning.public_rows import PublicRows
from consilience.collaboration.learning.roles import learning_party_of, learning_terms
from consilience.collaboration.learning.surrogate import Surrogate
from consilience.collaboration.learning.targets import decode_classes, encode_classes
from consilience.collaboration.participation import Rows, map_rows
from consilience.collaboration.reduction import AffineReduction
from consilience.exceptions import BudgetError, MessageError, StudyError, TableError
from consilience.messages import Contribution, LabelCounts, Prediction
from consilience.privacy.budget import Budget
from consilience.privacy.noise import CountNoise
from consilience.study.study import ANALYST, Study

__all__ = [
    "contribute_rows",
    "count_rows",
    "explain_answer",
    "imitate_new_rows",
    "predict_new_rows",
    "predict_rows",
]


def contribute_rows(
    study: Study,
    name: str,
    rows: Rows,
    column_keys: Mapping[str, bytes],
    rng: np.random.Generator | None = None,
    public: PublicRows | None = None,
    budget: Budget | None = None,
) -> tuple[Contribution, AffineReduction]:
    """Make the contribution of a party, with the classes if its column group holds them.

    Where the study asks for noise, `budget` is charged before it is drawn. Classes have no noise.

    Returns
    -------
    contribution : Contribution
        A ``LabelledContribution`` where classes travel.
    reduction : AffineReduction
    """
    terms = learning_terms(study)
    if name.partition("/")[2] == terms.holder:
        _check_target(study, name, rows)
    if public is not None:
        public.refuse_private(study, name.partition("/")[2], rows.matrix)
    party = learning_party_of(study, name, column_keys, rng, public, budget)
    (message,) = party.begin(rows.matrix, rows.pseudonyms, rows.target)
    assert isinstance(message, Contribution)
    assert isinstance(party.reduction, AffineReduction)
    return message, party.reduction


def count_rows(study: Study, name: str, rows: Rows, budget: Budget | None = None) -> LabelCounts:
    """Count the classes of a party's rows, where nothing else may leave.

    Where the study asks for noise, `budget` is charged before it is drawn.
    """
    terms = learning_terms(study)
    if name.partition("/")[2] != terms.holder:
        raise StudyError(
            f"{name!r} has nothing to send: in this study only parties of {terms.holder!r} do, the "
            f"number of their rows of each class."
        )
    target = _check_target(study, name, rows)
    # Nothing is reduced, so that no anchor is needed.
    party = LearningParty(
        name,
        np.empty((0, rows.matrix.shape[1])),
        classes=_classes(study),
        count_noise=None if terms.epsilon is None else CountNoise(terms.epsilon),
        study=study.digest,
        analyst=ANALYST,
        budget=Budget(terms.budget) if budget is None else budget,
    )
    try:
        (message,) = party.count(target)
    except BudgetError:
        raise
    except ValueError as error:
        raise StudyError(str(error)) from None
    assert isinstance(message, LabelCounts)
    return message


def _check_target(study: Study, name: str, rows: Rows) -> npt.NDArray[np.object_]:
    """Return the classes of a table that must have them."""
    if rows.target is None:
        raise StudyError(
            f"the table of {name!r} has no column {learning_terms(study).target!r}, which holds "
            f"the classes (learning.target)."
        )
    try:
        encode_classes(rows.target, _classes(study))
    except ValueError as error:
        raise TableError(f"the table of {name!r}: {error}") from None
    return rows.target


def predict_rows(study: Study, rows: Rows, answer: Prediction) -> pd.DataFrame:
    """Join predictions back to the ids of the table; a row left out has an empty one."""
    if answer.pseudonyms is None:
        raise MessageError("the answer names no rows; it does not belong to a study by files.")
    classes = _classes(study)
    if answer.values.shape[1] != len(classes):
        raise MessageError(f"the answer is about {answer.values.shape[1]} classes, not these.")
    place = {code.tobytes(): k for k, code in enumerate(answer.pseudonyms)}
    found = np.array([place.get(code.tobytes(), -1) for code in rows.pseudonyms], dtype=np.intp)
    known = found >= 0
    known[known] = answer.values[found[known]].any(axis=1)
    labels = np.full(len(rows.ids), None, dtype=object)
    labels[rows.kept[known]] = classes[answer.values[found[known]].argmax(axis=1)]
    return pd.DataFrame({rows.ids.name: rows.ids.to_numpy(), "prediction": labels})


def explain_answer(
    study: Study,
    name: str,
    answer: Prediction,
    column_keys: Mapping[str, bytes],
    public: PublicRows | None = None,
    readable: Any = None,
) -> Surrogate:
    """Fit the readable model of a party to the predictions for the anchor (Alg. 1, line 13).

    Parameters
    ----------
    study : Study
    name : str
        The party, ``"row/column"``.
    answer : Prediction
    column_keys : mapping of str to bytes
        As of :func:`~consilience.collaboration.learning.roles.learning_party_of`.
    public : PublicRows, optional
    readable : estimator, optional
        Any scikit-learn classifier; None is a decision tree with at most 5 splits.
    """
    if answer.anchor is None:
        raise StudyError(
            "the answer has no predictions for the anchor: the study asks for no readable model "
            "(learning.explain = 'no')."
        )
    party: LearningParty = learning_party_of(
        study, name, column_keys, public=public, readable=readable
    )
    party.expect_rows(len(answer.values))
    party.receive(answer)
    return party.surrogate


def predict_new_rows(
    study: Study, rows: Rows, answer: Prediction, reduction: AffineReduction
) -> pd.DataFrame:
    """Predict rows that were not in the study, by the model the answer carries.

    Parameters
    ----------
    study : Study
    rows : Rows
    answer : Prediction
        With a model and the map to it.
    reduction : AffineReduction
        What the party kept of the contribution that is answered.
    """
    Z = map_rows(rows.matrix, answer, reduction)
    assert answer.model is not None, "a Prediction has a model where it has a map"
    model, classes = thaw(answer.model), _classes(study)
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


def imitate_new_rows(study: Study, name: str, rows: Rows, surrogate: Surrogate) -> pd.DataFrame:
    """Predict rows that were not in the study, by the readable model of this party's columns."""
    width = rows.matrix.shape[1]
    if len(surrogate.feature_names) != width:
        raise StudyError(
            f"{name!r} holds {width} of the {len(surrogate.feature_names)} features of its "
            f"readable model; new rows can be predicted with learning.explain = 'column', or "
            f"where one party holds all columns."
        )
    return _table(rows, surrogate.predict(rows.matrix))


def _table(rows: Rows, classes: npt.NDArray[np.object_]) -> pd.DataFrame:
    labels = np.full(len(rows.ids), None, dtype=object)
    labels[rows.kept] = classes
    return pd.DataFrame({rows.ids.name: rows.ids.to_numpy(), "prediction": labels})


def _classes(study: Study) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    return np.sort(np.array(learning_terms(study).classes, dtype=object))
