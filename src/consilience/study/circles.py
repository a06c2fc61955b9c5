"""Circles: the parties that share a secret, and which of them makes it."""

from __future__ import annotations

from dataclasses import dataclass

from consilience.study.study import Study

__all__ = ["Circle", "circles_of"]


@dataclass(frozen=True)
class Circle:
    """The parties that share one secret.

    Parameters
    ----------
    kind : str
        What a member calls the secret, such as ``"row"``; see :mod:`consilience.study.handout`.
    name : str
        What all of them call it, such as ``"row north"``.
    members : tuple of str
        In the order of the grid; the first one makes it.
    """

    kind: str
    name: str
    members: tuple[str, ...]

    @property
    def maker(self) -> str:
        """Who draws the secret and sends it to the others."""
        return self.members[0]


def circles_of(study: Study, party: str) -> list[Circle]:
    """Return the circles a party belongs to.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> {circle.name: circle.members for circle in circles_of(study, "south/lab")}
    {'row south': ('south/lab',), 'column lab': ('north/lab', 'south/lab')}
    """
    keys = {name: study.keys_of(name) for name in study.grid.parties}
    return [
        Circle(kind, " ".join(circle), tuple(n for n in keys if circle in keys[n].values()))
        for kind, circle in keys[party].items()
    ]
