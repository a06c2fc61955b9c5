"""Which secrets each party of a new study gets, and with whom it shares them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from consilience.study.keys import new_key
from consilience.study.study import Study

__all__ = ["hand_out_keys"]


Circle = tuple[str, str]
"""Who shares a key: what kind of circle, and its name."""


def hand_out_keys(
    study: Study, known: Mapping[Circle, bytes] | None = None
) -> dict[str, dict[str, bytes]]:
    """Draw the keys of a study and deal them to the parties.

    ===============  ====================  ======================================================
    kind             shared by             where
    ===============  ====================  ======================================================
    ``row``          a row institution     rows of different columns meet by pseudonym
    ``column``       a column group        an anchor is drawn
    ``column-NAME``  everybody             every party explains in all features
    ``common``       everybody             the anchor is drawn from public rows
    ===============  ====================  ======================================================

    Which of them a party needs follows from the kind of the study; parties of a stream need none.

    Parameters
    ----------
    study : Study
    known : mapping of (str, str) to bytes, optional
        Keys that were drawn before, by who shares them.

    Returns
    -------
    dict of str to dict of str to bytes
        For each party its keys by kind.

    Examples
    --------
    >>> study = Study.from_text('''
    ... name = "example"
    ... grid = {rows = ["north", "south"], columns = ["lab"]}
    ... [schema.lab]
    ... age = {kind = "numeric", bounds = [0, 120]}
    ... weight = {kind = "numeric", bounds = [0, 300]}
    ... ''')
    >>> keys = hand_out_keys(study)
    >>> keys["north/lab"]["column"] == keys["south/lab"]["column"]
    True
    """
    drawn: defaultdict[Circle, bytes] = defaultdict(new_key, known or {})
    dealt = {
        party: {kind: drawn[circle] for kind, circle in study.keys_of(party).items()}
        for party in study.grid.parties
    }
    return {party: keys for party, keys in dealt.items() if keys}
