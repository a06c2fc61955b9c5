"""A command: the words a person would type in the folder of the study, run and shown."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Command", "option"]


@dataclass(frozen=True)
class Command:
    """One run of ``consilience``.

    Parameters
    ----------
    words : tuple of str
        What is typed after ``consilience``, with paths from the folder of the study.
    unseen : tuple of str
        What is added when a desk runs it: that it is answered in JSON.
    given : str
        What is put into its standard input, such as a passphrase; never shown.
    remembered : mapping
        What the desk remembers of the study from then on.

    Examples
    --------
    >>> Command(("check", "--data", "tables/a b.csv"), ("--json",)).shown
    "consilience check --data 'tables/a b.csv'"
    """

    words: tuple[str, ...]
    unseen: tuple[str, ...] = ()
    given: str = ""
    remembered: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The line to copy."""
        return shlex.join(("consilience", *self.words))

    @property
    def run(self) -> tuple[str, ...]:
        """The words to run."""
        return (*self.words, *self.unseen)


def option(name: str, value: str) -> tuple[str, ...]:
    """Return an option with its value, which stays one even if it looks like an option.

    Examples
    --------
    >>> option("--id", "patient id"), option("--id", "--yes")
    (('--id', 'patient id'), ('--id=--yes',))
    """
    return (f"{name}={value}",) if value.startswith("-") else (name, value)
