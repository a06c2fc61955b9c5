"""From the terms of a study that learns to its roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consilience.collaboration.anchors.keyed import draw_anchor
from consilience.collaboration.learning.analyst import LearningAnalyst
from consilience.collaboration.learning.clustered_analyst import ClusteredAnalyst
from consilience.collaboration.learning.network import paper_network
from consilience.collaboration.learning.party import LearningParty
from consilience.collaboration.learning.public_rows import PublicRows, column_slices
from consilience.collaboration.learning.targets import classes_of
from consilience.collaboration.learning.terms import Classes, LearningTerms
from consilience.collaboration.roles import gathering_settings, n_anchor_of, party_settings
from consilience.exceptions import MissingExtraError, StudyError
from consilience.holdings import Place
from consilience.privacy.release import Account
from consilience.study.study import Study

__all__ = ["learning_analyst_of", "learning_party_of"]


def learning_party_of(
    study: Study,
    name: str,
    column_keys: Mapping[str, bytes],
    rng: np.random.Generator | None = None,
    public: PublicRows | None = None,
    budget: Account | None = None,
    readable: Any = None,
) -> LearningParty:
    """Return a party of a study that learns, with the anchor its keys fix.

    Parameters
    ----------
    study : Study
    name : str
        ``"row/column"``.
    column_keys : mapping of str to bytes
        The key of its own column group; with ``explain = "all"``, of every column group.
    rng : numpy.random.Generator, optional
        The party's own randomness; the operating system's by default.
    public : PublicRows, optional
        What a SMOTE anchor is drawn from.
    budget : Account, optional
        What noise is charged to, where the study asks for it; a fresh budget by default.
    readable : estimator, optional
        What imitates the analyst's model; None is a decision tree with at most 5 splits.
    """
    study.check_party(name)
    terms, column = study.of(Classes).learning, Place.of(name).column
    explained = study.grid.columns if terms.explain == "all" else (column,)
    anchors = _draw_anchors(study, name, explained, column_keys, public)
    return LearningParty(
        name,
        anchors[column],
        classes=classes_of(terms),
        send_labels=column == terms.holder,
        readable=readable,
        readable_anchor=np.hstack(list(anchors.values())) if terms.explain == "all" else None,
        feature_names=[n for c in explained for n in study.schema_of(c).feature_names],
        seed=terms.seed,
        **party_settings(study, name, budget),
        rng=rng,
    )


def _draw_anchors(
    study: Study,
    name: str,
    columns: Sequence[str],
    column_keys: Mapping[str, bytes],
    public: PublicRows | None,
) -> dict[str, npt.NDArray[np.float64]]:
    """Draw the anchor of some column groups, as every party that may know it does."""
    method, n_anchor = study.of(Classes), n_anchor_of(study)
    kind = method.anchor.kind
    if kind == "smote":
        if public is None:
            raise StudyError(f"{name!r} has no public rows, from which a smote anchor is drawn.")
        whole, places = public.draw(study, n_anchor), column_slices(study)
        return {c: np.ascontiguousarray(whole[:, places[c]]) for c in columns}
    missing = [c for c in columns if c not in column_keys]
    if missing:
        raise StudyError(
            f"{name!r} has no column keys of {missing}, which learning.explain = 'all' needs. Ask "
            f"a party of those columns for them."
        )
    return {
        c: draw_anchor(kind, study.own_key(column_keys[c]), *method.ranges(study, c), n_anchor)
        for c in columns
    }


def learning_analyst_of(study: Study, newcomers: Sequence[str] = ()) -> LearningAnalyst:
    """Return the analyst of a study that learns; it needs no secret.

    Parameters
    ----------
    study : Study
    newcomers : sequence of str
        Row institutions that join the nearest group of the others, where there are groups.
    """
    terms = study.of(Classes).learning
    settings: dict[str, Any] = {
        "estimator": _estimator(terms),
        "prior": terms.prior or "pooled",
        "answer": terms.answer,
        "anchor": terms.explain != "no",
        "seed": terms.seed,
        **gathering_settings(study),
    }
    rows, columns = study.grid.rows, study.grid.columns
    if terms.threshold is None:
        if newcomers:
            raise StudyError(
                f"{list(newcomers)} cannot be newcomers: the study makes no groups "
                f"(learning.threshold), and everybody shares one model."
            )
        return LearningAnalyst(rows, columns, **settings)
    return ClusteredAnalyst(
        rows, columns, threshold=terms.threshold, newcomers=newcomers, **settings
    )


def _estimator(terms: LearningTerms) -> Any:
    name = terms.estimator
    if name == "ridge":
        return None
    if name == "logistic":
        return LogisticRegression(max_iter=1000)
    if name == "forest":
        return RandomForestClassifier()
    if name == "network":
        layers = {} if terms.layers is None else {"hidden_layer_sizes": terms.layers}
        return make_pipeline(StandardScaler(), paper_network().set_params(**layers))
    try:
        from xgboost import XGBClassifier
    except ImportError as error:
        raise MissingExtraError("learning.estimator = 'xgboost'", "xgboost", "boost") from error
    return XGBClassifier()
