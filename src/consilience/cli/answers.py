"""Answers as a party takes them: verified, and only to what it sent itself."""

from __future__ import annotations

from pathlib import Path

from consilience.cli.console import errors, plain
from consilience.cli.groups import groups_of
from consilience.cli.options import column_keys, read_identity
from consilience.collaboration.learning.participation import explain_answer
from consilience.collaboration.learning.public_rows import PublicRows
from consilience.collaboration.learning.surrogate import MAX_SPLITS, readable_tree
from consilience.collaboration.participation import read_rows
from consilience.collaboration.reduction import AffineReduction
from consilience.exceptions import BundleError
from consilience.messages import Answer, Grouping, Prediction
from consilience.report import Page, grouping_page, learning_page, party_page
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.study.tables import read_table
from consilience.transports.bundle import read_bundle

__all__ = ["party_report", "read_answer", "read_reduction"]


def read_answer(
    path: Path, terms: Study, role: str, folder: PrivateFolder
) -> Answer | Prediction | Grouping:
    """Read the answer to a party, and see that it is the analyst's, to what the party sent."""
    message, _ = read_bundle(path, study=terms, identity=read_identity(terms, folder, role))
    if not isinstance(message, Answer | Prediction | Grouping):
        raise BundleError(f"{path.name} holds a {type(message).__name__}, no answer.")
    if message.sender != ANALYST:
        raise BundleError(f"{path.name} comes from {message.sender!r}, not from the analyst.")
    sent = folder.ledger.contributions(terms.digest)
    if message.contribution not in sent:
        raise BundleError(
            f"{path.name} answers a contribution to this study that is not in your ledger, "
            f"{folder.ledger.path}. Use the private folder you contributed with, or ask the "
            f"analyst what it received in your name."
        )
    if message.contribution != sent[-1]:
        note = (
            f"{path.name} answers contribution {sent.index(message.contribution) + 1} of your "
            f"{len(sent)} to this study, not the latest. Send that one to the analyst if it is the "
            f"one that counts."
        )
        errors.print(plain(note, "yellow"))
    return message


def read_reduction(
    folder: PrivateFolder, terms: Study, answer: Answer | Prediction
) -> AffineReduction:
    """Read the reduction that was kept of the contribution an answer is about."""
    kept = folder.read_state("reduction", terms.digest, answer.contribution)
    return AffineReduction(kept["mean"], kept["components"])


def party_report(
    terms: Study,
    role: str,
    folder: PrivateFolder,
    answer: Answer | Prediction | Grouping,
    data: Path,
    id_column: str,
    public: PublicRows | None = None,
    splits: int = MAX_SPLITS,
) -> Page:
    """Describe an answer to a party, beside its own table."""
    entries = folder.ledger.entries()
    if isinstance(answer, Grouping):
        return grouping_page(terms, role, groups_of(terms, answer), answer, entries)
    rows = read_rows(terms, role, data, id_column, folder.read_key("row"))
    if isinstance(answer, Prediction):
        keys = column_keys(folder, terms, role)
        surrogate = None
        if answer.anchor is not None:
            tree = readable_tree(splits)
            surrogate = explain_answer(terms, role, answer, keys, public, tree)
        return learning_page(terms, role, rows, answer, surrogate, entries)
    _, table = read_table(data, terms.schema_of(role.partition("/")[2]), id_column)
    return party_page(terms, role, rows, table, answer, entries)
