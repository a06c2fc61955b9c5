"""How far a match of ids is for one holder."""

from __future__ import annotations

from consilience.psi.holder import Holder
from consilience.study.matches import read_matches
from consilience.study.secrets import PrivateFolder
from consilience.study.study import Study

__all__ = ["awaited_match"]


def awaited_match(study: Study, name: str, folder: PrivateFolder) -> str:
    """Say what a holder waits for until its rows have their names and all letters were passed.

    Parameters
    ----------
    study : Study
    name : str
        Of a party whose rows others hold, too.
    folder : PrivateFolder
        Of that party.

    Returns
    -------
    str
        In words; nothing, if it waits for nothing.
    """
    known = read_matches(folder, study.match_of(name))
    holder = Holder(study, name, known[0] if known else None)
    if holder.own is not None and not holder.missing:
        return ""
    return f"ids that {holder.ring.before(name)} passes on"
