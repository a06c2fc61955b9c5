"""What a letter box is told of the study it serves, to show it: words and names, and no kind."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Notice", "NoticedRole", "State"]

State = Literal["absent", "turn", "waiting", "done"]
"""Never seen; it has something to send; it waits for others; nothing is missing."""


class NoticedRole(BaseModel):
    """A role, as far as it matters to those who wait.

    Parameters
    ----------
    name : str
    waits_for : tuple of str
        Whose letters it needs.
    answers : bool
        Whether it has something to send only after those letters came.
    steps : dict
        What its person does next, by the state of the role.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    waits_for: tuple[str, ...]
    answers: bool
    steps: dict[State, str]


class Notice(BaseModel):
    """A study, as its page shows it.

    Parameters
    ----------
    title : str
    about : str
        The terms in words, digests and fingerprints: HTML in which every text is escaped.
    roles : tuple of NoticedRole
    show_sizes : bool
        Whether the study allows to tell how large a letter is.
    """

    model_config = ConfigDict(frozen=True)

    title: str
    about: str
    roles: tuple[NoticedRole, ...]
    show_sizes: bool = False
