"""What ``consilience label`` writes where institutions were grouped by label counts alone."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from scipy.cluster.hierarchy import is_valid_linkage

from consilience.cli.console import output, plain
from consilience.collaboration.learning.groups.grouping import members_of
from consilience.exceptions import MessageError
from consilience.messages import Grouping
from consilience.study.files import write_whole
from consilience.study.group import study_of_group
from consilience.study.study import Study
from consilience.study.tables import write_table
from consilience.study.toml import to_toml

__all__ = ["groups_of", "write_groups"]


def groups_of(terms: Study, answer: Grouping) -> dict[str, int]:
    """Return the group of each row institution that took part."""
    if len(answer.groups) != len(terms.grid.rows):
        raise MessageError(
            f"the answer groups {len(answer.groups)} institutions, but the study has "
            f"{len(terms.grid.rows)}."
        )
    if len(answer.tree) and not is_valid_linkage(answer.tree):
        raise MessageError("the tree of the answer is no tree of merges.")
    named = zip(terms.grid.rows, answer.groups.tolist(), strict=True)
    return {row: g for row, g in named if g >= 0}


def write_groups(terms: Study, role: str, answer: Grouping, out: Path) -> None:
    """Write who is with whom and, for a group of several, the study its members may agree on."""
    groups, own = groups_of(terms, answer), role.partition("/")[0]
    if own not in groups:
        raise MessageError(f"the answer places {own!r} in no group, although it was answered.")
    table = pd.DataFrame({"institution": list(groups), "group": list(groups.values())})
    with write_whole(out) as stream:
        stream.write(write_table(table, out))
    n_groups = len(members_of(groups))
    said = f"wrote {len(table)} institutions in {n_groups} groups (threshold {answer.threshold:g})"
    output.print(plain(f"{said} to {out}"), soft_wrap=True)
    number = groups[own]
    partners = [row for row in groups if groups[row] == number]
    if len(partners) == 1:
        said = f"{own} is alone in group {number}: learn at home, nothing more need leave"
        output.print(plain(said), soft_wrap=True)
        return
    path = out.with_name(f"{out.stem}-study.toml")
    with write_whole(path) as stream:
        stream.write(to_toml(study_of_group(terms, partners, number).terms()).encode())
    said = (
        f"{own} is in group {number} with {', '.join(row for row in partners if row != own)}. "
        f"Wrote the study in which this group would learn together to {path}: with it the class "
        f"of every row goes to its analyst, and nothing to the other groups. Agree on it, or on "
        f"nothing."
    )
    output.print(plain(said), soft_wrap=True)
