"""What every kind of study does when its messages travel as files: the same few functions.

A verb of the command line loads the study, looks up the ``by_files`` of its kind once, by
:func:`by_files`, and calls. The functions open no bundle and ask nobody: they take messages that
were verified and return what is to be shown, asked, sealed and kept, and the verbs do that alike
for all kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from consilience.exceptions import BundleError, StudyError
from consilience.messages import Message, Role
from consilience.privacy.audits.audit import Audit
from consilience.report.page import Page, Part, Section, Table
from consilience.sources.reading import Lines
from consilience.sources.source import Source
from consilience.study.method import load_kind
from consilience.study.participant import Participant
from consilience.study.study import Study
from consilience.transports.bundle import Manifest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "AwaitingAnalyst",
    "Examined",
    "Exhibit",
    "Kind",
    "Leaving",
    "Letter",
    "Outcome",
    "Solution",
    "by_files",
    "expect_letter",
    "hear_all",
]


@dataclass(frozen=True, eq=False)
class Letter:
    """One message as a file.

    Parameters
    ----------
    message : Message
    purpose : str
        Why it is sent, in words, for the person who looks into it.
    file : str
        The name of the file.
    manifest : Manifest, optional
        Of a letter that arrived, verified.
    """

    message: Message
    purpose: str
    file: str
    manifest: Manifest | None = None

    @property
    def stated(self) -> Manifest:
        """The manifest of a letter that arrived."""
        assert self.manifest is not None, "a letter that has not left has no manifest yet"
        return self.manifest


@dataclass(frozen=True, eq=False)
class Leaving:
    """What a party is about to send, before anything has left.

    Parameters
    ----------
    letters : sequence of Letter
    shown : sequence of (str, str)
        What would leave, in black and white: what, and how much.
    tables : sequence of Table
        What else helps to decide.
    question : str
        Asked before anything is written.
    entry : str
        What the ledger calls it.
    facts : mapping
        What else the ledger says of it.
    notes : sequence of str
        What the person should know.
    audit : Audit, optional
        What a quick audit finds.
    refusal : str
        Why it may not leave by the limit of the study; empty if it may.
    keep : callable
        Called with the manifest of each letter once it is on disk, and before it appears: what the
        party must not forget.
    page : callable, optional
        Makes a page about what left.
    outcome : callable, optional
        Makes what is known already, where nobody has to answer any more.
    needs_approval : bool
        Whether it waits for those who approve, where the study names some.
    waiting_for : sequence of str
        Whose letters are needed next, where it is not the analyst's.
    """

    letters: Sequence[Letter]
    shown: Sequence[tuple[str, str]]
    question: str
    entry: str
    tables: Sequence[Table] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    audit: Audit | None = None
    refusal: str = ""
    keep: Callable[[Manifest], None] = lambda manifest: None
    page: Callable[[], Page] | None = None
    outcome: Callable[[], Outcome] | None = None
    needs_approval: bool = True
    waiting_for: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Solution:
    """What an analyst found.

    Parameters
    ----------
    answers : sequence of Letter
    summary : mapping
        What the analyst may see, as plain values.
    table : Table
        The same for a person.
    page : callable
        Makes the analyst's page.
    notes : sequence of str
        What the person should know.
    keep : callable
        Called before the answers appear: what the analyst must not forget.
    counts : callable, optional
        Makes a table of counts that may be shown to others.
    """

    answers: Sequence[Letter]
    summary: Mapping[str, Any]
    table: Table
    page: Callable[[], Page]
    notes: Sequence[str] = ()
    keep: Callable[[], None] = lambda: None
    counts: Callable[[], pd.DataFrame] | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an answer means for the rows of a party.

    Parameters
    ----------
    table : DataFrame, or lines of one that is too large for that
        What is written beside the ids, or about institutions.
    said : str
        The table in a few words, put behind "wrote ... to FILE".
    page : callable
        Makes the party's page.
    notes : sequence of str
        What the person should know.
    files : mapping of str to bytes
        Further files, by what their names add to that of the table.
    also : str
        What those files are, or what there is to say instead.
    by : str
        How it was found, where there are several ways.
    """

    table: pd.DataFrame | Lines
    said: str
    page: Callable[[], Page]
    notes: Sequence[str] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    also: str = ""
    by: str = ""


@dataclass(frozen=True, eq=False)
class Exhibit:
    """Something an audit shows beside its findings, in every form it is asked for."""

    text: str
    json: str
    draw: Callable[[], Figure]
    parts: Callable[[], Sequence[Part]]


@dataclass(frozen=True, eq=False)
class Examined:
    """What an audit found; ``refusal`` says why nothing may leave, and is empty if it may."""

    audit: Audit | None
    refusal: str = ""
    exhibit: Exhibit | None = None


class Kind(Protocol):
    """The ``by_files.py`` of a kind of study."""

    VERBS: tuple[str, ...]
    """The verbs by which its roles take part."""

    def send(self, me: Participant, source: Source, *args: Any, **options: Any) -> Leaving:
        """Make what a party sends from its table."""

    def solve(
        self, me: Participant, arrived: Sequence[Letter], *args: Any, **options: Any
    ) -> Solution:
        """Find what the study is about from what arrived, and answer."""

    def read(
        self, me: Participant, answers: Sequence[Letter], source: Source, *args: Any, **options: Any
    ) -> Outcome:
        """Take the answers to a party and find what they say of its rows."""

    def audit(
        self, study: Study, party: str, source: Source, *args: Any, **options: Any
    ) -> Examined:
        """Attack what a party would send."""

    def describe(self, study: Study) -> Section:
        """Say what was agreed, in words."""


def by_files(study: Study, verb: str) -> Kind:
    """Return what a verb does in a study of its kind.

    Raises
    ------
    StudyError
        If the roles of this kind take part by other verbs.
    """
    kind: Kind = load_kind(study.method.kind, "by_files")
    if verb not in kind.VERBS:
        others = " and ".join(f"`consilience {other}`" for other in kind.VERBS)
        raise StudyError(
            f"`consilience {verb}` has nothing to do in {study.name!r}, a study of "
            f"{study.method.kind}: its roles take part by {others}."
        )
    return kind


def expect_letter(letter: Letter, kinds: type | tuple[type, ...], what: str) -> None:
    """Refuse a letter that holds something else than a verb was given it for."""
    if not isinstance(letter.message, kinds):
        name = type(letter.message).__name__
        raise BundleError(f"{Path(letter.file).name} holds a {name}, no {what}.")


class AwaitingAnalyst(Role, Protocol):
    """An analyst that waits for one message of every party."""

    @property
    def missing(self) -> list[str]:
        """Who has not sent anything yet."""

    def solve(self) -> list[Message]:
        """Solve with what has arrived."""


def hear_all(
    study: Study,
    analyst: AwaitingAnalyst,
    arrived: Sequence[Letter],
    kinds: type | tuple[type, ...],
    what: str,
) -> tuple[list[Message], dict[str, Letter], list[str]]:
    """Let an analyst hear one letter of each party, and solve, without who is missing if it may.

    Returns
    -------
    answers : list of Message
    heard : dict of str to Letter
        By their senders.
    notes : list of str

    Raises
    ------
    BundleError
        If two letters are of one party, or one is no `what`.
    StudyError
        If somebody is missing whom the study waits for.
    """
    answers: list[Message] = []
    heard: dict[str, Letter] = {}
    for letter in arrived:
        expect_letter(letter, kinds, what)
        sender = letter.message.sender
        if sender in heard:
            raise BundleError(
                f"{letter.file} and {heard[sender].file} are both of {sender!r}. Keep one of them."
            )
        heard[sender] = letter
        answers = analyst.receive(letter.message)
    if answers:
        return answers, heard, []
    if study.grid.missing_party == "refuse":
        raise StudyError(
            f"no {what} of {analyst.missing} has come, and the study does not allow going on "
            f"without (grid.missing_party = 'refuse')."
        )
    notes = [f"going on without {analyst.missing}, as the study allows"]
    return analyst.solve(), heard, notes
