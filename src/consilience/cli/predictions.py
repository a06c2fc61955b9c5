"""What ``consilience label`` writes in a study that learns: predictions and a readable model."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from consilience.cli.console import output
from consilience.collaboration.learning.figure import draw_importances
from consilience.collaboration.learning.participation import (
    explain_answer,
    imitate_new_rows,
    predict_new_rows,
    predict_rows,
)
from consilience.collaboration.learning.public_rows import PublicRows
from consilience.collaboration.learning.surrogate import MAX_SPLITS, Surrogate, readable_tree
from consilience.collaboration.participation import Rows
from consilience.collaboration.reduction import AffineReduction
from consilience.messages import Prediction
from consilience.study.files import write_whole
from consilience.study.study import Study
from consilience.study.tables import write_table

__all__ = ["write_predictions"]


def write_predictions(
    terms: Study,
    role: str,
    rows: Rows,
    answer: Prediction,
    column_keys: Mapping[str, bytes],
    out: Path,
    *,
    new: bool,
    reduction: AffineReduction | None = None,
    public: PublicRows | None = None,
    splits: int = MAX_SPLITS,
) -> None:
    """Write the predictions and, where the study explains, the readable model beside them.

    New rows are predicted by the analyst's model where the answer carries it, which needs the
    `reduction` of the contribution, and else by the readable model.
    """
    carried, by = answer.model is not None, ""
    surrogate = None
    if answer.anchor is not None or (new and not carried):
        tree = readable_tree(splits)
        surrogate = explain_answer(terms, role, answer, column_keys, public, tree)
    if not new:
        table = predict_rows(terms, rows, answer)
    elif reduction is not None:
        table, by = predict_new_rows(terms, rows, answer, reduction), " by the analyst's model"
    else:
        assert surrogate is not None, "an answer without model and anchor was refused above"
        table, by = imitate_new_rows(terms, role, rows, surrogate), " by your readable model"
    with write_whole(out) as stream:
        stream.write(write_table(table, out))
    counts = table["prediction"].value_counts().sort_index()
    shown = ", ".join(f"{name}: {n}" for name, n in counts.items())
    output.print(f"wrote {len(table)} rows to {out}{by} ({shown})", highlight=False)
    if surrogate is not None:
        _write_model(surrogate, role, out.with_suffix(""))


def _write_model(surrogate: Surrogate, role: str, stem: Path) -> None:
    text = stem.with_name(f"{stem.name}-model.txt")
    with write_whole(text) as stream:
        stream.write(_page(surrogate, role).encode())
    picture = stem.with_name(f"{stem.name}-model.png")
    drawn = io.BytesIO()
    draw_importances(surrogate).savefig(drawn, format="png", dpi=110)
    with write_whole(picture) as stream:
        stream.write(drawn.getvalue())
    output.print(
        f"wrote your readable model to {text} and {picture}; it agrees with the analyst's on "
        f"{surrogate.fidelity:.0%} of the anchor",
        highlight=False,
    )


def _page(surrogate: Surrogate, role: str) -> str:
    top = ", ".join(surrogate.top_features(5))
    return (
        f"Readable model of {role}, {surrogate.reach(role)}.\n"
        f"It agrees with the analyst's model on {surrogate.fidelity:.1%} of the anchor rows.\n"
        f"Most important features: {top}\n\n{surrogate.export_text()}"
    )
